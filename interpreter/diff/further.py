"""Comparison of the keys that only some workflows have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import find_key

from .change import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase

_MAX_VALUE_LENGTH = 120
_PHASE_KEYS = (
    ("when", "condition", "is skipped under another condition", False),
    ("workflow", "workflow", "runs another workflow", True),
    ("branches", "prompt", "asks other prompts at once", True),
    ("person", "person", "asks the person something else", True),
    ("hints", "hints", "`hints` changed", False),
)
"""A key of a phase, its subject, the words for a change, and whether a change is breaking."""
_WORKFLOW_KEYS = (
    ("pace", "pace", "`pace` changed: one call runs further, or less far", False),
    ("budget", "budget", "`budget` changed", False),
    ("vars", "constants", "has other constants", False),
    ("output", "output", "has another output", True),
    ("requires", "requirements", "needs something else to run", False),
)


def compare_further_keys(name: str, was: Phase, is_: Phase, locate_key: Callable[[str], str]) -> Iterator[Change]:
    """Yield the differences of the keys of a phase that only some phases have.

    Args:
        name: the phase in the later version.
        was: the phase in the earlier version.
        is_: the phase in the later version.
        locate_key: returns `path:line:column` of a key in the later version.
    """
    for key, about, text, breaking in _PHASE_KEYS:
        before, after = (_dump(getattr(one, key)) for one in (was, is_))
        if before != after:
            kind: Any = "words" if key == "hints" else "changed"
            at = locate_key(key)
            yield Change(name, about, kind, text, _shorten(before), _shorten(after), breaking=breaking, is_at=at)


def compare_workflow_keys(before: Definition, after: Definition) -> Iterator[Change]:
    """Yield the differences of the keys of a workflow that only some workflows have."""
    for key, about, text, breaking in _WORKFLOW_KEYS:
        old, new = (_dump(getattr(one.workflow, key)) for one in (before, after))
        if old != new:
            at = find_key(after.root, (key,)).place.label
            yield Change("", about, "changed", text, _shorten(old), _shorten(new), breaking=breaking, is_at=at)


def _dump(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _dump(inner) for name, inner in value.items()}
    return value.model_dump(by_alias=True, mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _shorten(value: Any) -> str:
    text = "" if not value else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}…"
