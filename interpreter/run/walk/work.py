"""Work of one phase: what it asks, and what is left to ask after an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.interpreter.run.phase.execute import (
    evaluate_items,
    render_branches,
    render_items,
    render_message,
    render_prompt,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import ForEach, Phase
    from aurora.interpreter.run.phase.execute import RenderedPrompts
    from aurora.interpreter.run.phase.rules import Decision
    from aurora.interpreter.run.step import Edge, Step


@dataclass(frozen=True, slots=True)
class PhaseWork:
    """Result of a phase's work, before and after its decision.

    Attributes:
        result: the tool's result.
        asks, settled, items, index, branches: as in a step.
        prompts: the rendered prompts.
        message: the question to the person.
        over_limit: the target of a list that is longer than its limit; empty otherwise.
        edge, decision, holds, status: as in a step.
    """

    result: Any = None
    asks: int | None = None
    settled: tuple[Any, ...] = ()
    items: tuple[Any, ...] | None = None
    index: int = 0
    branches: tuple[str, ...] = ()
    prompts: RenderedPrompts | None = None
    message: str = ""
    over_limit: str = ""
    edge: Edge | None = None
    decision: tuple[Mapping[str, Any], ...] = ()
    holds: bool = False
    status: str = "complete"

    def decide(self, decision: Decision | None, *, is_kept: bool) -> PhaseWork:
        """Add the decision; without one, or with more to ask, `continue` brings the answer."""
        edge, trace = (decision.edge, decision.trace) if decision else (None, ())
        more = self.items is not None or bool(self.branches) or bool(self.message)
        holds = self.asks is not None and is_kept and (edge is None or edge.target is None or more)
        return replace(self, edge=edge, decision=trace, holds=holds, status="waiting" if self.message else "complete")

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of a step."""
        names = (*("result", "asks", "settled", "items", "index", "branches", "edge", "decision", "holds", "status"),)
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class FurtherQuestion:
    """Rest of a question after an answer: nothing, more items, or more branches."""

    asks: int | None = None
    index: int = 0
    branches: tuple[str, ...] = ()
    prompts: RenderedPrompts | None = None

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of a step."""
        return {"asks": self.asks, "index": self.index, "branches": self.branches, "holds": self.asks is not None}


@dataclass(frozen=True, slots=True)
class PhaseWorker:
    """Renders the prompts of a phase.

    Attributes:
        definition: the workflow.
        phase: the phase.
        view: the scope of its prompts.
    """

    definition: Definition
    phase: str
    view: Mapping[str, Any]

    def ask(self, seen: Mapping[str, Any]) -> PhaseWork:
        """Ask: render the prompts of the first response.

        Args:
            seen: the scope of `for_each.in`.

        Raises:
            Fault: WORKFLOW_ERROR when a prompt or the list fails.
        """
        spec = self.definition.workflow.phases[self.phase]
        if spec.person is not None:
            return PhaseWork(asks=0, message=render_message(self.definition, self.phase, self.view))
        if spec.branches is not None:
            names = tuple(spec.branches)
            prompts = render_branches(self.definition, self.phase, self.view, names)
            return PhaseWork(asks=0, branches=names, prompts=prompts)
        if self.phase not in self.definition.prompts:
            return PhaseWork()
        if spec.for_each is not None:
            return self._ask_items(spec, spec.for_each, seen)
        return PhaseWork(asks=0, prompts=render_prompt(self.definition, self.phase, self.view))

    def _ask_items(self, spec: Phase, loop: ForEach, seen: Mapping[str, Any]) -> PhaseWork:
        items = evaluate_items(spec, self.phase, seen)
        if loop.limit is not None and len(items) > loop.limit:
            return PhaseWork(over_limit=loop.else_ or "end")
        if not items:
            return PhaseWork(settled=([],))
        prompts = render_items(self.definition, self.phase, self.view, items, 0)
        return PhaseWork(asks=len(prompts.prompts), items=tuple(items) if prompts.left_out else None, prompts=prompts)

    def ask_further(self, asking: Step, last: Step, answer: Any) -> FurtherQuestion:
        """Ask about the items or branches that an answer leaves open.

        Raises:
            Fault: WORKFLOW_ERROR when a prompt fails.
        """
        if last.branches:
            left = tuple(name for name in last.branches if name not in answer)
            if not left:
                return FurtherQuestion()
            prompts = render_branches(self.definition, self.phase, self.view, left)
            return FurtherQuestion(0, 0, left, prompts)
        first = last.index + (last.asks or 0)
        if asking.items is None or first >= len(asking.items):
            return FurtherQuestion()
        prompts = render_items(self.definition, self.phase, self.view, asking.items, first)
        return FurtherQuestion(len(prompts.prompts), first, (), prompts)
