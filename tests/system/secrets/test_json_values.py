"""A JSON value is masked the same whether its strings are searched together or one by one."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.system.secrets.masks import mask_json, mask_secrets

TOKEN = "ghp_" + "q7Zt9LxVb2RkWm4NcYp8q7Zt9LxVb2RkWm4N"
PASSWORD = "q7Zt9LxVb2" + "RkWm4NcYp8"
pieces = st.sampled_from(
    [
        *(TOKEN, PASSWORD, f"password: {PASSWORD}", f'token = "{PASSWORD}"', f"https://user:{PASSWORD}@example.com/"),
        *("password:", "aurora: allow", "# nosec", "-----BEGIN RSA PRIVATE KEY-----", "MIIEowIBAAKCAQEA" + PASSWORD),
        *("kind: Secret", "data:", "  key: cGFzc3dvcmQxMjM0NTY=", "plain words", '"', "'", "\\", "İ", "\ud800"),
    ]
)
texts = st.lists(pieces, max_size=3).map("\n".join) | st.lists(pieces, max_size=2).map(" ".join)
keys = st.sampled_from(["password", "api_key", "text", "note", "secret", "kind"])
values = st.recursive(
    texts | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def mask_alone(value: Any) -> Any:
    """Mask each string by a call of its own."""
    if isinstance(value, list):
        return [mask_alone(inner) for inner in value]
    if isinstance(value, dict):
        return {
            key: mask_json({key: inner})[key] if isinstance(inner, str) else mask_alone(inner)
            for key, inner in value.items()
        }
    return mask_secrets(value) if isinstance(value, str) else value


@settings(max_examples=300)
@given(values)
def test_strings_together_are_masked_like_strings_alone(value: Any) -> None:
    assert mask_json(value) == mask_alone(value)


def test_a_value_without_a_secret_is_returned_itself() -> None:
    value = {"query": "Which key is the token of?", "items": ["password", {"key": "token"}]}
    assert mask_json(value) is value
