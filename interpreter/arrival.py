"""Where in a run a call arrives: it begins one, goes on, repeats a step, or leaves from an earlier one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..faults import Code, Fault
from .choices import did_you_mean, listed
from .model import END
from .record import Run, Step

if TYPE_CHECKING:
    from .call import Call
    from .definition import Definition

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No letter that is taken for another when a person copies it."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """The run as it was before the step, and how it goes on.

    Attributes:
        phase: the phase's own name.
        run: the history that the step stands on.
        kept: whether that run is in the journal already.
        repeated: the step that this call made before; its response is given again.
    """

    phase: str
    run: Run
    kept: bool
    repeated: Step | None = None


def new_run_id() -> str:
    """Eight letters and digits, 40 bits of chance."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


def phase_of(definition: Definition, name: str) -> str:
    """The phase behind a name or an alias.

    Raises:
        Fault: NOT_FOUND, with the names there are.
    """
    names = definition.workflow.names()
    if name in names:
        return names[name]
    shown = name[:80]
    raise Fault(
        Code.NOT_FOUND,
        f'workflow "{definition.workflow.name}" has no phase "{shown}"',
        help=did_you_mean(name[:80], names) or f"there are {listed(definition.workflow.phases)}",
        details={"phase": shown, "phases": list(definition.workflow.phases)},
    )


def arrive(call: Call, definition: Definition, run: Run | None, *, kept: bool) -> Arrival:
    """Where the call stands in `run`, or at the beginning of a new one when it names none.

    Raises:
        Fault: NOT_FOUND for an unknown phase; CONFLICT out of turn or after the definition changed; INVALID_INPUT for
            an answer without a run.
    """
    phase = phase_of(definition, call.phase)
    if run is None:
        return _begin(call, definition, phase, kept=kept)
    if run.digest != definition.digest:
        raise Fault(
            Code.CONFLICT,
            f'run "{run.run}" began with another edition of workflow "{run.workflow}"; the file has changed since',
            help=f"begin a new run with phase={definition.workflow.start!r}",
            details={"began_with": run.digest[:12], "now": definition.digest[:12]},
        )
    return _by_step(call, phase, run) if call.step is not None else _by_turn(call, phase, run)


def _begin(call: Call, definition: Definition, phase: str, *, kept: bool) -> Arrival:
    if call.answer:
        raise Fault(
            Code.INVALID_INPUT,
            "an answer belongs to a run, and this call names none",
            help=f'pass the run too, or hand the inputs of "{phase}" over by name',
        )
    if call.step not in (None, 1):
        raise Fault(Code.INVALID_INPUT, f"step {call.step} belongs to a run, and this call names none")
    flow = definition.workflow
    return Arrival(phase, Run(new_run_id() if kept else "", flow.name, flow.version, definition.digest), kept=False)


def _by_turn(call: Call, phase: str, run: Run) -> Arrival:
    key = call.key(phase)
    last = run.last
    if last is not None and (last.phase, last.key) == (phase, key) and last.status == "complete":
        return Arrival(phase, run, kept=True, repeated=last)
    if run.expected == phase:
        return Arrival(phase, run, kept=True)
    before = [step for step in run.steps if step.phase == phase]
    for step in reversed(before):
        if step.key == key and step.status == "complete":
            return Arrival(phase, run, kept=True, repeated=step)
    if before:
        return _fork(phase, run, before[-1].seq)
    raise _out_of_turn(call, run)


def _by_step(call: Call, phase: str, run: Run) -> Arrival:
    number = int(call.step or 0)
    if number == len(run.steps) + 1 and run.expected == phase:
        return Arrival(phase, run, kept=True)
    if 1 <= number <= len(run.steps) and run.steps[number - 1].phase == phase:
        step = run.steps[number - 1]
        if step.key == call.key(phase) and step.status == "complete":
            return Arrival(phase, run, kept=True, repeated=step)
        return _fork(phase, run, number)
    raise _out_of_turn(call, run)


def _fork(phase: str, run: Run, seq: int) -> Arrival:
    """A new run with the steps before `seq`; the old one stays as it is."""
    left = replace(run.until(seq), run=new_run_id(), forked_from=f"{run.run}:{seq}")
    return Arrival(phase, left, kept=False)


def _out_of_turn(call: Call, run: Run) -> Fault:
    token = run.last.edge.token if run.last and run.last.edge else None
    place = f" at step {call.step}" if call.step is not None else ""
    been = list(dict.fromkeys(step.phase for step in run.steps))
    if token is None or token == END:
        what = "has failed" if token is None else "has ended"
        coming = f"it {what}, so nothing comes after it"
    else:
        coming = f'"{token}" may come'
    return Fault(
        Code.CONFLICT,
        f'phase "{call.phase[:80]}" is out of turn in run "{run.run}"{place}; {coming}',
        help=f"call {_what(token)}; going back to {listed(been)} with other inputs begins a fork",
        details={"expected": token, "step": len(run.steps) + 1, "may_go_back_to": been},
    )


def _what(token: str | None) -> str:
    return f"phase={token!r}" if token not in (None, END) else "a new run"
