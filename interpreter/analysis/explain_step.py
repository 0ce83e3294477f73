"""Why a step of a run led where it led: each rule, where it stands, what it came to, and what its parts were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.explain import parts, shortened
from aurora.interpreter.expressions.jmespath import ExpressionError, evaluate
from aurora.interpreter.language.build import find_key, rule_node
from aurora.interpreter.run import scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.expressions.explain import Part
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Rule
    from aurora.interpreter.run.journal import Run, Step


@dataclass(frozen=True, slots=True)
class Verdict:
    """One rule of a step.

    Attributes:
        rule: its number from 1; 0 for `on_error`.
        then: where it leads, as the file writes it; of a spent rule, where its `else` led.
        when: its condition; empty when it has none.
        verdict: `fired`, `false`, `spent` (it held, but its `max` was used up), `not reached`, `failed`.
        place: `path:line:column` of the rule in the file; empty where the file does not hold it any more.
        parts: what the parts of `when` were.
        note: what else there is to say.
    """

    rule: int
    then: str
    when: str
    verdict: str
    place: str = ""
    parts: tuple[Part, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """One step: the verdict of each of its rules.

    Attributes:
        edited: the phase is no longer what it was when it ran, so that the rules are those that were recorded.
        items: of a `for_each`: what was asked for, in words; empty without one.
    """

    step: Step
    verdicts: tuple[Verdict, ...]
    edited: bool
    items: str = ""


def trace(definition: Definition | None, run: Run, step: Step) -> Trace:
    """Why this step of the run led where it led.

    Args:
        definition: the workflow as it is now, or None when it is gone or cannot be read.
        run: the whole run.
        step: one of its steps.
    """
    before = run.until(step.seq)
    recalled = scope.recall(before, definition.workflow.phases if definition else (), step.brought)
    seen = scope.decide(step.inputs, step.result, recalled)
    edited = definition is None or not _as_it_was(definition, step)
    own = _rules(definition, step.phase)
    recorded = {entry["rule"]: entry for entry in step.decision}
    if "on_error" in recorded or (step.edge is not None and step.edge.rule is None):
        verdicts = tuple(_after_failure(definition, step, () if edited else own, seen))
    else:
        unrecorded = () if edited else own[: min(recorded, default=1) - 1]
        first = (
            {"rule": n, "then": rule.then, "when": rule.when, "fired": False} for n, rule in enumerate(unrecorded, 1)
        )
        told = [_recorded(definition, before, step, entry, seen) for entry in (*first, *step.decision)]
        verdicts = (*told, *(() if edited else _not_reached(definition, step, own, max(recorded, default=0))))
    return Trace(step, verdicts, edited, "" if definition is None or edited else _items(definition, step, seen))


def coming(definition: Definition, phase: str) -> tuple[Verdict, ...]:
    """The rules of a phase that has yet to run."""
    return tuple(
        Verdict(index + 1, rule.then, rule.when or "", "open", place_of(definition, phase, index), note=_bound(rule))
        for index, rule in enumerate(_rules(definition, phase))
    )


def place_of(definition: Definition, phase: str, index: int) -> str:
    """`path:line:column` of a rule."""
    return rule_node(definition.root, phase, index).place.at


def _as_it_was(definition: Definition, step: Step) -> bool:
    known = step.phase in definition.workflow.phases
    return known and definition.fingerprint(step.phase) == step.fingerprint


def _rules(definition: Definition | None, phase: str) -> tuple[Rule, ...]:
    spec = definition.workflow.phases.get(phase) if definition else None
    return spec.next_action if spec else ()


def _agreeing(definition: Definition | None, step: Step, entry: Mapping[str, Any]) -> Rule | None:
    """The rule of the file that this entry tells of; None when it says something else now."""
    rules, index = _rules(definition, step.phase), int(entry["rule"]) - 1
    if index >= len(rules):
        return None
    rule = rules[index]
    return rule if (rule.then, rule.when) == (entry["then"], entry.get("when")) else None


def _recorded(
    definition: Definition | None, before: Run, step: Step, entry: Mapping[str, Any], seen: Mapping[str, Any]
) -> Verdict:
    rule = _agreeing(definition, step, entry)
    when, number = entry.get("when") or "", int(entry["rule"])
    spent = bool(entry.get("spent"))
    then = step.edge.token if spent and step.edge else entry["then"]
    place = place_of(definition, step.phase, number - 1) if definition and rule else ""
    verdict = "spent" if spent else "fired" if entry["fired"] else "false"
    note = entry.get("spent") or ""
    if rule is not None and rule.max is not None and entry["fired"] and not spent:
        note = f"taken {before.taken(step.phase, number - 1) + 1} of {rule.max} times"
    return Verdict(number, then, when, verdict, place, parts(when, seen) if when else (), note)


def _not_reached(
    definition: Definition | None, step: Step, rules: tuple[Rule, ...], looked_at: int
) -> Iterator[Verdict]:
    for index, rule in enumerate(rules[looked_at:], looked_at):
        place = place_of(definition, step.phase, index) if definition else ""
        yield Verdict(index + 1, rule.then, rule.when or "", "not reached", place)


def _after_failure(
    definition: Definition | None, step: Step, rules: tuple[Rule, ...], seen: Mapping[str, Any]
) -> Iterator[Verdict]:
    """Where `on_error` led, and how far the rules came before: the failure may be that of a rule."""
    error = step.response.get("error") or {}
    details = error.get("details") or {}
    deciding = "when" in details or "rules" in details
    reached = deciding
    for index, rule in enumerate(rules):
        place = place_of(definition, step.phase, index) if definition else ""
        when = rule.when or ""
        fails = reached and not _is_false(when, seen)
        verdict = "failed" if fails else "false" if reached else "not reached"
        yield Verdict(index + 1, rule.then, when, verdict, place, parts(when, seen) if reached else ())
        reached = reached and not fails
    if step.edge is not None:
        place = _on_error(definition, step.phase) if definition else ""
        note = f"{error.get('code', 'the phase failed')}: {error['message']}" if error.get("message") else ""
        yield Verdict(0, step.edge.token, "", "fired", place, note=note)


def _is_false(when: str, seen: Mapping[str, Any]) -> bool:
    try:
        return bool(when) and evaluate(when, seen) is False
    except ExpressionError:
        return False


def _on_error(definition: Definition, phase: str) -> str:
    spec = definition.workflow.phases.get(phase)
    own = spec is not None and spec.on_error is not None
    return find_key(definition.root, ("phases", phase, "on_error") if own else ("on_error",)).place.at


def _items(definition: Definition, step: Step, seen: Mapping[str, Any]) -> str:
    """`inputs.tasks gives 7 items, 5 were asked for`."""
    spec = definition.workflow.phases[step.phase].for_each
    if spec is None:
        return ""
    try:
        items = evaluate(spec.in_, seen)
    except ExpressionError as error:
        return f"{spec.in_} cannot be evaluated: {error}"
    if not isinstance(items, list):
        return f"{spec.in_} is {shortened(items)}, and no list"
    count = f"{len(items)} item" + ("" if len(items) == 1 else "s")
    asked = step.asks or 0
    left = f", {len(items) - asked} left out" if asked < len(items) else ""
    return f"{spec.in_} gave {count}; {asked} asked for{left}"


def _bound(rule: Rule) -> str:
    if rule.max is None:
        return ""
    often = "once" if rule.max == 1 else f"{rule.max} times"
    return f"at most {often}, else {rule.else_ or 'end'}"
