"""The calls that a visit to a phase takes, and the calls that the end of a run takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks import analyse_rules
from aurora.interpreter.checks.expressions import (
    Shape,
    collect_phase_sites,
    infer_expression,
    infer_nullness,
    to_field_path,
)
from aurora.interpreter.language import MAX_ITEMS
from aurora.interpreter.run.phase import decides_by_answer
from aurora.interpreter.schema import to_canonical_json

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from aurora.interpreter.checks import WorkflowView
    from aurora.interpreter.checks.expressions import ExpressionSite
    from aurora.interpreter.language import InputSpec, Phase, Workflow


@dataclass(frozen=True, slots=True)
class WalkFigures:
    """The most calls and prompt tokens of a workflow that runs as a phase; None without a bound."""

    calls: int | None
    tokens: int | None


def count_items(view: WorkflowView, phase: str) -> int:
    """Count the most items of a `for_each`, by its limit and its list; 1 without one."""
    loop = view.phases[phase].for_each
    if loop is None:
        return 1
    site = next(site for site in collect_phase_sites(view, phase) if site.kind == "for_each")
    shape = infer_expression(site)
    most = (shape.resolve() or {}).get("maxItems") if isinstance(shape, Shape) else None
    return min(loop.limit or MAX_ITEMS, most if isinstance(most, int) else MAX_ITEMS)


def count_rounds(spec: Phase, items: int) -> int:
    """Count the most responses in which a phase asks all that it asks.

    A host may answer one branch at a time, and each long prompt of a `for_each` has a response of its own.
    """
    if spec.branches is not None:
        return len(spec.branches)
    return items if spec.for_each is not None and spec.workflow is None else 1


def count_phase_calls(flow: Workflow, phase: str, items: int, walk: WalkFigures | None) -> int:
    """Count the most calls that a visit to this phase takes.

    Args:
        flow: the workflow.
        phase: the phase.
        items: the most items of its `for_each`.
        walk: the figures of the workflow that it runs.
    """
    spec = flow.phases[phase]
    if walk is not None:
        return (walk.calls or 0) * items
    if spec.asks:
        return count_rounds(spec, items)
    return 0 if is_passed(flow, phase) else 1


def count_last_calls(flow: Workflow, phase: str) -> int:
    """Count the calls after the last phase of a run: one to bring the answer to its prompt, or to pass it."""
    return int(flow.phases[phase].asks or is_passed(flow, phase))


def is_passed(flow: Workflow, phase: str) -> bool:
    """Return whether the call that runs another phase runs this one, too, when it has its inputs."""
    spec = flow.phases[phase]
    return spec.only_decides or (flow.pace == "prompt" and not spec.asks and spec.workflow is None)


def count_further_calls(view: WorkflowView) -> dict[str, int]:
    """Count, by phase, the further calls in which a host may have to bring inputs."""
    before: dict[str, set[str]] = {}
    for transition in (*view.transitions(), *view.skips()):
        if transition.target is not None:
            before.setdefault(transition.target, set()).add(transition.source)
    doubtful = [name for name in before if _may_lack_input(view, name)]
    return {name: int(any(_ends_within_call(view, source) for source in before[name])) for name in doubtful}


def _may_lack_input(view: WorkflowView, phase: str) -> bool:
    sources = {site.name: site for site in collect_phase_sites(view, phase) if site.kind == "from"}
    inputs = view.phases[phase].inputs
    if any(_is_required(spec) and not _is_known(view, name, sources.get(name)) for name, spec in inputs.items()):
        return True
    if any(_may_misfit(view, name, spec, sources.get(name)) for name, spec in inputs.items()):
        return True
    found = analyse_rules(view).get(phase)
    if found is None or not found.may_fail:
        return False
    # After a failure the host can call the phase again: with another input, or its tool has another result.
    return view.phases[phase].has_result or any(spec.from_ is None for spec in inputs.values())


def _ends_within_call(view: WorkflowView, phase: str) -> bool:
    """Return whether the call that ends a phase also runs the next one, when it has its inputs."""
    spec = view.phases[phase]
    waits = spec.person is not None or spec.branches is not None or spec.for_each is not None
    return waits or spec.when is not None or decides_by_answer(spec) or is_passed(view.definition.workflow, phase)


def _is_required(spec: InputSpec) -> bool:
    return not spec.optional and not spec.has_default


def _is_known(view: WorkflowView, name: str, source: ExpressionSite | None) -> bool:
    """Return whether every run knows the value of a required input."""
    if source is None:
        return _is_brought_first(view, name)
    path = to_field_path(source.tree) if source.tree is not None else None
    if path is not None and path[0] == "inputs":
        return len(path) > 1 and _is_brought_first(view, path[1])
    return path is not None and infer_nullness(source, source.tree or {}) == "never"


def _may_misfit(view: WorkflowView, name: str, spec: InputSpec, source: ExpressionSite | None) -> bool:
    """Return whether the host may replace a known value that does not fit."""
    if source is not None:
        shape = infer_expression(source) if spec.override else None
        known = (shape.resolve() or {}) if isinstance(shape, Shape) else {}
        return spec.override and not _has_all(known, spec.json_schema)
    return _is_required(spec) and not all(_has_all(one, spec.json_schema) for one in _collect_schemas(view)[name])


@lru_cache(maxsize=1)
def _collect_schemas(view: WorkflowView) -> Mapping[str, Collection[Mapping[str, Any]]]:
    """Collect the different schemas of the inputs of each name."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for phase in view.phases.values():
        for name, spec in phase.inputs.items():
            schema = spec.json_schema
            found.setdefault(name, {})[to_canonical_json(schema)] = schema
    return {name: schemas.values() for name, schemas in found.items()}


def _has_all(schema: Mapping[str, Any], keywords: Mapping[str, Any]) -> bool:
    """Return whether a schema has these keywords, so that its values fit them."""
    return all(key in schema and schema[key] == value for key, value in keywords.items() if key not in _LABELS)


_LABELS = frozenset({"title", "description", "default", "examples"})


def _is_brought_first(view: WorkflowView, name: str) -> bool:
    """Return whether the first call of each run brings an input of this name."""
    start = view.resolve_target(view.definition.workflow.start)
    spec = view.phases[start].inputs.get(name) if start is not None else None
    return spec is not None and spec.from_ is None and _is_required(spec)
