"""JSON values: canonical text, paths, and bounds on depth and size."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Steps = tuple[str | int, ...]
"""A path into a JSON value: keys and indexes."""

MAX_DEPTH = 100
MAX_CHARACTERS = 1_000_000

_PLAIN_KEY = re.compile(r"[$\w][\w-]*")


def to_canonical_json(value: Any) -> str:
    """Convert to JSON text that does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def find_excess(value: Any, *, depth: int = MAX_DEPTH, characters: int = MAX_CHARACTERS) -> str | None:
    """Return why the value is too deep or too big to read, or None; never recurses."""
    total = 0
    todo: list[tuple[Any, int]] = [(value, 1)]
    while todo:
        current, level = todo.pop()
        if level > depth:
            return f"it is nested more than {depth} deep"
        if isinstance(current, str):
            total += len(current)
        elif isinstance(current, dict):
            total += sum(len(str(key)) for key in current)
            todo.extend((item, level + 1) for item in current.values())
        elif isinstance(current, list | tuple):
            todo.extend((item, level + 1) for item in current)
        total += 2
        if total > characters:
            return f"it has more than {characters:,} characters"
    return None


def format_json_path(steps: Sequence[str | int], root: str = "$") -> str:
    """Format a path as `$.a[0].b`; a key that is not a word is in brackets and quotes."""
    return root + "".join(_format_step(step) for step in steps)


def _format_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{json.dumps(step, ensure_ascii=False)}]"
