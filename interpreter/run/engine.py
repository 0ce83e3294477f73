"""The engine: one call runs one phase, and those that need nobody, and returns one response."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.interpreter.language.model import CONTINUE
from aurora.interpreter.schema.json_values import find_excess

from .call import CallState
from .frames import find_frame
from .journal import ROUNDS
from .next_call import add_budget, fit_response, is_over_budget, truncate_response
from .position import RunPosition, generate_run_id, locate_call
from .refusals import RefusalCounter, reject_late_reply, reject_late_start
from .response import ResponseBuilder, build_refusal
from .walk import Walk
from .work import WalkPorts

if TYPE_CHECKING:
    from aurora.interpreter.language.definition import Definition

    from .call import Call
    from .journal import Run
    from .ports import Clock, Journal, Surroundings, Toolbox, Workflows

log = logging.getLogger("aurora.engine")

MAX_APPEND_ATTEMPTS = 3
"""Attempts to find a free run id, or to append after another call; one id clash in 2^40 is expected."""


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


def _repeat_response(position: RunPosition) -> dict[str, Any]:
    """Return the response of an earlier call again."""
    step = position.replayed_step
    if step is None or not step.response:
        message = f'phase "{position.phase}" has run already, within another call'
        raise Fault(Code.CONFLICT, message, help="call `continue` to go on with the run")
    return dict(step.response)


class Engine:
    """The engine, which runs the phases of a call.

    Args:
        catalog: the workflows.
        tools: what phases may use.
        journal: the storage of runs; None stores nothing, and every call must pass all its inputs.
        clock: the time.
        default: the workflow of a call that names neither a workflow nor a run.
        surroundings: facts about the project; None has none.
        simulates: each call makes one step, and workflows within workflows do not run.
        walked: the phases whose workflow runs in a simulation, too, by their full names.
    """

    def __init__(  # noqa: PLR0913 - the ports of the engine
        self,
        catalog: Workflows,
        tools: Toolbox,
        journal: Journal | None,
        clock: Clock,
        *,
        default: str,
        surroundings: Surroundings | None = None,
        simulates: bool = False,
        walked: frozenset[str] = frozenset(),
    ) -> None:
        self._default = default
        self._catalog = catalog
        self._journal = journal
        self._clock = clock
        self._ports = WalkPorts(catalog, tools, clock, surroundings, simulates, walked)
        self._refusals = RefusalCounter()

    def step(self, call: Call) -> dict[str, Any]:
        """Run one step and return its response; a failure has `status: error`."""
        started = self._clock.elapsed()
        moment = CallState(call)
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
        # A refusal is a response like any other: hosts hide errors that do not fit the tool's `outputSchema`.
        response = build_refusal(moment, failure, self._catalog.load)
        if moment.run is not None and is_over_budget(moment.run.tokens, moment.run.budget):
            response = add_budget(response, moment.run.tokens, moment.run.budget)
        return truncate_response(self._add_duration(response, started))

    def refuse(self, call: Call, fault: Fault, *, reads: bool = True) -> dict[str, Any]:
        """Return the response to a call that cannot be parsed; a call of a run tells how to go on with it.

        Args:
            call: what is known of the call.
            fault: why it is refused.
            reads: read the run, for its place; without it `progress` is empty.
        """
        moment = CallState(call)
        if reads:
            try:
                moment.definition = self._load_definition(moment, self._load_run(moment))
            except Fault:
                moment.definition = moment.definition if moment.run is None else None
        return truncate_response(build_refusal(moment, fault, self._catalog.load))

    def _step_with_retry(self, moment: CallState, started: float, tries: int = MAX_APPEND_ATTEMPTS) -> dict[str, Any]:
        """Run the call again after a concurrent one that appended its step first."""
        try:
            return self._execute_call(moment, started)
        except _ConcurrentAppendError as late:
            if tries == 1:
                raise late.fault from None
        return self._step_with_retry(moment, started, tries - 1)

    def _execute_call(self, moment: CallState, started: float) -> dict[str, Any]:
        call = moment.call
        run = self._load_run(moment)
        definition = self._load_definition(moment, run)
        self._reject_oversized(call)  # first, because a value that is too deep ends any recursion
        if not call.phase:
            # Only now is the workflow known, and with it the phase that begins it.
            call = moment.call = replace(call, phase=CONTINUE if run else definition.workflow.start)
        position = locate_call(call, definition, run, self._catalog.load, kept=self._journal is not None)
        if run is None:
            reject_late_start(definition, position.phase, self._catalog.load)
        if position.replaced_step is not None:
            position = self._reuse_fork(position)
            call = _merge_recorded_inputs(call, position)
        if position.replayed_step is not None:
            return _repeat_response(position)
        if call.person is not None:
            reject_late_reply(run or position.run, is_fork=position.replaced_step is not None)
        moment.phase = position.phase
        moment.step = len(position.run.steps) + 1
        if position.run.steps:  # a fork is not stored before it succeeds: the run that the call names can go on
            moment.run = replace(position.run, run=run.run) if run is not None else position.run
        return self._walk(call, definition, position, started)

    def _reuse_fork(self, position: RunPosition) -> RunPosition:
        """Return the stored fork when this call created it before."""
        stored = self._journal.load(position.run.run) if self._journal else None
        if stored is None:
            return position
        seq = len(position.run.steps) + 1
        step = stored.steps[seq - 1] if len(stored.steps) >= seq else None
        if step is not None and step.phase == position.phase and step.status != "error":
            return replace(position, replayed_step=step)
        # The id that the call makes is taken, by a fork that failed or goes on from another phase.
        return replace(position, run=replace(position.run, run=generate_run_id()))

    def _load_run(self, moment: CallState) -> Run | None:
        call = moment.call
        if call.run is None:
            return None
        if self._journal is None and call.run.startswith(ROUNDS):
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
        moment.run, moment.waiting = run, run if run.status == "waiting" else None
        return run

    def _load_definition(self, moment: CallState, run: Run | None) -> Definition:
        call = moment.call
        name = call.workflow or (run.workflow if run else self._default)
        moment.definition = definition = self._catalog.load(run.workflow if run else name)
        if run is not None and name != run.workflow:
            message = f'run "{run.run}" is a run of workflow "{run.workflow}", not of "{name[:40]}"'
            raise Fault(Code.CONFLICT, message, help="leave `workflow` out: a run knows its own")
        return definition

    def _walk(self, call: Call, definition: Definition, position: RunPosition, started: float) -> dict[str, Any]:
        """Run the phases of the call, and store its steps."""
        walk = Walk(self._ports, call, definition, position.run, self._journal is not None)
        try:
            walk.run_call(position.phase)
        except Fault as fault:
            # A new walk: the refused one may have made steps, of which none is kept.
            walk = Walk(self._ports, call, definition, position.run, self._journal is not None)
            if not self._refusals.is_last(position.run, fault) or not walk.fail_answer(fault):
                raise self._refusals.explain(position.run, fault) from None
        self._refusals.forget(position.run)
        return self._store(walk, position, started)

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

    def _store(self, walk: Walk, position: RunPosition, started: float) -> dict[str, Any]:
        run = position.run
        for attempt in range(MAX_APPEND_ATTEMPTS):
            extended = replace(walk.run, run=run.run)
            builder = ResponseBuilder(
                walk.definition, extended, find_frame(extended, walk.definition, self._catalog.load)
            )
            response, tokens = fit_response(
                self._add_duration(builder.build(walk), started), extended.tokens, extended.budget
            )
            if self._journal is None:
                return response
            # The first step has the response: a repeated call finds it by the key of that step.
            stored = (replace(walk.steps[0], response=response, tokens=tokens), *walk.steps[1:])
            try:
                if position.is_stored:
                    self._journal.append(run, stored)
                else:
                    self._journal.begin(run.with_steps(stored))
            except Fault as fault:
                if fault.code is not Code.CONFLICT or attempt == MAX_APPEND_ATTEMPTS - 1:
                    raise
                # The call is handled as if it had come after the other one; a new run only needs another id.
                if position.is_stored or position.replaced_step is not None:
                    raise _ConcurrentAppendError(fault) from None
                run = replace(run, run=generate_run_id())
                continue
            return response
        raise Fault(Code.INTERNAL_ERROR, "no free run id was found")

    def _add_duration(self, response: dict[str, Any], started: float) -> dict[str, Any]:
        spent = round((self._clock.elapsed() - started) * 1000, 1)
        return {**response, "metadata": {**response["metadata"], "duration_ms": spent}}
