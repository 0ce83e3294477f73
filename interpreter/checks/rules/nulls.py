"""Nulls of cases: values that are null together, because they belong to one answer, object or visit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import list_types, to_field_path

from .entering import find_known_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions import ExpressionSite, Operand

Path = tuple[str, ...]

_VALUE_DEPTH = 3


@dataclass(frozen=True, slots=True)
class NullLinks:
    """Relations between the nulls of operands.

    Attributes:
        roots: by key of an operand, the part that is null exactly when the operand is.
        implied: pairs of keys: where the first is null, so is the second.
        written: pairs of keys: where the first, a status, is `complete`, the second is not null.
        is_first: whether the phase is the first, so that nothing is there of any phase at times.
    """

    roots: Mapping[str, Path]
    implied: tuple[tuple[str, str], ...]
    written: tuple[tuple[str, str], ...]
    is_first: bool = False

    def is_possible(self, case: Mapping[str, Any]) -> bool:
        """Return whether each value of this case is null exactly where it has to be."""
        return not any(case[one] is None and case[other] is not None for one, other in self.implied) and not any(
            case[status] == "complete" and case[other] is None for status, other in self.written
        )

    def can_be_null(self, keys: Sequence[str]) -> bool:
        """Return whether these operands, each of which may be null, are surely null together at times."""
        found = {self.roots.get(key, ()) for key in keys}
        causes = {root for root in found if _count_outer(root, found) == 1}
        visits = [cause for cause in causes if cause[:1] == ("phases",)]
        return len(causes) == 1 or (() not in causes and (not visits or self.is_first))


def link_nulls(site: ExpressionSite, operands: Mapping[str, Operand]) -> NullLinks:
    """Link the operands of an expression's phase by the part that is null exactly when each of them is."""
    roots: dict[str, Path] = {}
    for key, operand in operands.items():
        path = to_field_path(operand.tree)
        if path is not None:
            roots[key] = _find_root(site, find_known_path(site, path) or path)
    implied = [
        (one, other) for one in roots for other in roots if one != other and _is_within(roots[other], roots[one])
    ]
    written = [
        (status, key)
        for status, phase in _find_statuses(site, operands)
        for key in roots
        if roots[key] in _list_written(site, phase)
    ]
    is_first = site.phase == site.view.resolve_target(site.view.definition.workflow.start)
    return NullLinks(roots, tuple(implied), tuple(written), is_first)


def _find_statuses(site: ExpressionSite, operands: Mapping[str, Operand]) -> Iterator[tuple[str, str]]:
    """Find the operands that are the status of another phase, which asks for one answer; with its name."""
    for key, operand in operands.items():
        match to_field_path(operand.tree):
            case ("phases", phase, "status") if phase in site.view.phases and phase != site.phase:
                if site.view.phases[phase].for_each is None:
                    yield key, phase


def _list_written(site: ExpressionSite, phase: str) -> list[Path]:
    """List the parts that are not null once a phase is complete."""
    parts: list[Path] = [("phases", phase, "answer"), ("phases", phase, "result")]
    return [part for part in parts if _is_never_null(site, part)]


def _count_outer(root: Path, found: set[Path]) -> int:
    """Count the parts that contain this one, itself included."""
    return sum(_is_within(root, other) for other in found)


def _is_within(path: Path, outer: Path) -> bool:
    return path[: len(outer)] == outer


def _find_root(site: ExpressionSite, path: Path) -> Path:
    """Find the outermost part of which each step to this value is required and never null."""
    least = {"phases": _VALUE_DEPTH, "inputs": 2}.get(path[0], 1)
    while len(path) > least and _is_kept(site, path[:-1], path[-1]):
        path = path[:-1]
    if len(path) != _VALUE_DEPTH or path[0] != "phases":
        return path
    is_visit = path[2] in ("status", "visits")
    is_whole = path[2] in ("answer", "result") and _writes_always(site, path[1]) and _is_never_null(site, path)
    return path[:2] if is_visit or is_whole else path


def _writes_always(site: ExpressionSite, phase: str) -> bool:
    """Return whether another phase has its result and answer whenever it has begun."""
    spec = site.view.phases.get(phase)
    if spec is None or phase == site.phase or spec.for_each is not None or spec.when is not None:
        return False
    return not any(edge.source == phase and edge.is_empty_handed for edge in site.view.transitions())


def _is_kept(site: ExpressionSite, outer: Path, name: str) -> bool:
    """Return whether an object always has a field that is not null."""
    schema = site.find_schema(outer)
    if schema is None or name not in schema.get("required", ()) or not list_types(schema) <= {"object", "null"}:
        return False
    return _is_never_null(site, (*outer, name))


def _is_never_null(site: ExpressionSite, path: Path) -> bool:
    """Return whether no value that fits the schema at a path is null."""
    schema = site.find_schema(path)
    if schema is None:
        return False
    if "const" in schema:
        return schema["const"] is not None
    if schema.get("enum"):
        return None not in schema["enum"]
    types = list_types(schema)
    return bool(types) and "null" not in types
