"""The journal of runs: every call is one transaction, durable once it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory.model import RunRow, StepRow, decode_json, encode_json, get_timestamp
from aurora.memory.sqlite.tables import RunHead, RunStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.sqlite import Store


class Journal:
    """Runs and their steps in the store; implements `memory.model_runs.Journalled`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(
        self, run: str, workflow: str, document: Mapping[str, Any], steps: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        """Begin run `run` with these first steps, `(phase, document)`, numbered from 1.

        Raises:
            Fault: CONFLICT when the id is taken; INVALID_INPUT when a document is not JSON.
        """
        at = get_timestamp()
        rows = [RunStep(seq, phase, at, encode_json(step)) for seq, (phase, step) in enumerate(steps, 1)]
        head = RunHead(run, workflow, at, at, encode_json(document))
        with self._store.begin_write() as db:
            if not db.runs.insert(head):
                raise Fault(
                    Code.CONFLICT,
                    f'run "{run}" exists already',
                    help="leave `run` out to begin a new one",
                    details={"run": run},
                )
            db.runs.add_steps(run, rows)

    def append(self, run: str, seq: int, phase: str, document: Mapping[str, Any], head: Mapping[str, Any]) -> None:
        """Add step `seq` and replace the run's document by `head`.

        Raises:
            Fault: CONFLICT when that seq exists already, NOT_FOUND when the run does not; INVALID_INPUT when a
                document is not JSON. Nothing is changed then.
        """
        at = get_timestamp()
        step, whole = RunStep(seq, phase, at, encode_json(document)), encode_json(head)
        with self._store.begin_write() as db:
            if not db.runs.update_document(run, at, whole):
                raise Fault(
                    Code.NOT_FOUND,
                    f'there is no run "{run}"',
                    help="`aur runs list` shows those that exist",
                    details={"run": run},
                )
            if not db.runs.add_step(run, step):
                raise Fault(
                    Code.CONFLICT,
                    f'step {seq} of run "{run}" exists already',
                    help="another call went first; ask for the run again and go on from where it stands",
                    details={"run": run, "seq": seq},
                )

    def head(self, run: str) -> RunRow | None:
        """The run, or None."""
        with self._store.begin_read() as db:
            found = db.runs.get_head(run)
        return _to_run_row(*found) if found else None

    def steps(self, run: str) -> tuple[StepRow, ...]:
        """Its steps in order; none for a run that does not exist."""
        with self._store.begin_read() as db:
            steps = db.runs.list_steps(run)
        return tuple(StepRow(run, seq, phase, at, decode_json(text)) for seq, phase, at, text in steps)

    def runs(self, limit: int, offset: int = 0, workflow: str | None = None) -> tuple[RunRow, ...]:
        """The newest runs first; only those of `workflow` when it is named."""
        with self._store.begin_read() as db:
            found = db.runs.list_newest(max(limit, 0), max(offset, 0), workflow)
        return tuple(_to_run_row(*each) for each in found)


def _to_run_row(head: RunHead, steps: int) -> RunRow:
    return RunRow(head.run, head.workflow, head.created_at, head.updated_at, steps, decode_json(head.document))
