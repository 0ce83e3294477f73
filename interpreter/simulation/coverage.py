"""Coverage of a workflow: phases, outcomes of rules, used-up bounds, error routes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.language import Workflow

CoverageItem = tuple[str, str, int]
"""An item: (`phase`, NAME, 0), (`true`, `false` or `else`, PHASE, RULE), or (`error`, PHASE, 0)."""


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
        if phase.uses is not None and workflow.find_error_target(name) is not None:
            yield ("error", name, 0)


def list_taken_items(workflow: Workflow, response: Mapping[str, Any]) -> Iterator[CoverageItem]:
    """List what the step of this response covers; nothing for a refused call."""
    if not response["metadata"].get("step"):
        return
    phase, decision = response["phase"], response["metadata"]["decision"]
    yield ("phase", phase, 0)
    rules = workflow.phases[phase].next_action
    last = decision[-1] if decision else {}
    looked_at = len(rules)
    if isinstance(last.get("rule"), int):
        looked_at = last["rule"] - 1
        yield ("true", phase, looked_at)
        if "spent" in last:
            yield ("else", phase, looked_at)
    else:
        yield ("error", phase, 0)
        if "rules" not in (response.get("error") or {}).get("details", {}):
            return  # it failed before any rule was evaluated
    yield from (("false", phase, index) for index in range(looked_at) if rules[index].when is not None)


@dataclass(slots=True)
class Coverage:
    """The number of times that each item was covered."""

    workflow: Workflow
    counts: Counter[CoverageItem] = field(default_factory=Counter)

    def record_response(self, response: Mapping[str, Any]) -> bool:
        """Count what a step covers; return whether something of it is new."""
        found = set(list_taken_items(self.workflow, response))
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
