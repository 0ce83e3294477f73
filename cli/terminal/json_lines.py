"""JSON values as indented lines, close to YAML, for eyes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .console import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDE = 100
"""A value whose JSON is not longer than this stays on one line."""


def lines_of(value: Any, indent: str = "") -> Iterator[str]:
    """The lines of a value; short ones on one line, long texts with their own line breaks."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _entry(f"{indent}{plain(str(key))}:", inner, indent)
    elif isinstance(value, list):
        for inner in value:
            yield from _entry(f"{indent}-", inner, indent)
    else:
        yield from (f"{indent}{line}" for line in _scalar(value).splitlines() or [""])


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    flat = _scalar(value) if not isinstance(value, dict | list) else _compact(value)
    if flat is not None and "\n" not in flat and (len(flat) <= _WIDE or not isinstance(value, dict | list)):
        yield f"{head} {flat}"
        return
    yield head
    yield from lines_of(value, indent + "  ")


def _compact(value: Any) -> str | None:
    if isinstance(value, dict) and any(isinstance(inner, dict | list) for inner in value.values()):
        return None
    text = json.dumps(value, ensure_ascii=False)
    return plain(text) if len(text) <= _WIDE else None


def _scalar(value: Any) -> str:
    return plain(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
