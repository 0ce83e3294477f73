"""Coverage of a workflow: phases, outcomes of rules, used-up bounds, error routes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.interpreter.language.model import Workflow
    from aurora.interpreter.run.step import Step

CoverageItem = tuple[str, str, int]
"""An item: (`true`, `false` or `else`, PHASE, RULE), or (`phase`, `error`, `declined`, `empty` or `skipped`, PHASE, 0).

`declined` is a question that the person declines, `empty` a `for_each` over an empty list, and `skipped` a visit that
the phase's own `when` skips.
"""


def list_items(workflow: Workflow) -> Iterator[CoverageItem]:
    """List everything that can be covered, in the order of the file."""
    for name, phase in workflow.phases.items():
        yield ("phase", name, 0)
        for index, rule in enumerate(phase.next_action):
            yield ("true", name, index)
            if rule.when is not None:
                yield ("false", name, index)
            if rule.max is not None:
                yield ("else", name, index)
        if phase.has_result and workflow.find_error_target(name) is not None:
            yield ("error", name, 0)
        if phase.person is not None:
            yield ("declined", name, 0)
        if phase.for_each is not None:
            yield ("empty", name, 0)
        if phase.when is not None:
            yield ("skipped", name, 0)


def list_taken_items(workflow: Workflow, step: Step) -> Iterator[CoverageItem]:
    """List what a step covers."""
    phase = step.phase
    if phase not in workflow.phases or not step.decides:
        return  # of the workflow of a phase, or a part of an answer
    if step.status == "skipped":
        yield from _list_skip_items(step)
        return
    yield ("phase", phase, 0)
    if step.status == "declined":
        yield ("declined", phase, 0)
    if _has_no_items(workflow, step):
        yield ("empty", phase, 0)
    if step.edge is not None:  # else its answer decides
        yield from _list_rule_items(workflow, step)


def _list_rule_items(workflow: Workflow, step: Step) -> Iterator[CoverageItem]:
    """List the outcomes of the rules that a step evaluated, and its failure."""
    phase, decision = step.phase, step.decision
    rules = workflow.phases[phase].next_action
    last = decision[-1] if decision else {}
    looked_at = len(rules)
    if isinstance(last.get("rule"), int):
        looked_at = last["rule"] - 1
        yield ("true", phase, looked_at)
        if "spent" in last:
            yield ("else", phase, looked_at)
    else:
        if step.status == "error":
            yield ("error", phase, 0)
        if "rules" not in (step.error or {}).get("details", {}):
            return  # it failed before any rule was evaluated
    yield from (("false", phase, index) for index in range(looked_at) if rules[index].when is not None)


def _has_no_items(workflow: Workflow, step: Step) -> bool:
    """Return whether the step goes through an empty list."""
    spec = workflow.phases[step.phase]
    if spec.for_each is None or step.status != "complete":
        return False
    return step.settled == ([],) or (spec.workflow is not None and step.result == {"results": []})


def _list_skip_items(step: Step) -> Iterator[CoverageItem]:
    """List what a skipped phase covers, with the rule without `when` that leads on."""
    yield ("skipped", step.phase, 0)
    if step.edge is not None and step.edge.rule is not None:
        yield ("true", step.phase, step.edge.rule)
        if step.edge.spent:
            yield ("else", step.phase, step.edge.rule)


@dataclass(slots=True)
class Coverage:
    """The number of times that each item was covered.

    Attributes:
        workflow: the workflow.
        counts: by item.
        made_up: the phases and inputs that a caller had to send, because nothing had written what they are read from.
    """

    workflow: Workflow
    counts: Counter[CoverageItem] = field(default_factory=Counter)
    made_up: set[tuple[str, str]] = field(default_factory=set)

    def record_steps(self, steps: Iterable[Step]) -> bool:
        """Count what steps cover; return whether something of it is new."""
        steps = tuple(steps)
        for step in steps:
            inputs = self.workflow.phases[step.phase].inputs if step.phase in self.workflow.phases else {}
            self.made_up.update((step.phase, name) for name in step.given if name in inputs and inputs[name].from_)
        found = {item for step in steps for item in list_taken_items(self.workflow, step)}
        new = any(one not in self.counts for one in found)
        self.counts.update(found)
        return new

    def list_missing(self) -> list[CoverageItem]:
        """List what is not covered, in the order of the file."""
        return [one for one in list_items(self.workflow) if one not in self.counts]

    def count_taken(self, *kinds: str) -> tuple[int, int]:
        """Count the covered items of these kinds, and all of these kinds."""
        wanted = [one for one in list_items(self.workflow) if one[0] in kinds]
        return sum(one in self.counts for one in wanted), len(wanted)
