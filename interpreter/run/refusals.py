"""Refusals: a bound on refused answers, and calls that would get around a question to the person."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault

from .frames import collect_definitions
from .rules import decides_by_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase

    from .frames import LoadDefinition
    from .journal import Run

MAX_REFUSALS = 10
"""Refused calls at one step of a run; with the last one, a wrong answer makes the phase fail."""
_MAX_RUNS = 1000
_COUNTED = (Code.INVALID_INPUT, Code.WORKFLOW_ERROR)
"""Faults that the next call may have again; others pass, as that of a tool, or say what to do."""


class RefusalCounter:
    """Counter of the refused calls of each run, in this process."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def is_last(self, run: Run, fault: Fault) -> bool:
        """Count a refused call; return True for the last wrong answer."""
        if not run.run or fault.code not in _COUNTED:
            return False
        before, count = self._counts.pop(run.run, (0, 0))
        # Another step means that the run has gone on since.
        count = count + 1 if before == len(run.steps) else 1
        self._counts[run.run] = (len(run.steps), count)
        # The counts of a server that runs for weeks; the oldest run that was refused is forgotten.
        if len(self._counts) > _MAX_RUNS:
            self._counts.popitem(last=False)
        return count >= MAX_REFUSALS and "answer" in fault.details.get("arguments", ())

    def explain(self, run: Run, fault: Fault) -> Fault:
        """Return the fault; after too many, one that tells the host to stop."""
        seen, count = self._counts.get(run.run, (0, 0))
        if count < MAX_REFUSALS or seen != len(run.steps):
            return fault
        what = "answers to this prompt" if "answer" in fault.details.get("arguments", ()) else "calls at this step"
        return Fault(
            fault.code,
            f"{fault.message}; {count} {what} were refused",
            help="stop here, and show the person this message",
            details={**fault.details, "refused": count},
        )

    def forget(self, run: Run) -> None:
        """Forget the refused calls of a run."""
        self._counts.pop(run.run, None)


def find_gates(definition: Definition, load: LoadDefinition) -> frozenset[str]:
    """Find the phases that ask the person, themselves or in their workflow.

    Args:
        definition: the workflow.
        load: returns a workflow by its name.
    """
    inner = definition.remember("inner", "", lambda: _join(definition, lambda spec: spec.workflow is not None)).split()
    phases = definition.workflow.phases
    return find_own_gates(definition).union(name for name in inner if _runs_gate(phases[name], load))


def find_own_gates(definition: Definition) -> frozenset[str]:
    """Find the phases of a workflow that ask the person themselves."""
    return frozenset(
        definition.remember("gates", "", lambda: _join(definition, lambda spec: spec.person is not None)).split()
    )


def _join(definition: Definition, is_meant: Callable[[Phase], bool]) -> str:
    return " ".join(name for name, spec in definition.workflow.phases.items() if is_meant(spec))


def _runs_gate(spec: Phase, load: LoadDefinition) -> bool:
    try:
        return _asks_person(load(str(spec.workflow)), load)
    except Fault:
        return True  # one that cannot be read now; no caller may give its result


def reject_late_start(definition: Definition, phase: str, load: LoadDefinition) -> None:
    """Reject a run that begins behind the question to the person.

    In a workflow that asks a person, a run begins at the start.

    Args:
        definition: the workflow of the run.
        phase: the phase that the run would begin with.
        load: returns a workflow by its name.

    Raises:
        Fault: FORBIDDEN.
    """
    flow = definition.workflow
    start = flow.map_phase_names()[flow.start]
    # A run without a past may begin anywhere with the inputs given, and so behind the question.
    if phase != start and _asks_person(definition, load):
        message = f'a run of workflow "{flow.name}" begins with phase "{start}", because it asks the person'
        raise Fault(Code.FORBIDDEN, message, help=f'begin a run with phase "{start}"')


def reject_late_reply(run: Run, *, is_fork: bool) -> None:
    """Reject a person's reply to a question that has been answered meanwhile.

    Raises:
        Fault: CONFLICT.
    """
    last = run.last_step
    if is_fork or last is None or last.status != "waiting":
        message = f'the question of run "{run.run}" has been answered already'
        raise Fault(Code.CONFLICT, message, help=f"`aur runs show {run.run}` shows who answered, and how")


def reject_without_run(spec: Phase, phase: str) -> None:
    """Reject a phase that only a stored run can go on from.

    Raises:
        Fault: FORBIDDEN.
    """
    reasons = {
        "asks the person": spec.person is not None,
        "runs a workflow": spec.workflow is not None,
        "decides by its answer": decides_by_answer(spec),
    }
    reason = next((reason for reason, is_true in reasons.items() if is_true), None)
    if reason is not None:
        message = f'phase "{phase}" {reason}, which needs a run, and none is kept in read-only mode'
        help_ = "a person starts the server, or the command, without --read-only and without READ_ONLY"
        raise Fault(Code.FORBIDDEN, message, help=help_)


def _asks_person(definition: Definition, load: LoadDefinition) -> bool:
    every = [definition, *collect_definitions(definition, load).values()]
    return any(phase.person is not None for one in every for phase in one.workflow.phases.values())
