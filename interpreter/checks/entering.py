"""Values that a run can have when it begins a phase, and values that are null together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.check import find_faulty_sites
from aurora.interpreter.checks.expressions.domains import (
    NULL_SAFE_FUNCTIONS,
    build_domain,
    build_node_key,
    collect_operands,
    infer_path_nullness,
    list_types,
    read_membership,
)
from aurora.interpreter.checks.expressions.scopes import collect_phase_sites
from aurora.interpreter.checks.expressions.sites import is_bare_null, to_field_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions.domains import Operand
    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.expressions.tokens import Tree

    from .view import Transition, WorkflowView

_MAX_CASES = 256
"""The most combinations that are tried for one value and one phase; with more, nothing is excluded."""
_MAX_PHASES = 20
"""The most phases between the two; with more, nothing is excluded."""
_MIN_PATH_LENGTH = 3
_INPUT_DEPTH = 2

Path = tuple[str, ...]

_VALUE_DEPTH = 3


def find_recalled_path(site: ExpressionSite, path: Sequence[str]) -> tuple[str, ...] | None:
    """Find the answer or result of an earlier phase that a path reads, also through an input."""
    match tuple(path):
        case ("phases", source, "answer" | "result", *_) if source in site.view.phases and source != site.phase:
            return tuple(path)
        case ("inputs", *_):
            recalled = site.find_source(path)
            return find_recalled_path(site, recalled) if recalled is not None else None
        case _:
            return None


def find_known_path(site: ExpressionSite, path: Sequence[str]) -> tuple[str, ...] | None:
    """Find the recalled value of a path, unless the host brings one where it is null."""
    found = find_recalled_path(site, path)
    if found is None or path[0] != "inputs" or site.view.phases[site.phase].inputs[path[1]].optional:
        return found
    start = found[: len(found) - len(path) + _INPUT_DEPTH]
    may_be_null = infer_path_nullness(site, start) != "never" and can_enter(site.view, site.phase, start, None)
    return None if may_be_null else found


def is_exact(site: ExpressionSite, path: Sequence[str], value: Any) -> bool:
    """Return whether a sample stands for itself only, not for others of its kind."""
    schema = site.find_schema(path) or {}
    return value is None or isinstance(value, bool) or value in schema.get("enum", ()) or "const" in schema


def can_enter(view: WorkflowView, phase: str | None, path: tuple[str, ...], value: Any) -> bool:
    """Return whether a run can begin a phase while an earlier one has this value; true if unknown.

    Args:
        view: the workflow.
        phase: the phase that begins; None for the end of the run.
        path: `phases`, the earlier phase, `answer` or `result`, and fields.
        value: the value; None where there is none.
    """
    todo, been = [phase], {phase}
    into = _map_entries(view)
    start = view.resolve_target(view.definition.workflow.start)
    while todo:
        here = todo.pop()
        # At the start of a run nothing is written yet, so every earlier value is null.
        if here == start and value is None:
            return True
        for transition in into.get(here, ()):
            if not _can_take(view, transition, path, value):
                continue
            if transition.source == path[1]:
                return True
            if transition.source not in been:
                been.add(transition.source)
                todo.append(transition.source)
        if len(been) > _MAX_PHASES:
            return True
    return False


@lru_cache(maxsize=1)
def _map_entries(view: WorkflowView) -> Mapping[str | None, list[Transition]]:
    """Map each phase to the edges that lead to it."""
    into: dict[str | None, list[Transition]] = {}
    for transition in (*view.transitions, *view.skips):
        into.setdefault(transition.target, []).append(transition)
    return into


def _can_take(view: WorkflowView, transition: Transition, path: tuple[str, ...], value: Any) -> bool:
    """Return whether a run with this value can take an edge."""
    spec = view.phases[transition.source]
    # A failure may come with any value; a skip, and a list of items, are not modelled.
    if transition.rule is None or spec.when is not None or spec.for_each is not None:
        return True
    sites = _list_conditions(view, transition.source, transition.rule)
    if sites is None:
        return True
    domains = _build_domains([site for site in sites if site is not None], path, value)
    if prod(len(values) for values in domains.values()) > _MAX_CASES:
        return True
    trees = [site.tree if site is not None else None for site in sites]
    return any(_wins(trees, dict(zip(domains, values, strict=True))) for values in product(*domains.values()))


def _list_conditions(view: WorkflowView, phase: str, last: int) -> list[ExpressionSite | None] | None:
    """List the conditions up to a rule, None for one without; None where they are not known."""
    found = {site.index: site for site in collect_phase_sites(view, phase) if site.kind == "when"}
    sites = [found.get(index) for index in range(last + 1)]
    faulty = find_faulty_sites(view)
    present = [site for site in sites if site is not None]
    is_known = bool(present) and not any(site in faulty or site.tree is None for site in present)
    return sites if is_known else None


def _build_domains(sites: Sequence[ExpressionSite], path: tuple[str, ...], value: Any) -> dict[str, list[Any]]:
    """Build the sample values of the operands of conditions; the one at the path has this value."""
    seen: dict[str, Operand] = {}
    for site in sites:
        collect_operands(site.tree or {}, seen)
    return {key: [value] if _is_same(sites[0], one, path) else build_domain(sites[0], one) for key, one in seen.items()}


def _is_same(site: ExpressionSite, operand: Operand, path: tuple[str, ...]) -> bool:
    """Return whether an operand of a phase is the value at this path."""
    read = to_field_path(operand.tree)
    if read is None:
        return False
    if site.phase != path[1]:
        return find_recalled_path(site, read) == path
    return read == (path[2:] if path[2] == "answer" else path[_MIN_PATH_LENGTH:])


def _wins(trees: Sequence[Tree | None], case: dict[str, Any]) -> bool:
    """Return whether the last rule may win in this case."""
    *before, last = _evaluate_all(trees, case)
    return True not in before and last is not False


def _evaluate_all(trees: Sequence[Tree | None], case: dict[str, Any]) -> Iterator[Any]:
    """Yield the value of each rule: true without a condition, None where it fails."""
    for tree in trees:
        try:
            yield tree is None or evaluate_tree(tree, case)
        except UndecidedError:
            yield None


def list_excluded(site: ExpressionSite, operand: Operand, values: Sequence[Any]) -> list[Any]:
    """List the values of an operand that no run has when it begins the phase of the site."""
    path = to_field_path(operand.tree)
    source = find_known_path(site, path) if path is not None else None
    if path is None or source is None:
        return []
    exact = [value for value in values if is_exact(site, path, value)]
    return [value for value in exact if not can_enter(site.view, site.phase, source, value)]


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
    return not any(edge.source == phase and edge.is_empty_handed for edge in site.view.transitions)


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


class UndecidedError(Exception):
    """A function got null, which it does not accept."""


def evaluate_tree(tree: Tree, values: Mapping[str, Any]) -> Any:
    """Evaluate the tree with these values of its operands.

    Raises:
        UndecidedError: a function would reject its arguments.
    """
    kind = tree["type"]
    if kind == "literal":
        return tree["value"]
    if is_bare_null(tree):
        return None
    if kind == "not_expression":
        return is_falsy(evaluate_tree(tree["children"][0], values))
    if kind in ("and_expression", "or_expression"):
        left = evaluate_tree(tree["children"][0], values)
        return evaluate_tree(tree["children"][1], values) if is_falsy(left) is (kind == "or_expression") else left
    key = build_node_key(tree)
    if kind != "comparator" or key in values:
        return _read_value(tree, values)
    left, right = (evaluate_tree(child, values) for child in tree["children"])
    return _compare_values(tree["value"], left, right)


def _read_value(tree: Tree, values: Mapping[str, Any]) -> Any:
    """Return the value of an operand, or whether a list of literals contains it."""
    membership = read_membership(tree)
    if membership is not None:
        sought = values[build_node_key(membership[1])]
        return any(_compare_values("eq", literal, sought) for literal in membership[0])
    _reject_null_arguments(tree, values)
    return values[build_node_key(tree)]


def is_falsy(value: Any) -> bool:
    """Return whether a value is null, false or empty; 0 is true."""
    return value is None or value is False or (isinstance(value, str | list | dict) and not value)


def _reject_null_arguments(tree: Tree, values: Mapping[str, Any]) -> None:
    functions = [one for one in (tree, *tree["children"]) if isinstance(one, dict)]
    for one in functions:
        if one["type"] != "function_expression" or one["value"] in NULL_SAFE_FUNCTIONS:
            continue
        for child in one["children"]:
            if to_field_path(child) is not None and values.get(build_node_key(child), "") is None:
                raise UndecidedError


def _compare_values(operator: str, left: Any, right: Any) -> bool | None:
    if operator in ("eq", "ne"):
        # For Python, `True == 1`.
        same = isinstance(left, bool) is isinstance(right, bool) and bool(left == right)
        return same is (operator == "eq")
    if not all(isinstance(one, int | float | str) and not isinstance(one, bool) for one in (left, right)):
        return None
    if isinstance(left, str) is not isinstance(right, str):
        return False
    return bool({"lt": left < right, "lte": left <= right, "gt": left > right, "gte": left >= right}[operator])
