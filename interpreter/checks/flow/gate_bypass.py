"""Check of gates: a failure of the question must not lead to what only the person's consent leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.check import Check
from aurora.interpreter.checks.rules import find_dead_rules
from aurora.interpreter.expressions import ExpressionError, evaluate_expression
from aurora.interpreter.language import END, find_reachable
from aurora.interpreter.problems import codes, list_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.view import Transition, WorkflowView
    from aurora.interpreter.language import Definition
    from aurora.interpreter.problems import Problem


def check_gate_bypass(view: WorkflowView) -> Iterator[Problem]:
    """Report each gate whose failure leads to what the person's consent leads to, and a decline does not."""
    gates = [name for name in view.phases if _asks_person(view, name)]
    if not gates:
        return
    dead = find_dead_rules(view)
    taken = [edge for edge in (*view.transitions(), *view.skips()) if (edge.source, edge.rule) not in dead]
    for gate in gates:
        failing = next((edge.target for edge in taken if edge.source == gate and edge.kind == "on_error"), None)
        if failing is None:
            continue
        around = _map_edges(taken, without=gate)
        agreed = _find_consent_targets(view, gate) - _find_free_phases(view, gate, around)
        if agreed and agreed <= find_reachable([failing], around):
            yield _report_bypass(view, gate, sorted(agreed, key=list(view.phases).index))


def _asks_person(view: WorkflowView, phase: str) -> bool:
    """Return whether a phase asks the person, itself or in the workflow that it runs."""
    if view.phases[phase].person is not None:
        return True
    todo = [view.find_workflow(phase)]
    seen: set[str] = set()
    while todo:
        inner = todo.pop()
        if inner is None or inner.workflow.name in seen:
            continue
        seen.add(inner.workflow.name)
        if any(spec.person is not None for spec in inner.workflow.phases.values()):
            return True
        todo += _list_inner(view, inner)
    return False


def _list_inner(view: WorkflowView, definition: Definition) -> list[Definition | None]:
    names = [spec.workflow for spec in definition.workflow.phases.values() if spec.workflow]
    return [view.workflows.find_definition(name) for name in names] if view.workflows is not None else []


def _find_consent_targets(view: WorkflowView, gate: str) -> set[str]:
    """Find where a consent leads: to the target with each boolean field true, else to any of the rules."""
    flags = [name for name, field in _list_fields(view, gate).items() if field.get("type") == "boolean"]
    agreed, refused = (_follow_rules(view, gate, dict.fromkeys(flags, value)) for value in (True, False))
    if flags and agreed is not None and refused is not None and agreed != refused:
        return {agreed} - {END}
    targets = {view.resolve_target(rule.then) for rule in view.phases[gate].next_action}
    return {target for target in targets if target is not None}


def _list_fields(view: WorkflowView, gate: str) -> Mapping[str, Mapping[str, Any]]:
    person = view.phases[gate].person
    return {name: field for name, field in (person.form if person else {}).items() if isinstance(field, dict)}


def _follow_rules(view: WorkflowView, gate: str, answer: Mapping[str, bool]) -> str | None:
    """Return the target for an answer; None when the rules read more than the answer."""
    for rule in view.phases[gate].next_action:
        try:
            holds = rule.when is None or evaluate_expression(rule.when, {"answer": answer})
        except ExpressionError:
            return None
        if not isinstance(holds, bool):
            return None
        if holds:
            return END if rule.then == END else view.resolve_target(rule.then)
    return None


def _find_free_phases(view: WorkflowView, gate: str, around: Mapping[str, list[str]]) -> set[str]:
    """Find the phases that a run enters without the gate, or after a decline that the author routes."""
    person = view.phases[gate].person
    declined = person.on_decline if person is not None and person.on_decline is not None else END
    starts = (view.resolve_target(name) for name in (view.definition.workflow.start, declined))
    return find_reachable([name for name in starts if name is not None and name != gate], around)


def _map_edges(edges: list[Transition], *, without: str) -> Mapping[str, list[str]]:
    """Map each phase to those that its edges lead to, leaving out one phase."""
    found: dict[str, list[str]] = {}
    for edge in edges:
        if edge.target is not None and without not in (edge.source, edge.target):
            found.setdefault(edge.source, []).append(edge.target)
    return found


def _report_bypass(view: WorkflowView, gate: str, bypassed: list[str]) -> Problem:
    person, is_own = view.phases[gate].person, view.phases[gate].on_error is not None
    declines = person is not None and person.on_decline is None
    way = "a failure of this question, and a decline," if declines else "a failure of this question"
    if person is None:
        way = "a failure of the workflow that asks the person"
    place = view.locate_value("phases", gate, "on_error") if is_own else view.locate_value("on_error")
    message = (
        f'{way} {"lead" if declines else "leads"} from "{gate}" to {list_names(bypassed)}, although nobody has agreed'
    )
    help_ = f'let "on_error" of "{gate}" lead to a phase that needs no consent'
    if person is not None:
        help_ += ", as a decline does" if not declines else ', and name one in "on_decline"'
    return codes.GATE_BYPASS.make_problem(place, message, help=help_)


CHECK = Check(check_gate_bypass)
