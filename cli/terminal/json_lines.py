"""JSON values as indented lines for people, close to YAML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.faults import escape_json, show_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_WIDTH = 100
"""A value whose JSON is not longer than this stays on one line."""


def format_json_lines(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of a value; short values on one line, long texts with their own line breaks."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _format_entry(f"{indent}{show_hidden(str(key))}:", inner, indent)
    elif isinstance(value, list):
        for inner in value:
            yield from _format_entry(f"{indent}-", inner, indent)
    else:
        yield from (f"{indent}{line}" for line in _to_scalar_text(value).splitlines() or [""])


def _format_entry(head: str, value: Any, indent: str) -> Iterator[str]:
    flat = _to_compact_json(value) if isinstance(value, dict | list) else _to_scalar_text(value)
    if flat is not None and "\n" not in flat:
        yield f"{head} {flat}"
        return
    yield head
    yield from format_json_lines(value, indent + "  ")


def _to_compact_json(value: Any) -> str | None:
    if isinstance(value, dict) and any(isinstance(inner, dict | list) for inner in value.values()):
        return None
    text = json.dumps(value, ensure_ascii=False)
    return escape_json(text) if len(text) <= _MAX_WIDTH else None


def _to_scalar_text(value: Any) -> str:
    return show_hidden(value) if isinstance(value, str) else json.dumps(value)
