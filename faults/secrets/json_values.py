"""Masks for the strings of JSON values."""

from __future__ import annotations

from typing import Any

from .scan import find_secrets, mask_secrets


def mask_json(value: Any) -> Any:
    """Mask the secrets in the strings of a JSON value; return the same value where there is none.

    A key and its value are also checked together, like `password: "…"` in a file. Keys stay as they are.
    """
    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, list | tuple):
        masked = [mask_json(inner) for inner in value]
        return value if all(new is old for new, old in zip(masked, value, strict=True)) else masked
    if isinstance(value, dict):
        pairs = {key: _mask_member(key, inner) for key, inner in value.items()}
        return value if all(pairs[key] is value[key] for key in value) else pairs
    return value


def _mask_member(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return mask_json(value)
    start = len(key) + 4
    found = [one for one in find_secrets(f'{key} = "{value}"') if one.end > start]
    if not found:
        return value
    masked = mask_secrets(value)
    return masked if masked != value else f"[secret: {found[0].kind}]"
