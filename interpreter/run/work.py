"""Work of one phase: what it asks, what is left to ask, and the record of the steps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .execute import evaluate_items, render_branches, render_items, render_message, render_prompt
from .frames import Frame, find_frame
from .rules import build_recall_scope, collect_facts, fingerprint_tool
from .step import SEPARATOR, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.errors import Fault
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import ForEach, Phase

    from .call import Call
    from .execute import RenderedPrompts
    from .journal import Run
    from .ports import Clock, Surroundings, Toolbox, Workflows
    from .rules import Decision
    from .step import Edge


@dataclass(frozen=True, slots=True)
class WalkPorts:
    """Ports of a walk.

    Attributes:
        simulates: each call makes one step, and a workflow within a workflow is a tool, so that a simulation decides
            on each of them.
        walked: the phases whose workflow is walked all the same, by their full names.
    """

    catalog: Workflows
    tools: Toolbox
    clock: Clock
    surroundings: Surroundings | None
    simulates: bool = False
    walked: frozenset[str] = frozenset()


@dataclass(slots=True)
class WalkRecord:
    """The steps of one call, with what its response describes.

    Attributes:
        ports: what it needs from outside.
        call: the call.
        definition: the workflow of the run.
        run: the run, with the steps of this call.
        is_kept: whether the run is stored.
        steps: the steps of this call.
        shown: the step that the response describes.
        prompts: its prompts.
        message: its question to the person.
        fault: its failure, for which the workflow has a route.
        has_main: whether a phase has done its work: a further call cannot take that back.
    """

    ports: WalkPorts
    call: Call
    definition: Definition
    run: Run
    is_kept: bool
    steps: list[Step] = field(default_factory=list)
    shown: Step | None = None
    prompts: RenderedPrompts | None = None
    message: str = ""
    fault: Fault | None = None
    has_main: bool = False
    _inputs: Mapping[str, Any] = field(default_factory=dict)
    _answer: tuple[Any, ...] = ()

    def _find_frame(self) -> Frame:
        return find_frame(self.run, self.definition, self.ports.catalog.load)

    def build_recall_scope(self, frame: Frame, brought: tuple[Any, ...] = ()) -> dict[str, Any]:
        """Build the scope of `from` in a frame, with the answer to its last step."""
        facts = collect_facts(frame.definition, self.run, self.ports.clock, self.ports.surroundings)
        return build_recall_scope(frame.run, frame.definition, brought, facts)

    def _make_step(self, frame: Frame, name: str, **fields: Any) -> Step:
        """Make a step of this call, still without its work."""
        seq = len(self.run.steps) + 1
        # A call that is repeated is recognized by its first step; the others follow from that one.
        key = "" if self.steps else self.call.idempotency_key(self._resolve_call_name())
        spec = frame.definition.workflow.phases[name]
        values: dict[str, Any] = {
            "given": {},
            "inputs": {},
            "brought": (),
            "result": None,
            "asks": None,
            "status": "complete",
            "edge": None,
            **fields,
        }
        return Step(
            seq=seq,
            phase=f"{frame.prefix}{name}",
            key=key,
            at=self.ports.clock.now(),
            fingerprint=frame.definition.fingerprint_phase(name),
            tool=frame.definition.remember("tool", name, lambda: fingerprint_tool(spec)),
            call=self.steps[0].seq if self.steps else seq,
            **values,
        )

    def _resolve_call_name(self) -> str:
        names = self.definition.workflow.map_phase_names()
        return names.get(self.call.phase, self.call.phase)

    def _append(self, step: Step, prompts: RenderedPrompts | None = None, message: str = "") -> None:
        self.steps.append(step)
        self.run = self.run.with_step(step)
        is_main = step.kind == "phase" and step.status != "skipped" and not self._is_passed(step)
        if is_main or step.awaits_answer or not self.has_main:
            self.shown, self.prompts, self.message = step, prompts, message
            self.fault = self.fault if step.status == "error" else None
        self.has_main = self.has_main or is_main

    def _is_passed(self, step: Step) -> bool:
        """Return True for a phase of rules only, and for one whose workflow has ended."""
        frame = self._find_frame()
        spec = frame.definition.workflow.phases.get(step.phase.rpartition(SEPARATOR)[2])
        return spec is not None and (spec.only_decides or spec.workflow is not None)

    def _replace_last(self, step: Step) -> None:
        if self.shown is self.steps[-1]:
            self.shown = step
        self.steps[-1] = step
        self.run = replace(self.run, steps=(*self.run.steps[:-1], step))


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
