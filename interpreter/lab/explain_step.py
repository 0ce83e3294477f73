"""Explanation of a recorded step: each rule's verdict, place and evaluated parts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Fault
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.explain import explain_expression, shorten_value
from aurora.interpreter.expressions.jmespath import evaluate_expression
from aurora.interpreter.language.build import find_key
from aurora.interpreter.run.frames import find_frame
from aurora.interpreter.run.rules import build_decision_scope, build_recall_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurora.interpreter.expressions.explain import ExpressionPart
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Rule
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.step import Step

_KEYS: Mapping[str, tuple[str, ...]] = {
    "limit": ("for_each", "else"),
    "on_decline": ("person", "on_decline"),
    "skipped": ("when",),
}
"""Reason that led on before any rule was evaluated -> its key in the phase."""


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The verdict on one rule of a step.

    Attributes:
        rule: its number from 1; 0 where a key led on in place of a rule.
        then: its target as the file writes it; of a spent rule, the target of its `else`.
        when: its condition; empty when it has none.
        verdict: `fired`, `false`, `spent` (it was true, but its `max` was used up), `not reached`, `failed`.
        place: `path:line:column` of the rule in the file; empty when the file no longer contains it.
        parts: the values of the parts of `when`.
        note: a remark, or empty.
        key: the key that led on in place of a rule: `on_error`, `on_decline`, `limit` or `skipped`; empty for a rule.
    """

    rule: int
    then: str
    when: str
    verdict: str
    place: str = ""
    parts: tuple[ExpressionPart, ...] = ()
    note: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class StepTrace:
    """The trace of one step: the verdict on each of its rules.

    Attributes:
        edited: the phase has changed since it ran, so the rules are the recorded ones.
        items: the items of a `for_each`, in words; empty without one.
    """

    step: Step
    verdicts: tuple[RuleVerdict, ...]
    edited: bool
    items: str = ""


def trace_step(definition: Definition | None, before: Run, after: Run, load: Callable[[str], Definition]) -> StepTrace:
    """Explain why a step of a run took its edge.

    Args:
        definition: the present workflow, or None when there is none that can be read.
        before: the run before the step.
        after: the run up to the step; that of a step is the `before` of the next one, which then costs less.
        load: returns a workflow by its name, for the steps of the workflow of a phase.
    """
    step = after.steps[-1]
    if "/" in step.phase:
        definition, before, step = _find_inner(definition, after, load) or (None, before, step)
    recalled = build_recall_scope(before, definition, step.brought)
    asking = before.find_asking_step() if step.kind == "answer" else None
    worked = asking or step
    seen = build_decision_scope(worked.inputs, worked.result, recalled, _find_answered(step, recalled))
    edited = definition is None or not _is_unchanged(definition, step)
    verdicts: tuple[RuleVerdict, ...] = ()
    if step.decides and not (step.edge is None and step.awaits_answer):
        verdicts = tuple(_explain_rules(definition, before, step, seen, edited=edited))
    items = "" if definition is None or edited else _describe_items(definition, step, seen)
    return StepTrace(step, verdicts, edited, items)


def _explain_rules(
    definition: Definition | None, before: Run, step: Step, seen: Mapping[str, Any], *, edited: bool
) -> Iterator[RuleVerdict]:
    """Explain the rules of a step; of an edited phase, the recorded ones."""
    own = () if edited else _list_rules(definition, step.phase)
    recorded = {entry["rule"]: entry for entry in step.decision if isinstance(entry.get("rule"), int)}
    if len(recorded) < len(step.decision) or (step.edge is not None and step.edge.rule is None):
        yield from _explain_key(definition, step) or _explain_failure(definition, step, own, seen)
        return
    # A recorded decision has the last rules only; each one before them was false, or it would have fired.
    unrecorded = own[: min(recorded, default=1) - 1]
    first = ({"rule": n, "then": rule.then, "when": rule.when, "fired": False} for n, rule in enumerate(unrecorded, 1))
    for entry in (*first, *recorded.values()):
        yield _explain_recorded_rule(definition, before, step, entry, seen)
    yield from _list_unreached_rules(definition, step, own, max(recorded, default=0))


def _find_inner(
    definition: Definition | None, after: Run, load: Callable[[str], Definition]
) -> tuple[Definition, Run, Step] | None:
    """Find a step in the workflow of a phase: the workflow, the run before, the step."""
    if definition is None:
        return None
    try:
        frame = find_frame(after, definition, load)
    except Fault:  # the workflow was edited, and no longer runs there
        return None
    step = after.steps[-1]
    frame = frame.parent or frame if step.kind == "enter" else frame
    earlier = replace(frame.run, steps=frame.run.steps[:-1], settled_history=None, inner_runs={})
    return frame.definition, earlier, frame.run.steps[-1]


def _find_answered(step: Step, recalled: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Find `answer` and `answers`, which the rules of a step with an answer of its own read."""
    own = recalled["phases"].get(step.phase) if step.kind == "answer" else None
    return {name: own[name] for name in ("answer", "answers")} if own else None


def preview_rules(definition: Definition, phase: str) -> tuple[RuleVerdict, ...]:
    """List the rules of a phase that has not run yet."""
    return tuple(
        RuleVerdict(
            index + 1,
            rule.then,
            rule.when or "",
            "open",
            locate_rule(definition, phase, index),
            note=_describe_bound(rule),
        )
        for index, rule in enumerate(_list_rules(definition, phase))
    )


def locate_rule(definition: Definition, phase: str, index: int) -> str:
    """Return `path:line:column` of a rule."""
    return definition.document.find_rule_place(phase, index).label


def _is_unchanged(definition: Definition, step: Step) -> bool:
    known = step.phase in definition.workflow.phases
    return known and definition.has_fingerprint(step.phase, step.fingerprint)


def _list_rules(definition: Definition | None, phase: str) -> tuple[Rule, ...]:
    spec = definition.workflow.phases.get(phase) if definition else None
    return spec.next_action if spec else ()


def _find_matching_rule(definition: Definition | None, step: Step, entry: Mapping[str, Any]) -> Rule | None:
    """Find the rule of the file that a recorded entry names; None when it differs now."""
    rules, index = _list_rules(definition, step.phase), int(entry["rule"]) - 1
    if index >= len(rules):
        return None
    rule = rules[index]
    return rule if (rule.then, rule.when) == (entry["then"], entry.get("when")) else None


def _explain_recorded_rule(
    definition: Definition | None, before: Run, step: Step, entry: Mapping[str, Any], seen: Mapping[str, Any]
) -> RuleVerdict:
    rule = _find_matching_rule(definition, step, entry)
    when, number = entry.get("when") or "", int(entry["rule"])
    spent = bool(entry.get("spent"))
    then = step.edge.token if spent and step.edge else entry["then"]
    place = locate_rule(definition, step.phase, number - 1) if definition and rule else ""
    verdict = "spent" if spent else "fired" if entry["fired"] else "false"
    note = entry.get("spent") or ""
    if rule is not None and rule.max is not None and entry["fired"] and not spent:
        note = f"taken {before.count_taken(step.phase, number - 1) + 1} of {rule.max} times"
    return RuleVerdict(number, then, when, verdict, place, explain_expression(when, seen) if when else (), note)


def _list_unreached_rules(
    definition: Definition | None, step: Step, rules: tuple[Rule, ...], looked_at: int
) -> Iterator[RuleVerdict]:
    for index, rule in enumerate(rules[looked_at:], looked_at):
        place = locate_rule(definition, step.phase, index) if definition else ""
        yield RuleVerdict(index + 1, rule.then, rule.when or "", "not reached", place)


def _explain_key(definition: Definition | None, step: Step) -> tuple[RuleVerdict, ...]:
    """Explain where a key other than `on_error` led, before any rule was evaluated; nothing for a failure."""
    reason = next((str(entry["reason"]) for entry in step.decision if entry.get("reason")), "")
    if reason not in _KEYS or step.edge is None:
        return ()
    place = find_key(definition.root, ("phases", step.phase, *_KEYS[reason])).place.label if definition else ""
    return (RuleVerdict(0, step.edge.token, "", "fired", place, key=reason),)


def _explain_failure(
    definition: Definition | None, step: Step, rules: tuple[Rule, ...], seen: Mapping[str, Any]
) -> Iterator[RuleVerdict]:
    """Explain where `on_error` led and how far the rules were evaluated before.

    The failure may be that of a rule.
    """
    error = step.error or step.response.get("error") or {}
    details = error.get("details") or {}
    deciding = "when" in details or "rules" in details
    reached = deciding
    for index, rule in enumerate(rules):
        place = locate_rule(definition, step.phase, index) if definition else ""
        when = rule.when or ""
        fails = reached and not _is_false(when, seen)
        verdict = "failed" if fails else "false" if reached else "not reached"
        yield RuleVerdict(index + 1, rule.then, when, verdict, place, explain_expression(when, seen) if reached else ())
        reached = reached and not fails
    if step.edge is not None:
        place = definition.document.find_failure_place(step.phase).label if definition else ""
        note = f"{error.get('code', 'the phase failed')}: {error['message']}" if error.get("message") else ""
        yield RuleVerdict(0, step.edge.token, "", "fired", place, note=note, key="on_error")


def _is_false(when: str, seen: Mapping[str, Any]) -> bool:
    try:
        return bool(when) and evaluate_expression(when, seen) is False
    except ExpressionError:
        return False


def _describe_items(definition: Definition, step: Step, seen: Mapping[str, Any]) -> str:
    """Describe the items of a `for_each`: `inputs.tasks gave 7 items; 5 asked for`."""
    phase = definition.workflow.phases[step.phase]
    spec = phase.for_each
    if spec is None:
        return ""
    if step.kind == "enter" and step.index:  # only the first entry has the inputs
        return f"item {step.index + 1}"
    if step.kind == "answer":
        return f"{step.asks} more asked for" if step.asks else ""
    return _describe_list(spec.in_, step, seen, is_asked=phase.workflow is None)


def _describe_list(text: str, step: Step, seen: Mapping[str, Any], *, is_asked: bool) -> str:
    """Describe what the expression of a `for_each` gave."""
    try:
        items = evaluate_expression(text, seen)
    except ExpressionError as error:
        return f"{text} cannot be evaluated: {error}"
    if not isinstance(items, list):
        return f"{text} is {json.dumps(shorten_value(items))}, not a list"
    count = f"{text} gave {len(items)} item" + ("" if len(items) == 1 else "s")
    asked = step.asks or 0
    left = f", {len(items) - step.index - asked} later" if step.index + asked < len(items) else ""
    return f"{count}; {asked} asked for{left}" if is_asked else count


def _describe_bound(rule: Rule) -> str:
    if rule.max is None:
        return ""
    often = "once" if rule.max == 1 else f"{rule.max} times"
    return f"at most {often}, else {rule.else_ or 'end'}"
