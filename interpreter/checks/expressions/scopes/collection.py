"""Collection of the expressions of a workflow, with their places and scopes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions.inference import infer_expression
from aurora.interpreter.checks.expressions.sites import ExpressionSite

from . import build

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.expressions.shapes import InferredType, Namespace
    from aurora.interpreter.checks.view import WorkflowView


@lru_cache(maxsize=1)
def collect_sites(view: WorkflowView) -> tuple[ExpressionSite, ...]:
    """Collect all expressions, phase by phase; cached, because several checks need them."""
    return tuple(_iterate_sites(view))


def collect_phase_sites(view: WorkflowView, phase: str) -> tuple[ExpressionSite, ...]:
    """Collect the expressions of one phase."""
    return _index_sites(view).get(phase, ())


@lru_cache(maxsize=1)
def _index_sites(view: WorkflowView) -> Mapping[str, tuple[ExpressionSite, ...]]:
    found: dict[str, list[ExpressionSite]] = {}
    for site in collect_sites(view):
        found.setdefault(site.phase, []).append(site)
    return {phase: tuple(own) for phase, own in found.items()}


def infer_loop(view: WorkflowView, phase: str) -> InferredType:
    """Infer the list that the phase's `for_each` goes through; None without one."""
    site = next((site for site in collect_phase_sites(view, phase) if site.kind == "for_each"), None)
    return infer_expression(site) if site is not None else None


def _iterate_sites(view: WorkflowView) -> Iterator[ExpressionSite]:
    recalled = build.build_from_scope(view)
    for name in view.phases:
        yield from _iterate_phase(view, name, recalled)
    scope = replace(recalled, label='in the scope of "output"')
    for key, spec in (view.definition.workflow.output or {}).items():
        yield ExpressionSite(view, "", "output", spec.from_, ("output", key, "from"), lambda: scope)


def _iterate_phase(view: WorkflowView, name: str, recalled: Namespace) -> Iterator[ExpressionSite]:
    phase = view.phases[name]
    for key, spec in phase.inputs.items():
        if spec.from_:
            yield ExpressionSite(
                view, name, "from", spec.from_, ("phases", name, "inputs", key, "from"), lambda: recalled
            )
    if phase.when is not None:
        skipping = replace(recalled, label='in the scope of the "when" of a phase')
        yield ExpressionSite(view, name, "skip", phase.when, ("phases", name, "when"), lambda: skipping)
    loop: InferredType = None
    if phase.for_each:
        scope = build.build_rule_scope(view, name, recalled, answered=False)
        loc = ("phases", name, "for_each", "in")
        site = ExpressionSite(view, name, "for_each", phase.for_each.in_, loc, lambda: scope)
        loop = infer_expression(site)
        yield site
    if phase.with_:
        given = build.build_with_scope(view, name, loop)
        for key, text in phase.with_.items():
            yield ExpressionSite(view, name, "with", text, ("phases", name, "with", key), lambda: given)
    yield from _iterate_rules(view, name, recalled)


def _iterate_rules(view: WorkflowView, name: str, recalled: Namespace) -> Iterator[ExpressionSite]:
    rules = view.phases[name].next_action
    if all(rule.when is None for rule in rules):
        return
    decided = _RuleScope(view, name, recalled)
    for index, rule in enumerate(rules):
        if rule.when is not None:
            loc = (*view.build_rule_path(name, index), "when")
            yield ExpressionSite(view, name, "when", rule.when, loc, decided, index)


class _RuleScope:
    """The scope of a phase's rules, built when one of them is examined.

    `functools.cache` would take 12 microseconds for each phase.

    Args:
        view: the workflow.
        phase: the phase.
        recalled: the scope of its inputs.
    """

    __slots__ = ("_built", "_given")

    def __init__(self, view: WorkflowView, phase: str, recalled: Namespace) -> None:
        self._given = (view, phase, recalled)
        self._built: Namespace | None = None

    def __call__(self) -> Namespace:
        """Return the scope."""
        if self._built is None:
            self._built = build.build_rule_scope(*self._given, answered=True)
        return self._built
