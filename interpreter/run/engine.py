"""The machine: one call, one phase, one step in the journal, one answer."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.schema.validate import too_much

from . import response as reply
from . import scope
from .execute import Asked, ask, run_tool
from .inputs import Refusal, skips_answer, take_answer, take_inputs
from .journal import Edge, Run, Step
from .position import Arrival, arrive, new_run_id
from .rules import decide
from .tool_fingerprint import tooling
from .truncate import fitted

if TYPE_CHECKING:
    from aurora.interpreter.language.definition import Definition

    from .call import Call
    from .ports import Clock, Journal, Toolbox, Workflows

log = logging.getLogger("aurora.engine")

MENDABLE = frozenset({Code.INVALID_INPUT, Code.NOT_FOUND, Code.CONFLICT})
"""A tool that fails with one of these over what the caller brought is asked again; any other failure is the phase's."""

KEEP_TRIES = 3
"""How often a new run may draw an id that is taken before that is an error; one clash in 2^40 is expected."""


@dataclass(slots=True)
class _Moment:
    """How far one call has come, so that a refusal can say how to go on from there."""

    call: Call
    definition: Definition | None = None
    run: Run | None = None
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the work of a phase gave: a result, prompts, an edge; or the fault that `on_error` takes on."""

    result: Any
    asked: Asked | None
    edge: Edge
    trace: tuple[dict[str, Any], ...] = ()
    fault: Fault | None = None


class _Overtaken(Exception):  # noqa: N818 - it says what happened
    """Another call took the step that this one was about to keep; nothing was kept of this one."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def _with_what_was_said(call: Call, arrival: Arrival) -> Call:
    """The call that leaves a run at an earlier step: what was said for that step and is not said anew still holds."""
    old = arrival.instead
    if old is None:
        return call
    return replace(call, inputs={**old.given, **call.inputs}, answer=call.answer if call.answers else old.brought)


class Engine:
    """Runs one phase per call.

    Args:
        catalog: the workflows.
        tools: what phases may use.
        journal: where runs are kept; None keeps nothing, and every call must bring all its inputs.
        clock: the time.
        default: the workflow that a call means when it names neither a workflow nor a run.
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
        """The response to the call; a failure is a response too, with `status: error`. Never raises."""
        started = self._clock.elapsed()
        moment = _Moment(call)
        try:
            return self._in_order(moment, started)
        except Fault as fault:
            failure = fault
        except Exception as error:
            log.exception("the engine failed in phase %r", moment.phase or call.phase)
            failure = Fault(
                Code.INTERNAL_ERROR, f"Aurora itself failed ({type(error).__name__}); the run has not moved"
            )
        response = reply.refused(call, failure, moment.definition, moment.run, moment.phase)
        return fitted(self._timed(response, started))

    def refuse(self, call: Call, fault: Fault) -> dict[str, Any]:
        """The response to a call that could not even be read."""
        moment = _Moment(call)
        try:
            moment.definition = self._catalog.load(call.workflow or self._default)
        except Fault:
            moment.definition = None
        return fitted(reply.refused(call, fault, moment.definition, None, None))

    def _in_order(self, moment: _Moment, started: float, tries: int = KEEP_TRIES) -> dict[str, Any]:
        """The response as if no other call had been under way: one that was overtaken comes after the other."""
        try:
            return self._take(moment, started)
        except _Overtaken as late:
            if tries == 1:
                raise late.fault from None
        return self._in_order(moment, started, tries - 1)

    def _take(self, moment: _Moment, started: float) -> dict[str, Any]:
        call = moment.call
        run = self._find(moment)
        definition = self._definition(moment, run)
        self._guard(call)  # before anything looks into the values: what is too deep ends recursion anywhere
        arrival = arrive(call, definition, run, kept=self._journal is not None)
        if arrival.instead is not None:
            arrival = self._forked(arrival)
            call = _with_what_was_said(call, arrival)
        if arrival.repeated is not None:
            return dict(arrival.repeated.response)
        moment.phase = arrival.phase
        moment.run = arrival.run if arrival.run.steps else run
        return self._perform(call, definition, arrival, started)

    def _forked(self, arrival: Arrival) -> Arrival:
        """The fork as the journal has it already, when this very call made it before."""
        made = self._journal.load(arrival.run.run) if self._journal else None
        if made is None:
            return arrival
        seq = len(arrival.run.steps) + 1
        step = made.steps[seq - 1] if len(made.steps) >= seq else None
        if step is not None and step.phase == arrival.phase and step.status == "complete":
            return replace(arrival, repeated=step)
        return replace(arrival, run=replace(arrival.run, run=new_run_id()))

    def _find(self, moment: _Moment) -> Run | None:
        call = moment.call
        if call.run is None:
            return None
        if self._journal is None:
            raise Fault(
                Code.FORBIDDEN,
                "runs are not kept in read-only mode",
                help="call without `run`, and hand over the inputs that next_call names",
            )
        run = self._journal.load(call.run)
        if run is None:
            moment.definition = self._catalog.load(call.workflow or self._default)
            message = f'there is no run "{call.run[:40]}" in this project'
            raise Fault(Code.NOT_FOUND, message, help="begin one with the first phase; `aur runs list` shows the runs")
        moment.run = run
        return run

    def _definition(self, moment: _Moment, run: Run | None) -> Definition:
        call = moment.call
        name = call.workflow or (run.workflow if run else self._default)
        moment.definition = definition = self._catalog.load(run.workflow if run else name)
        if run is not None and name != run.workflow:
            message = f'run "{run.run}" is a run of workflow "{run.workflow}", not of "{name[:40]}"'
            raise Fault(Code.CONFLICT, message, help="leave `workflow` out: a run knows its own")
        return definition

    def _perform(self, call: Call, definition: Definition, arrival: Arrival, started: float) -> dict[str, Any]:
        run, phase = arrival.run, arrival.phase
        before = run.last
        refusal = Refusal()
        skipped = before is not None and before.awaits_answer and skips_answer(call, definition, phase, before)
        brought = () if skipped and not call.answers else take_answer(call, definition, before, refusal)
        recalled = scope.recall(run, definition.workflow.phases, brought)
        inputs = take_inputs(call, definition, phase, recalled, refusal)
        if refusal.faults:
            raise refusal.fault(phase)
        outcome = self._work(call, definition, run, phase, (inputs, recalled))
        asked = outcome.asked
        step = Step(
            seq=len(run.steps) + 1,
            phase=phase,
            key=call.key(phase),
            given=dict(call.inputs),
            inputs=inputs,
            brought=brought,
            result=outcome.result,
            asks=None if asked is None else 0 if asked.single else len(asked.prompts),
            status="error" if outcome.fault else "complete",
            edge=outcome.edge,
            decision=outcome.trace,
            at=self._clock.now(),
            fingerprint=definition.fingerprint(phase),
            tool=tooling(definition.workflow.phases[phase]),
        )
        return self._keep(call, definition, arrival, (step, outcome), started)

    @staticmethod
    def _guard(call: Call) -> None:
        for name, value in (("answer", list(call.answer)), ("inputs", dict(call.inputs))):
            reason = too_much(value)
            if reason:
                raise Fault(
                    Code.INVALID_INPUT,
                    f"the {name} of this call cannot be taken: {reason}",
                    help="send less; point to chunks by id instead of copying them",
                    details={"arguments": ["answer"] if name == "answer" else sorted(call.inputs)[:20]},
                )

    def _work(
        self, call: Call, definition: Definition, run: Run, phase: str, seen: tuple[dict[str, Any], dict[str, Any]]
    ) -> _Outcome:
        inputs, recalled = seen
        result: Any = None
        try:
            result = run_tool(self._tools, call, definition, phase, inputs)
            asked = ask(definition, phase, inputs, result, recalled)
            decision = decide(definition.workflow, phase, scope.decide(inputs, result, recalled), run)
        except Fault as fault:
            brought = bool(call.inputs or call.answers)
            target = definition.workflow.failing_leads_to(phase)
            if (fault.code in MENDABLE and brought) or target is None:
                raise
            trace = ({"rule": "on_error", "then": target, "fired": True},)
            return _Outcome(result, None, Edge(target, target, None), trace, fault)
        return _Outcome(result, asked, decision.edge, decision.trace)

    def _keep(
        self, call: Call, definition: Definition, arrival: Arrival, done: tuple[Step, _Outcome], started: float
    ) -> dict[str, Any]:
        step, outcome = done
        run = arrival.run
        for attempt in range(KEEP_TRIES):
            after = run.with_step(step)
            response = reply.complete(definition, after, outcome.asked, outcome.fault, call.request_id)
            response = fitted(self._timed(response, started))
            if self._journal is None:
                return response
            kept = replace(step, response=response)
            try:
                if arrival.kept:
                    self._journal.append(run, kept)
                else:
                    self._journal.begin(run.with_step(kept))
            except Fault as fault:
                if fault.code is not Code.CONFLICT or attempt == KEEP_TRIES - 1:
                    raise
                if arrival.kept or arrival.instead is not None:
                    raise _Overtaken(fault) from None
                run = replace(run, run=new_run_id())
                continue
            return response
        raise Fault(Code.INTERNAL_ERROR, "no free run id was found")

    def _timed(self, response: dict[str, Any], started: float) -> dict[str, Any]:
        spent = round((self._clock.elapsed() - started) * 1000, 1)
        return {**response, "metadata": {**response["metadata"], "duration_ms": spent}}
