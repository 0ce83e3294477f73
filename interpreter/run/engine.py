"""The engine: one call runs one phase, appends one step and returns one response."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.schema import find_excess

from . import scope
from .execute import RenderedPrompts, render_prompts, run_tool
from .inputs import InputFaults, is_answer_skipped, resolve_answer, resolve_inputs
from .journal import Edge, Run, Step
from .position import RunPosition, generate_run_id, locate_call
from .response import build_refusal, build_response
from .rules import decide_next
from .tool_fingerprint import fingerprint_tool
from .truncate import truncate_response

if TYPE_CHECKING:
    from aurora.interpreter.language import Definition

    from .call import Call
    from .ports import Clock, Journal, Toolbox, Workflows

log = logging.getLogger("aurora.engine")

CORRECTABLE_CODES = frozenset({Code.INVALID_INPUT, Code.NOT_FOUND, Code.CONFLICT})
"""Failures of a tool that the caller can correct if it passed inputs; other failures are the phase's."""

MAX_APPEND_ATTEMPTS = 3
"""Attempts to find a free run id, or to append after another call; one id clash in 2^40 is expected."""


@dataclass(slots=True)
class _CallState:
    """State of one call, from which a refusal tells how to continue."""

    call: Call
    definition: Definition | None = None
    run: Run | None = None
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class _PhaseOutcome:
    """The result, prompts and edge of a phase, or the fault for `on_error`."""

    result: Any
    prompts: RenderedPrompts | None
    edge: Edge
    trace: tuple[dict[str, Any], ...] = ()
    fault: Fault | None = None


class _ConcurrentAppendError(Exception):
    """Another call appended the step first; nothing of this call was stored."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def _merge_recorded_inputs(call: Call, position: RunPosition) -> Call:
    """Fill a fork's call with the recorded inputs and answer that it does not replace."""
    replaced = position.replaced_step
    if replaced is None:
        return call
    return replace(
        call, inputs={**replaced.given, **call.inputs}, answer=call.answer if call.has_answer else replaced.brought
    )


class Engine:
    """The engine, which runs one phase per call.

    Args:
        catalog: the workflows.
        tools: what phases may use.
        journal: the storage of runs; None stores nothing, and every call must pass all its inputs.
        clock: the time.
        default: the workflow of a call that names neither a workflow nor a run.
    """

    def __init__(
        self, catalog: Workflows, tools: Toolbox, journal: Journal | None, clock: Clock, *, default: str
    ) -> None:
        self._default = default
        self._catalog = catalog
        self._tools = tools
        self._journal = journal
        self._clock = clock

    def step(self, call: Call) -> dict[str, Any]:
        """Run one step and return its response; a failure has `status: error`."""
        started = self._clock.elapsed()
        moment = _CallState(call)
        try:
            return self._step_with_retry(moment, started)
        except Fault as fault:
            failure = fault
        except Exception as error:
            log.exception("the engine failed in phase %r", moment.phase or call.phase)
            failure = Fault(
                Code.INTERNAL_ERROR,
                f"a bug in Aurora stopped the call ({type(error).__name__}); the run has not changed",
            )
        response = build_refusal(call, failure, moment.definition, moment.run, moment.phase)
        return truncate_response(self._add_duration(response, started))

    def refuse(self, call: Call, fault: Fault) -> dict[str, Any]:
        """Return the response to a call that cannot be parsed."""
        moment = _CallState(call)
        try:
            moment.definition = self._catalog.load(call.workflow or self._default)
        except Fault:
            moment.definition = None
        return truncate_response(build_refusal(call, fault, moment.definition, None, None))

    def _step_with_retry(self, moment: _CallState, started: float, tries: int = MAX_APPEND_ATTEMPTS) -> dict[str, Any]:
        """Run the call again after a concurrent one that appended its step first."""
        try:
            return self._execute_call(moment, started)
        except _ConcurrentAppendError as late:
            if tries == 1:
                raise late.fault from None
        return self._step_with_retry(moment, started, tries - 1)

    def _execute_call(self, moment: _CallState, started: float) -> dict[str, Any]:
        call = moment.call
        run = self._load_run(moment)
        definition = self._load_definition(moment, run)
        self._reject_oversized(call)  # first, because a value that is too deep ends any recursion
        position = locate_call(call, definition, run, kept=self._journal is not None)
        if position.replaced_step is not None:
            position = self._reuse_fork(position)
            call = _merge_recorded_inputs(call, position)
        if position.replayed_step is not None:
            return dict(position.replayed_step.response)
        moment.phase = position.phase
        moment.run = position.run if position.run.steps else run
        return self._perform_phase(call, definition, position, started)

    def _reuse_fork(self, position: RunPosition) -> RunPosition:
        """Return the stored fork when this call created it before."""
        stored = self._journal.load(position.run.run) if self._journal else None
        if stored is None:
            return position
        seq = len(position.run.steps) + 1
        step = stored.steps[seq - 1] if len(stored.steps) >= seq else None
        if step is not None and step.phase == position.phase and step.status == "complete":
            return replace(position, replayed_step=step)
        return replace(position, run=replace(position.run, run=generate_run_id()))

    def _load_run(self, moment: _CallState) -> Run | None:
        call = moment.call
        if call.run is None:
            return None
        if self._journal is None:
            raise Fault(
                Code.FORBIDDEN,
                "runs are not stored in read-only mode",
                help="call without `run`, and pass the inputs that next_call names",
            )
        run = self._journal.load(call.run)
        if run is None:
            moment.definition = self._catalog.load(call.workflow or self._default)
            message = f'there is no run "{call.run[:40]}" in this project'
            raise Fault(Code.NOT_FOUND, message, help="begin one with the first phase; `aur runs list` shows the runs")
        moment.run = run
        return run

    def _load_definition(self, moment: _CallState, run: Run | None) -> Definition:
        call = moment.call
        name = call.workflow or (run.workflow if run else self._default)
        moment.definition = definition = self._catalog.load(run.workflow if run else name)
        if run is not None and name != run.workflow:
            message = f'run "{run.run}" is a run of workflow "{run.workflow}", not of "{name[:40]}"'
            raise Fault(Code.CONFLICT, message, help="leave `workflow` out: a run knows its own")
        return definition

    def _perform_phase(
        self, call: Call, definition: Definition, position: RunPosition, started: float
    ) -> dict[str, Any]:
        run, phase = position.run, position.phase
        before = run.last_step
        refusal = InputFaults()
        skipped = before is not None and before.awaits_answer and is_answer_skipped(call, definition, phase, before)
        brought = () if skipped and not call.has_answer else resolve_answer(call, definition, before, refusal)
        recalled = scope.build_recall_scope(run, definition.workflow.phases, brought)
        inputs = resolve_inputs(call, definition, phase, recalled, refusal)
        if refusal.faults:
            raise refusal.to_fault(phase)
        outcome = self._run_phase(call, definition, run, phase, (inputs, recalled))
        prompts = outcome.prompts
        step = Step(
            seq=len(run.steps) + 1,
            phase=phase,
            key=call.idempotency_key(phase),
            given=dict(call.inputs),
            inputs=inputs,
            brought=brought,
            result=outcome.result,
            asks=None if prompts is None else 0 if prompts.single else len(prompts.prompts),
            status="error" if outcome.fault else "complete",
            edge=outcome.edge,
            decision=outcome.trace,
            at=self._clock.now(),
            fingerprint=definition.fingerprint_phase(phase),
            tool=fingerprint_tool(definition.workflow.phases[phase]),
        )
        return self._store_step(call, definition, position, (step, outcome), started)

    @staticmethod
    def _reject_oversized(call: Call) -> None:
        for name, value in (("answer", list(call.answer)), ("inputs", dict(call.inputs))):
            reason = find_excess(value)
            if reason:
                raise Fault(
                    Code.INVALID_INPUT,
                    f"the {name} of this call is refused: {reason}",
                    help="send less; point to chunks by id instead of copying them",
                    details={"arguments": ["answer"] if name == "answer" else sorted(call.inputs)[:20]},
                )

    def _run_phase(
        self, call: Call, definition: Definition, run: Run, phase: str, seen: tuple[dict[str, Any], dict[str, Any]]
    ) -> _PhaseOutcome:
        inputs, recalled = seen
        result: Any = None
        try:
            result = run_tool(self._tools, call, definition, phase, inputs)
            prompts = render_prompts(definition, phase, inputs, result, recalled)
            decision = decide_next(
                definition.workflow, phase, scope.build_decision_scope(inputs, result, recalled), run
            )
        except Fault as fault:
            brought = bool(call.inputs or call.has_answer)
            target = definition.workflow.find_error_target(phase)
            if (fault.code in CORRECTABLE_CODES and brought) or target is None:
                raise
            trace = ({"rule": "on_error", "then": target, "fired": True},)
            return _PhaseOutcome(result, None, Edge(target, target, None), trace, fault)
        return _PhaseOutcome(result, prompts, decision.edge, decision.trace)

    def _store_step(
        self,
        call: Call,
        definition: Definition,
        position: RunPosition,
        done: tuple[Step, _PhaseOutcome],
        started: float,
    ) -> dict[str, Any]:
        step, outcome = done
        run = position.run
        for attempt in range(MAX_APPEND_ATTEMPTS):
            extended = run.with_step(step)
            response = build_response(definition, extended, outcome.prompts, outcome.fault, call.request_id)
            response = truncate_response(self._add_duration(response, started))
            if self._journal is None:
                return response
            stored = replace(step, response=response)
            try:
                if position.is_stored:
                    self._journal.append(run, stored)
                else:
                    self._journal.begin(run.with_step(stored))
            except Fault as fault:
                if fault.code is not Code.CONFLICT or attempt == MAX_APPEND_ATTEMPTS - 1:
                    raise
                if position.is_stored or position.replaced_step is not None:
                    raise _ConcurrentAppendError(fault) from None
                run = replace(run, run=generate_run_id())
                continue
            return response
        raise Fault(Code.INTERNAL_ERROR, "no free run id was found")

    def _add_duration(self, response: dict[str, Any], started: float) -> dict[str, Any]:
        spent = round((self._clock.elapsed() - started) * 1000, 1)
        return {**response, "metadata": {**response["metadata"], "duration_ms": spent}}
