"""Summaries of journaled values, short enough for a list."""

from __future__ import annotations

import json
from typing import Any

_MAX_LINE_LENGTH = 120
"""Length limit of a value in the summary."""
_MAX_TEXT_LENGTH = 6000
_MAX_MEMBERS = 100
_NAME_KEYS = ("id", "name", "path", "status")
"""Keys for the name of a list member; the first that exists is used."""


def summarize_fields(values: Any) -> dict[str, Any]:
    """Return a short value for each field: numbers, truncated texts, and lists as length and names."""
    fields = values if isinstance(values, dict) else {"answers": values} if values is not None else {}
    return {name: _summarize_value(value) for name, value in fields.items() if value not in (None, "", [], {})}


def clip_value(value: Any) -> Any:
    """Return the value with long texts and lists truncated, and the omitted parts counted."""
    if isinstance(value, str) and len(value) > _MAX_TEXT_LENGTH:
        return f"{value[:_MAX_TEXT_LENGTH]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: clip_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        shown = [clip_value(inner) for inner in value[:_MAX_MEMBERS]]
        return shown if len(value) <= _MAX_MEMBERS else [*shown, f"… ({len(value) - _MAX_MEMBERS} more)"]
    return value


def _summarize_value(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _clip_line(" ".join(value.split()))
    if isinstance(value, list):
        return _clip_line(f"{len(value)}: {', '.join(_name_member(member) for member in value)}")
    return _clip_line(json.dumps(value, ensure_ascii=False))


def _name_member(member: Any) -> str:
    if isinstance(member, dict):
        return next((str(member[key]) for key in _NAME_KEYS if isinstance(member.get(key), str)), "…")
    return member if isinstance(member, str) else json.dumps(member, ensure_ascii=False)


def _clip_line(text: str) -> str:
    return text if len(text) <= _MAX_LINE_LENGTH else f"{text[: _MAX_LINE_LENGTH - 1]}…"
