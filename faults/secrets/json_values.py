"""Masks for the strings of JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .scan import find_marks, find_secrets, mask_found

if TYPE_CHECKING:
    from collections.abc import Iterator


def mask_json(value: Any) -> Any:
    """Mask the secrets in the strings of a JSON value; return the same value where there is none.

    A key and its value are also checked together, like `password: "…"` in a file. Keys stay as they are.
    """
    return _mask_value(value, find_marks("\n".join(_iter_texts(value))))


def _iter_texts(value: Any) -> Iterator[str]:
    """Yield all keys, and strings as a key's value is written: some marks begin with the quote."""
    if isinstance(value, str):
        yield f'"{value}'
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iter_texts(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _iter_texts(inner)


def _mask_value(value: Any, marks: frozenset[str]) -> Any:
    if isinstance(value, str):
        return mask_found(value, find_secrets(value, marks))
    if isinstance(value, list | tuple):
        masked = [_mask_value(inner, marks) for inner in value]
        return value if all(new is old for new, old in zip(masked, value, strict=True)) else masked
    if isinstance(value, dict):
        pairs = {key: _mask_member(key, inner, marks) for key, inner in value.items()}
        return value if all(pairs[key] is value[key] for key in value) else pairs
    return value


def _mask_member(key: str, value: Any, marks: frozenset[str]) -> Any:
    if not isinstance(value, str):
        return _mask_value(value, marks)
    start = len(key) + 4
    found = [one for one in find_secrets(f'{key} = "{value}"', marks) if one.end > start]
    if not found:
        return value
    masked = mask_found(value, find_secrets(value, marks))
    return masked if masked != value else f"[secret: {found[0].kind}]"
