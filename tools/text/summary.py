"""A journalled value made short enough to be read beside others."""

from __future__ import annotations

import json
from typing import Any

_LINE = 120
"""Characters of a value in the overview."""
_LONGEST_TEXT = 6000
_MOST_MEMBERS = 100
_NAMES = ("id", "name", "path", "status")
"""What a member of a list is called by, the first of these that it has."""


def overview(values: Any) -> dict[str, Any]:
    """One short value for each field: numbers as they are, texts cut, lists as their length and the names in them."""
    fields = values if isinstance(values, dict) else {"answers": values} if values is not None else {}
    return {name: _line(value) for name, value in fields.items() if value not in (None, "", [], {})}


def in_full(value: Any) -> Any:
    """The value; texts and lists beyond reason are cut, and what is left out is counted."""
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[:_LONGEST_TEXT]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: in_full(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        shown = [in_full(inner) for inner in value[:_MOST_MEMBERS]]
        return shown if len(value) <= _MOST_MEMBERS else [*shown, f"… ({len(value) - _MOST_MEMBERS} more)"]
    return value


def _line(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _cut(" ".join(value.split()))
    if isinstance(value, list):
        return _cut(f"{len(value)}: {', '.join(_name(member) for member in value)}")
    return _cut(json.dumps(value, ensure_ascii=False))


def _name(member: Any) -> str:
    if isinstance(member, dict):
        return next((str(member[key]) for key in _NAMES if isinstance(member.get(key), str)), "…")
    return member if isinstance(member, str) else json.dumps(member, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LINE else f"{text[: _LINE - 1]}…"
