"""The values that decided between a recorded edge and a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import find_root_paths
from aurora.interpreter.expressions import ExpressionError, compile_expression

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language import Rule, Workflow
    from aurora.interpreter.run import Edge

_MAX_VALUES = 8


def collect_deciding_values(
    workflow: Workflow, phase: str, edge: Edge, before: str | None, scope: Mapping[str, Any]
) -> dict[str, Any]:
    """Collect by path the values in the conditions that decided; at most eight.

    Args:
        workflow: the edited workflow.
        phase: the phase that decided.
        edge: the edge that it took.
        before: the phase that follows in the recording; None at its end.
        scope: the scope of the conditions.
    """
    rules = workflow.phases[phase].next_action
    wheres = _select_conditions(workflow, rules, edge.rule, before)
    found: dict[str, Any] = {}
    for text in wheres:
        for path in _parse_paths(text):
            found.setdefault(".".join(path), _look_up_value(path, scope))
    return dict(list(found.items())[:_MAX_VALUES])


def _select_conditions(workflow: Workflow, rules: Sequence[Rule], fired: int | None, before: str | None) -> list[str]:
    """Select the conditions that decided.

    They are that of the rule that fired, and those before it that would have led on as recorded; else all before it.
    """
    names = workflow.map_phase_names()
    reached = rules if fired is None else rules[: fired + 1]
    close = [
        rule.when
        for index, rule in enumerate(reached)
        if rule.when is not None and (index == fired or names.get(rule.then) == before)
    ]
    return close or [rule.when for rule in reached if rule.when is not None]


def _parse_paths(text: str) -> Iterator[tuple[str, ...]]:
    try:
        yield from find_root_paths(compile_expression(text).parsed)
    except ExpressionError:
        return


def _look_up_value(path: Sequence[str], scope: Mapping[str, Any]) -> Any:
    value: Any = scope
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
