"""Gates: what a call may not do in a workflow that asks a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

from .frames import MAX_DEPTH

if TYPE_CHECKING:
    from aurora.interpreter.language import Definition

    from .frames import LoadDefinition
    from .journal import Run


def reject_late_start(definition: Definition, phase: str, load: LoadDefinition) -> None:
    """Reject a run that begins after the start of a workflow that asks a person: it could begin behind the question.

    Args:
        definition: the workflow of the run.
        phase: the phase that the run would begin with.
        load: returns a workflow by its name.

    Raises:
        Fault: FORBIDDEN.
    """
    flow = definition.workflow
    start = flow.map_phase_names()[flow.start]
    if phase != start and _asks_person(definition, load, MAX_DEPTH):
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


def _asks_person(definition: Definition, load: LoadDefinition, depth: int) -> bool:
    phases = definition.workflow.phases.values()
    if any(phase.person is not None for phase in phases):
        return True
    inner = {phase.workflow for phase in phases if phase.workflow is not None}
    return depth > 0 and any(_asks_person(load(name), load, depth - 1) for name in sorted(inner))
