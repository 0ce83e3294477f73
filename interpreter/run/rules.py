"""Scopes of expressions, and `next_action`: the first rule whose `when` is true wins."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.errors import Code, Fault
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.explain import collect_lookups
from aurora.interpreter.expressions.jmespath import evaluate_expression, find_root_names
from aurora.interpreter.language.model import END
from aurora.interpreter.schema.json_values import to_canonical_json

from .step import Edge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Rule, Workflow

    from .journal import Run
    from .ports import Clock, Surroundings

MAX_TRACE_RULES = 12
"""Rules in a decision trace, always including the one that fired."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The next edge, and a trace with one entry per evaluated rule."""

    edge: Edge
    trace: tuple[dict[str, Any], ...]


def decides_by_answer(spec: Phase) -> bool:
    """Return True if a rule of an asking phase reads the answer to it."""
    return spec.asks and any(
        find_root_names(rule.when) & {"answer", "answers"} for rule in spec.next_action if rule.when is not None
    )


def is_skipped(spec: Phase, phase: str, recalled: Mapping[str, Any]) -> bool:
    """Return True if the phase's own `when` is false.

    Raises:
        Fault: WORKFLOW_ERROR when it cannot be evaluated or is not boolean.
    """
    return spec.when is not None and not _is_true(spec.when, recalled, f'"when" of phase "{phase}"')


def decide_skipped(workflow: Workflow, phase: str, run: Run) -> Decision:
    """Decide the edge that a skipped phase takes: that of its default rule.

    Raises:
        Fault: WORKFLOW_ERROR when it has none.
    """
    rules = workflow.phases[phase].next_action
    index = next((index for index, rule in enumerate(rules) if rule.when is None), None)
    if index is None:
        message = f'phase "{phase}" is skipped, and has no rule without `when` that leads on'
        raise Fault(Code.WORKFLOW_ERROR, message, help="add a last rule without `when`")
    edge = _make_edge(workflow, rules[index], index, run.count_taken(phase, index))
    return Decision(edge, ({"reason": "skipped", "then": edge.token, "fired": True},))


def make_named_edge(workflow: Workflow, token: str, reason: str) -> Decision:
    """Return the edge to a target that another key than a rule names: `on_error`, `limit` or `on_decline`."""
    target = None if token == END else workflow.map_phase_names()[token]
    return Decision(Edge(token, target, None), ({"reason": reason, "then": token, "fired": True},))


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
    return _is_true(rule.when, scope, f'rule {index + 1} of phase "{phase}"')


def _is_true(when: str, scope: Mapping[str, Any], place: str) -> bool:
    try:
        value = evaluate_expression(when, scope)
    except ExpressionError as error:
        raise Fault(Code.WORKFLOW_ERROR, f"{place} cannot be evaluated: {error}", details={"when": when}) from None
    # JMESPath takes an empty list for false and 0 for true: a rule says itself what it means.
    if not isinstance(value, bool):
        raise Fault(
            Code.WORKFLOW_ERROR,
            f"{place} is {_describe_type(value)}, not true or false: {when}",
            help="compare it with something, for example `name != null`",
            details={"when": when},
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


class RunFacts(NamedTuple):
    """Facts for `run` that do not come from the run's steps.

    Attributes:
        folder: the folder for files of the run; empty where no expression and no prompt names it.
        date: today, as `2026-01-31`.
        branch: the branch that is checked out; empty without one, and where nothing names it.
        aurora: the version of Aurora.
    """

    folder: str = ""
    date: str = ""
    branch: str = ""
    aurora: str = ""


def collect_facts(definition: Definition, run: Run, clock: Clock, surroundings: Surroundings | None) -> RunFacts:
    """Collect the facts that the workflow reads.

    A folder is made, and a branch read, only for a workflow that names it.
    """
    if surroundings is None:
        return RunFacts(date=clock.today())
    named = definition.run_names
    return RunFacts(
        folder=surroundings.make_folder(run.run) if "folder" in named and run.run else "",
        date=clock.today(),
        branch=surroundings.get_branch() if "branch" in named else "",
        aurora=surroundings.get_version(),
    )


def build_recall_scope(
    run: Run, definition: Definition | None, brought: tuple[Any, ...] = (), facts: RunFacts | None = None
) -> dict[str, Any]:
    """Build the scope of an input's `from`: the `inputs` so far, `phases`, `run` and `vars`.

    Args:
        run: the run so far.
        definition: its workflow; a phase of it that has not run has 0 visits. None when it cannot be read.
        brought: the new answer to its last step, as a one-element tuple.
        facts: the facts for `run`.
    """
    seen = run.collect_history(brought)
    phases: Iterable[str] = definition.workflow.phases if definition else ()
    return {
        "inputs": seen.inputs,
        "phases": seen.phases,
        "run": {
            "id": run.run,
            "step": len(run.steps),
            "visits": {**dict.fromkeys(phases, 0), **seen.visits},
            **(facts or RunFacts())._asdict(),
        },
        "vars": definition.workflow.vars if definition else {},
    }


def build_decision_scope(
    inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any], answered: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Build the scope of `when` and `for_each.in`.

    Args:
        inputs: the inputs of the phase.
        result: the result of its tool.
        recalled: the scope of `from`.
        answered: `answer` and `answers`, where the answer to the phase decides.
    """
    fields = result if isinstance(result, dict) else {}
    known = {name: recalled[name] for name in ("phases", "run", "vars")}
    # The names of the language come last: no field of a result may hide them.
    return {**fields, **(answered or {}), "inputs": dict(inputs), **known}


def build_prompt_scope(inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]) -> dict[str, Any]:
    """Build the scope of a prompt."""
    return {**inputs, "inputs": dict(inputs), "result": result, "run": recalled["run"], "vars": recalled["vars"]}


def fingerprint_tool(spec: Phase) -> str:
    """Hash the phase's tool, settings and arguments; empty without a tool.

    A step stores it, so that a replay knows whether an edit of the phase changes the recorded result.
    """
    if spec.uses is None:
        return ""
    text = to_canonical_json([spec.uses, spec.params, spec.with_])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
