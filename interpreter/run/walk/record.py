"""Record of a walk: its steps, and the one that the response describes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from aurora.interpreter.run.frames import Frame, find_frame
from aurora.interpreter.run.phase.scope import build_recall_scope, collect_facts
from aurora.interpreter.run.phase.tool_fingerprint import fingerprint_tool
from aurora.interpreter.run.step import SEPARATOR, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.faults import Fault
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.call import Call
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.phase.execute import RenderedPrompts
    from aurora.interpreter.run.ports import Clock, Surroundings, Toolbox, Workflows


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
