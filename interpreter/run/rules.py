"""`next_action`: the first rule whose `when` is true wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.expressions import ExpressionError, collect_lookups, evaluate_expression
from aurora.interpreter.language import END

from .journal import Edge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language import Rule, Workflow

    from .journal import Run

MAX_TRACE_RULES = 12
"""Rules in a decision trace, always including the one that fired."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The next edge, and a trace with one entry per evaluated rule."""

    edge: Edge
    trace: tuple[dict[str, Any], ...]


def decide_next(workflow: Workflow, phase: str, scope: Mapping[str, Any], run: Run) -> Decision:
    """Decide the edge that this phase takes over `scope`.

    Raises:
        Fault: WORKFLOW_ERROR when a `when` cannot be evaluated or is not boolean, or when no rule is true.
    """
    trace: list[dict[str, Any]] = []
    for index, rule in enumerate(workflow.phases[phase].next_action):
        value = _is_rule_true(rule, scope, phase, index)
        entry: dict[str, Any] = {"rule": index + 1, "then": rule.then, "fired": value}
        if rule.when is not None:
            entry["when"] = rule.when
            if values := collect_lookups(rule.when, scope):
                entry["values"] = values
        trace.append(entry)
        if value:
            edge = _make_edge(workflow, rule, index, run.count_taken(phase, index))
            if edge.spent:
                entry["spent"] = f"taken {rule.max} times; else {edge.token}"
            return Decision(edge, tuple(trace[-MAX_TRACE_RULES:]))
    raise Fault(
        Code.WORKFLOW_ERROR,
        f'no rule of phase "{phase}" is true for this result',
        help="add a last rule without `when`",
        details={"phase": phase, "rules": trace[-MAX_TRACE_RULES:]},
    )


def _is_rule_true(rule: Rule, scope: Mapping[str, Any], phase: str, index: int) -> bool:
    if rule.when is None:
        return True
    place = f'rule {index + 1} of phase "{phase}"'
    try:
        value = evaluate_expression(rule.when, scope)
    except ExpressionError as error:
        raise Fault(Code.WORKFLOW_ERROR, f"{place} cannot be evaluated: {error}", details={"when": rule.when}) from None
    if not isinstance(value, bool):
        raise Fault(
            Code.WORKFLOW_ERROR,
            f"{place} is {_describe_type(value)}, not true or false: {rule.when}",
            help="compare it with something, for example `name != null`",
            details={"when": rule.when},
        )
    return value


def _describe_type(value: Any) -> str:
    kinds = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null (is the name spelt as in the schema?)")


def _make_edge(workflow: Workflow, rule: Rule, index: int, taken: int) -> Edge:
    spent = rule.max is not None and taken >= rule.max
    token = (rule.else_ or END) if spent else rule.then
    target = None if token == END else workflow.map_phase_names()[token]
    return Edge(token, target, index, spent, rule.say or "", rule.early_exit)
