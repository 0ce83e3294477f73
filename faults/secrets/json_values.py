"""Masks for the strings of JSON values."""

from __future__ import annotations

from typing import Any

from .scan import find_marks, find_secrets, mask_found, may_have_secret


def mask_json(value: Any) -> Any:
    """Mask the secrets in the strings of a JSON value; return the same value where there is none.

    A key and its value are also checked together, like `password: "…"` in a file. Keys stay as they are.
    """
    text = "\n".join(dict.fromkeys(_list_lines(value)))  # a step has many values twice
    marks = find_marks(text)
    return _mask_value(value, marks) if may_have_secret(text, marks) else value


def _list_lines(value: Any) -> list[str]:
    """List the strings as they are searched for secrets: with their keys, if they have any."""
    lines: list[str] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            lines += [_write_member(key, inner) for key, inner in here.items() if isinstance(inner, str)]
            waiting += [inner for inner in here.values() if isinstance(inner, dict | list | tuple)]
        elif isinstance(here, list | tuple):
            waiting += here
        elif isinstance(here, str):
            lines.append(here)
    return lines


def _write_member(key: str, value: str) -> str:
    return f'{key} = "{value}"'


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
    found = [one for one in find_secrets(_write_member(key, value), marks) if one.end > start]
    if not found:
        return value
    masked = mask_found(value, find_secrets(value, marks))
    return masked if masked != value else f"[secret: {found[0].kind}]"
