"""Runs and steps from the journal's rows.

One that another program wrote may lack fields, or have unknown ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.interpreter.run.journal import Run
from aurora.interpreter.run.step import Step

if TYPE_CHECKING:
    from aurora.memory import RunRow, StepRow


def read_recorded_step(row: StepRow) -> Step:
    """Read a step from its row.

    Raises:
        Fault: UPSTREAM_ERROR for a record that is not complete.
    """
    try:
        step = Step.from_json(row.document)
    except (KeyError, TypeError) as error:  # of the constructor: the journal has checked the types
        raise _make_record_fault(row.run, f"step {row.seq}: {error}") from error
    for entry in step.decision:
        if isinstance(entry.get("rule"), int) and not {"then", "fired"} <= entry.keys():
            raise _make_record_fault(row.run, f"step {row.seq}: a rule has no outcome")
    return step


def read_recorded_run(row: RunRow, steps: tuple[Step, ...]) -> Run:
    """Read a run from its row and its steps.

    Raises:
        Fault: UPSTREAM_ERROR for a record that is not complete.
    """
    try:
        return Run.from_head({**row.document, "run": row.run}, steps)
    except KeyError as error:
        raise _make_record_fault(row.run, f"it has no {error}") from error


def _make_record_fault(run: str, reason: str) -> Fault:
    return Fault(
        Code.UPSTREAM_ERROR,
        f'run "{run}" can be neither continued nor explained: no Aurora of this version wrote its record ({reason})',
        help="begin a new run; `aur runs show` shows what this one did",
        details={"run": run},
    )
