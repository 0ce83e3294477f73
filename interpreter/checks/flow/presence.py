"""Presence of values: whether a phase's result exists whenever another begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import Shape, list_types, summarize_schema
from aurora.interpreter.checks.visits import has_known_targets, is_always_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.checks.expressions import ExpressionSite
    from aurora.interpreter.checks.view import WorkflowView

_MIN_PATH_LENGTH = 3


def is_always_present(site: ExpressionSite, path: Sequence[str] | None) -> bool:
    """Return whether `phases.NAME.result…` or `.answer…` has a value at the site."""
    if path is None or len(path) < _MIN_PATH_LENGTH or path[0] != "phases" or path[2] not in {"answer", "result"}:
        return False
    source, kind, inside = path[1], path[2], path[3:]
    view = site.view
    if source not in view.phases or not has_known_targets(view) or not is_always_written(view, source, site.phase):
        return False
    return is_never_null(view, source, kind, inside)


def is_never_null(view: WorkflowView, phase: str, kind: str, path: Sequence[str]) -> bool:
    """Return whether there is a value at a path of each result, or answer, that a phase has written."""
    if kind == "answer" and view.phases[phase].for_each is not None:
        return not path
    here: Any = view.definition.answers.get(phase) if kind == "answer" else view.find_result_schema(phase)
    for part in path:
        if not isinstance(here, dict) or part not in here.get("required", ()) or "null" in list_types(here):
            return False
        here = here.get("properties", {}).get(part)
    if not isinstance(here, dict):
        return False
    choices = [here["const"]] if "const" in here else here.get("enum")
    if isinstance(choices, list):
        return None not in choices
    return bool(list_types(here)) and "null" not in list_types(here)


def find_optional_field(site: ExpressionSite, path: Sequence[str]) -> str | None:
    """Find the first field of a result or answer that its schema declares and does not require."""
    if len(path) <= _MIN_PATH_LENGTH or path[2] not in {"answer", "result"}:
        return None
    for at in range(_MIN_PATH_LENGTH, len(path)):
        shape = site.resolve_path(path[:at])
        schema = summarize_schema(shape) if isinstance(shape, Shape) else {}
        properties = schema.get("properties", {})
        if path[at] not in properties or _COMPOSING_KEYWORDS & set(schema):
            return None
        if path[at] not in schema.get("required", ()):
            return path[at]
    return None


def may_be_null(site: ExpressionSite, path: Sequence[str]) -> bool:
    """Return whether the schema of an answer or result names null."""
    schema = site.find_schema(path) if len(path) >= _MIN_PATH_LENGTH and path[2] in {"answer", "result"} else None
    return schema is not None and ("null" in schema.get("type", ()) or None in schema.get("enum", ()))


_COMPOSING_KEYWORDS = frozenset({"allOf", "anyOf", "oneOf", "if", "dependentRequired"})
