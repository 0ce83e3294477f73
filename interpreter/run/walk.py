"""Walk of one call: from the answer that it brings to the next phase that must wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault, check_cancelled
from aurora.interpreter.language.model import CONTINUE, END
from aurora.interpreter.language.resources import complete_form

from .execute import build_arguments, evaluate_items, evaluate_output, run_tool, spread_outputs
from .frames import MAX_DEPTH, Frame, collect_outputs
from .inputs import InputFaults, refuse_inputs, resolve_answer, resolve_inputs
from .misfits import MisfitFinder
from .ports import ToolCall
from .refusals import find_gates, reject_without_run
from .rules import (
    build_decision_scope,
    build_prompt_scope,
    decide_next,
    decide_skipped,
    decides_by_answer,
    is_skipped,
    make_named_edge,
)
from .step import SEPARATOR, Edge, Step
from .work import PhaseWork, PhaseWorker, WalkRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.model import Phase

    from .rules import Decision

MAX_STEPS_PER_CALL = 500
"""Limit of steps of one call; the next call goes on."""


@dataclass(slots=True)
class Walk(WalkRecord):
    """The walk of one call through the phases."""

    def run_call(self, name: str) -> None:
        """Run the phases of the call; raise the fault of its first phase.

        Args:
            name: the phase of the call, or `continue`.

        Raises:
            Fault: the call is refused; nothing of it is stored.
        """
        self._inputs, self._answer = self.call.inputs, self.call.answer
        frame = self._find_frame()
        last = frame.run.last_step
        # An answer decides where the run goes, so that it is stored before anything of the next phase runs: a fault
        # there must not lose what the model has worked out.
        if last is not None and last.holds:
            self._take_answer(frame, last)
            following = self._find_following()
        else:
            following = name if name != CONTINUE else frame.expected_phase
        while following is not None:
            # Between phases, never within one: what a phase has done is either stored as a step or not done.
            check_cancelled()
            try:
                self._perform(following)
            except Fault as fault:
                if not self.steps or self._inputs or self._is_correctable(fault):
                    raise
                return  # the steps before it are valid; a call of this phase reports the fault
            following = self._find_following()
        # Inputs that no phase of this call has taken were meant for another one; to drop them would be silent.
        if self._inputs and all(step.kind == "answer" for step in self.steps):
            raise refuse_inputs(self._inputs, self.steps[-1].phase)

    # ── answers ──

    def _take_answer(self, frame: Frame, last: Step) -> None:
        """Append the answer to the last step, and what it decides."""
        asking = frame.run.find_asking_step()
        if asking is None:
            raise ValueError("an answer follows the phase that asks")
        spec = frame.definition.workflow.phases[asking.phase]
        # A refusal of the person needs no answer that fits the form: it takes its own route before anything is
        # validated.
        if spec.person is not None and self.call.person is not None and not self.call.person.accepts:
            self._append_declined(frame, asking)
            return
        refusal = InputFaults()
        brought = resolve_answer(self._answer, frame.definition, last, refusal, self._inputs)
        if refusal.faults:
            raise refusal.to_fault(asking.phase)
        self._answer = ()
        if spec.person is not None:
            brought = (complete_form(spec.person, brought[0]),)
        recalled = self.build_recall_scope(frame, brought)
        step = self._make_step(frame, asking.phase, kind="answer", brought=brought)
        step = replace(step, by=self._describe_person())
        view = build_prompt_scope(asking.inputs, asking.result, recalled)
        worker = PhaseWorker(frame.definition, asking.phase, view)
        try:
            # A question about many items is asked in parts, each as long as a response may be: the phase decides at
            # the last.
            further = worker.ask_further(asking, last, brought[0])
            edge, decision = (None, ()) if further.asks is not None else self._decide_answered(frame, asking, recalled)
        except Fault as fault:
            self._append_failure(frame, step, fault)
            return
        self._append(replace(step, edge=edge, decision=decision, **further.to_fields()), further.prompts)

    def _decide_answered(
        self, frame: Frame, asking: Step, recalled: Mapping[str, Any]
    ) -> tuple[Edge, tuple[Mapping[str, Any], ...]]:
        if asking.edge is not None:
            return replace(asking.edge, rule=None), ()  # the asking step has counted the rule
        own = recalled["phases"][asking.phase]
        answered = {name: own[name] for name in ("answer", "answers")}
        seen = build_decision_scope(asking.inputs, asking.result, recalled, answered)
        decision = decide_next(frame.definition.workflow, asking.phase, seen, frame.run)
        return decision.edge, decision.trace

    def _append_declined(self, frame: Frame, asking: Step) -> None:
        flow = frame.definition.workflow
        target = flow.find_decline_target(asking.phase) or END
        decision = make_named_edge(flow, target, "on_decline")
        step = self._make_step(
            frame, asking.phase, kind="answer", edge=decision.edge, decision=decision.trace, status="declined"
        )
        self._append(replace(step, by=self._describe_person()))

    def _describe_person(self) -> dict[str, str] | None:
        person = self.call.person
        return {"who": person.who, "how": person.how} if person else None

    def fail_answer(self, fault: Fault) -> bool:
        """Append a failed answer where the workflow has a route for it; return False without one."""
        frame = self._find_frame()
        asking = frame.run.find_asking_step()
        if asking is None:
            return False
        try:
            self._append_failure(frame, self._make_step(frame, asking.phase, kind="answer"), fault)
        except Fault:
            return False
        return True

    # ── phases ──

    def _perform(self, name: str) -> None:
        """Run one phase of the current frame."""
        frame = self._find_frame()
        spec = frame.definition.workflow.phases[name]
        refusal = InputFaults(gates=find_gates(frame.definition, self.ports.catalog.load))
        brought = self._take_brought(frame, refusal)
        recalled = self.build_recall_scope(frame, brought)
        step = self._make_step(frame, name, brought=brought)
        if not refusal.faults and self._skip(frame, step, recalled):
            return
        # The first phase of the call takes its inputs; those after it have only what the run knows.
        given, self._inputs = self._inputs, {}
        inputs, defaults = resolve_inputs(given, frame.definition, name, recalled, refusal)
        step = replace(step, given=dict(given), inputs=inputs, defaults=defaults)
        # A value of the run that no longer fits is a fault of the workflow, with its `on_error`; one that the caller
        # sent is refused, so that the caller can correct it.
        if misfit := MisfitFinder(self, frame, name, recalled).settle(refusal):
            fitting = {key: value for key, value in inputs.items() if key not in refusal.recalled}
            self._append_failure(frame, replace(step, inputs=fitting), misfit)
            return
        if refusal.faults:
            raise refusal.to_fault(name)
        if not self.is_kept:
            reject_without_run(spec, name)
        if spec.workflow is not None:
            self._enter(frame, spec, step, recalled)
            return
        self._append_work(frame, step, recalled)

    def _skip(self, frame: Frame, step: Step, recalled: Mapping[str, Any]) -> bool:
        """Append a skipped phase, or one whose `when` fails; return False for any other."""
        flow, name = frame.definition.workflow, step.phase.rpartition(SEPARATOR)[2]
        try:
            if not is_skipped(flow.phases[name], name, recalled):
                return False
            decision = decide_skipped(flow, name, frame.run)
        except Fault as fault:
            self._append_failure(frame, step, fault)
            return True
        self._append(replace(step, edge=decision.edge, decision=decision.trace, status="skipped"))
        return True

    def _take_brought(self, frame: Frame, refusal: InputFaults) -> tuple[Any, ...]:
        """Take the answer to the previous phase, which this one's call brings."""
        before = frame.run.last_step
        if before is None and not self._answer:
            return ()
        brought = resolve_answer(self._answer, frame.definition, before, refusal, self._inputs)
        self._answer = ()
        return brought

    def _append_work(self, frame: Frame, step: Step, recalled: Mapping[str, Any]) -> None:
        """Run the tool, render the prompts and decide; append the step."""
        try:
            work = self._work(frame, step, recalled)
        except Fault as failure:
            finder = MisfitFinder(self, frame, step.phase.rpartition(SEPARATOR)[2], recalled)
            fault = finder.explain_long_prompt(failure, step.inputs)
            if self._is_correctable(fault):
                raise fault from None
            self._append_failure(frame, step, fault)
            return
        self._append(replace(step, **work.to_fields()), work.prompts, message=work.message)

    def _is_correctable(self, fault: Fault) -> bool:
        """Return True if the caller can correct what it brought: no earlier phase of this call has used it."""
        brought = bool(self.call.inputs) or self.call.has_answer
        return fault.code is Code.INVALID_INPUT and brought and not self.has_main

    def _work(self, frame: Frame, step: Step, recalled: Mapping[str, Any]) -> PhaseWork:
        flow = frame.definition.workflow
        spec = flow.phases[step.phase.rpartition(SEPARATOR)[2]]
        name = step.phase.rpartition(SEPARATOR)[2]
        further = {"vars": recalled["vars"], "run": recalled["run"]}
        arguments = build_arguments(spec, name, step.inputs, further) if spec.uses is not None else {}
        result = run_tool(self.ports.tools, self.call, frame.definition, name, arguments)
        seen = build_decision_scope(step.inputs, result, recalled)
        view = build_prompt_scope(step.inputs, result, recalled)
        worker = PhaseWorker(frame.definition, name, view)
        work = replace(worker.ask(seen), result=result)
        if work.over_limit:
            decision: Decision | None = make_named_edge(flow, work.over_limit, "limit")
        elif work.asks is not None and decides_by_answer(spec):
            decision = None
        else:
            decision = decide_next(flow, name, self._add_settled(seen, work), frame.run)
        return work.decide(decision, is_kept=self.is_kept)

    @staticmethod
    def _add_settled(seen: Mapping[str, Any], work: PhaseWork) -> Mapping[str, Any]:
        """Add the answer to the scope of rules where there was nothing to ask."""
        return {**seen, "answer": work.settled[0], "answers": work.settled[0]} if work.settled else seen

    def _append_failure(self, frame: Frame, step: Step, fault: Fault) -> None:
        """Append a failed phase, or the phase around it, with its route; else raise the fault."""
        here, name = frame, step.phase.rpartition(SEPARATOR)[2]
        # A workflow within a phase fails outwards: the nearest phase around it with a route takes the fault.
        while (target := here.definition.workflow.find_error_target(name)) is None:
            if here.parent is None or here.begun is None:
                raise fault
            begun, name, here = here.begun, here.parent_phase, here.parent
            step = self._make_step(here, name, **begun.to_inputs())
        decision = make_named_edge(here.definition.workflow, target, "on_error")
        self.fault = fault
        error = fault.to_json()
        self._append(replace(step, edge=decision.edge, decision=decision.trace, status="error", error=error))

    # ── workflows within workflows ──

    def _enter(self, frame: Frame, spec: Phase, step: Step, recalled: Mapping[str, Any]) -> None:
        """Begin the workflow of a phase, for the first item if it has items."""
        name = step.phase.rpartition(SEPARATOR)[2]
        if frame.depth >= MAX_DEPTH:
            message = f'phase "{name}" would run a workflow {MAX_DEPTH + 1} deep; at most {MAX_DEPTH} are possible'
            raise Fault(Code.WORKFLOW_ERROR, message)
        items: tuple[Any, ...] | None = None
        if spec.for_each is not None:
            seen = build_decision_scope(step.inputs, None, recalled)
            try:
                items = tuple(evaluate_items(spec, name, seen))
            except Fault as fault:
                self._append_failure(frame, step, fault)
                return
            if spec.for_each.limit is not None and len(items) > spec.for_each.limit:
                decision = make_named_edge(frame.definition.workflow, spec.for_each.else_ or "end", "limit")
                self._append(replace(step, edge=decision.edge, decision=decision.trace))
                return
            if not items:
                self._append_result(frame, step, {"results": []})
                return
        # A simulation of the outer workflow stays of its size: the inner one has its own, and here only its outputs
        # count.
        if self.ports.simulates and step.phase not in self.ports.walked:
            self._append_stand_in(frame, spec, step, items)
            return
        self._append_entry(frame, spec, replace(step, items=items), 0)

    def _append_stand_in(self, frame: Frame, spec: Phase, step: Step, items: tuple[Any, ...] | None) -> None:
        """Append the result that a simulation gives to a workflow; for each item one of the outputs, in turn."""
        name = frame.definition.workflow.name
        try:
            result = self.ports.tools.call(ToolCall(str(spec.workflow), {}, {}, "", name, phase=step.phase))
        except Fault as fault:
            self._append_failure(frame, step, fault)
            return
        self._append_result(frame, step, result if items is None else spread_outputs(result, len(items)))

    def _append_entry(self, frame: Frame, spec: Phase, step: Step, index: int) -> None:
        """Append the step that begins the workflow of a phase for an item."""
        recalled = self.build_recall_scope(frame)
        further = {"vars": recalled["vars"], "run": recalled["run"]}
        if spec.for_each is not None and step.items is not None:
            further[spec.for_each.as_] = step.items[index]
        name = step.phase.rpartition(SEPARATOR)[2]
        try:
            arguments = build_arguments(spec, name, step.inputs, further)
        except Fault as fault:
            self._append_failure(frame, replace(step, items=None), fault)
            return
        entry = replace(step, kind="enter", arguments=arguments, index=index, edge=None)
        # the first entry has what all have in common: with 10,000 items, each of them would have all the others
        self._append(replace(entry, items=None, inputs={}, given={}, defaults=None) if index else entry)

    def _leave(self, frame: Frame) -> None:
        """End the workflow of a phase: go on with its next item, or append its result."""
        parent, entered, begun = frame.parent, frame.entered, frame.begun
        if parent is None or entered is None or begun is None:
            raise ValueError("the first workflow has nothing around it")
        name = frame.parent_phase
        spec = parent.definition.workflow.phases[name]
        last = frame.run.last_step
        output = dict(last.output or {}) if last else {}
        step = self._make_step(parent, name, **begun.to_inputs())
        if begun.items is None:
            self._append_result(parent, step, output)
        elif entered.index + 1 < len(begun.items):
            self._append_entry(parent, spec, replace(step, items=begun.items), entered.index + 1)
        else:
            self._append_result(parent, step, {"results": collect_outputs(self.run, frame)})

    def _append_result(self, frame: Frame, step: Step, result: dict[str, Any]) -> None:
        """Append the result of a phase's workflow, and decide."""
        name = step.phase.rpartition(SEPARATOR)[2]
        seen = build_decision_scope(step.inputs, result, self.build_recall_scope(frame, step.brought))
        done = replace(step, result=result)
        try:
            decision = decide_next(frame.definition.workflow, name, seen, frame.run)
        except Fault as fault:
            self._append_failure(frame, done, fault)
            return
        self._append(replace(done, edge=decision.edge, decision=decision.trace))

    # ── what follows ──

    def _find_following(self) -> str | None:
        """Find the phase that this call runs next; None when the call is done."""
        while True:
            frame = self._find_frame()
            last = frame.run.last_step
            # The bound of steps ends a loop that decides only, without a response between; the next call goes on with
            # it.
            if last is not None and (last.awaits_answer or len(self.steps) >= MAX_STEPS_PER_CALL):
                return None
            if last is not None and last.edge is not None and last.edge.target is None:
                try:
                    self._finish(frame)
                except Fault as fault:
                    self._fail_end(frame, fault)
                    if frame.parent is None:
                        return None
                    continue
                if frame.parent is None:
                    return None
                self._leave(self._find_frame())
                continue
            following = frame.expected_phase
            return following if following is not None and self._goes_on(frame, following) else None

    def _goes_on(self, frame: Frame, name: str) -> bool:
        """Return True if the same call runs the next phase."""
        spec = frame.definition.workflow.phases[name]
        if self.ports.simulates:
            return False
        # One phase per call is the promise; only what needs neither the model nor the caller may join it, unless the
        # workflow asks for `pace: prompt`.
        if self.has_main:
            paces = {self.definition.workflow.pace, frame.definition.workflow.pace}
            if "prompt" not in paces and not self._is_silent(frame, spec, name):
                return False
        return self._is_ready(frame, name)

    def _is_silent(self, frame: Frame, spec: Phase, name: str) -> bool:
        """Return True if a phase only decides, or is skipped."""
        if spec.only_decides or spec.when is None:
            return spec.only_decides
        try:
            return is_skipped(spec, name, self.build_recall_scope(frame))
        except Fault:
            return False  # its own call reports it

    def _is_ready(self, frame: Frame, name: str) -> bool:
        """Return True if a phase needs nothing that the caller can give."""
        refusal = InputFaults(gates=find_gates(frame.definition, self.ports.catalog.load))
        recalled = self.build_recall_scope(frame)
        spec = frame.definition.workflow.phases[name]
        if spec.when is not None and self._is_silent(frame, spec, name):
            return True
        resolve_inputs(self._inputs, frame.definition, name, recalled, refusal)
        if not refusal.faults or bool(self._inputs):
            return True
        return MisfitFinder(self, frame, name, recalled).has_fixed(refusal)  # its work reports it

    def _finish(self, frame: Frame) -> None:
        """Add the workflow's output to the last step of this frame."""
        flow = frame.definition.workflow
        if self.steps and flow.output is not None:
            values = evaluate_output(flow, self.build_recall_scope(frame))
            self._replace_last(replace(self.run.steps[-1], output=values))

    def _fail_end(self, frame: Frame, fault: Fault) -> None:
        """Let a workflow fail whose output does not fit: the run ends, or the phase around it fails."""
        if frame.parent is None or frame.begun is None:
            self._replace_last(replace(self.run.steps[-1], status="error", error=fault.to_json()))
            self.fault = fault
            return
        step = self._make_step(frame.parent, frame.parent_phase, **frame.begun.to_inputs())
        self._append_failure(frame.parent, step, fault)
