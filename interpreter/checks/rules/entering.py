"""Values that a run can have when it begins a phase: the rules before it may exclude some."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import (
    build_domain,
    collect_operands,
    collect_phase_sites,
    find_faulty_sites,
    infer_path_nullness,
    to_field_path,
)

from .evaluate import UndecidedError, evaluate_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions import ExpressionSite, Operand, Tree
    from aurora.interpreter.checks.view import Transition, WorkflowView

_MAX_CASES = 256
"""The most combinations that are tried for one value and one phase; with more, nothing is excluded."""
_MAX_PHASES = 20
"""The most phases between the two; with more, nothing is excluded."""
_MIN_PATH_LENGTH = 3
_INPUT_DEPTH = 2


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
    for transition in (*view.transitions(), *view.skips()):
        into.setdefault(transition.target, []).append(transition)
    return into


def _can_take(view: WorkflowView, transition: Transition, path: tuple[str, ...], value: Any) -> bool:
    """Return whether a run with this value can take an edge."""
    spec = view.phases[transition.source]
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
