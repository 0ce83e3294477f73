"""Journal of runs: every call is one durable transaction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.memory.model.json_columns import encode_json, get_timestamp
from aurora.memory.model.runs import DAMAGED, RunHead, RunRow, RunStep, StepRow, read_run_document, read_step_document

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from aurora.memory.storage.store import Store


class Journal:
    """Runs and their steps in the store; implements `RunJournal`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(
        self, run: str, workflow: str, document: Mapping[str, Any], steps: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        """Create run `run` with its first steps, `(phase, document)`, from 1.

        Raises:
            Fault: CONFLICT when the id is taken; INVALID_INPUT when a document is not JSON.
        """
        at = get_timestamp()
        rows = [RunStep(seq, phase, at, encode_json(step)) for seq, (phase, step) in enumerate(steps, 1)]
        head = RunHead(run, workflow, at, at, encode_json(document))
        with self._store.begin_write(run=run) as db:
            if not db.runs.insert(head):
                raise Fault(
                    Code.CONFLICT,
                    f'run "{run}" exists already',
                    help="leave `run` out to start a new one",
                    details={"run": run},
                )
            db.runs.add_steps(run, rows)

    def append(
        self, run: str, seq: int, steps: Sequence[tuple[str, Mapping[str, Any]]], head: Mapping[str, Any]
    ) -> None:
        """Append steps, `(phase, document)`, from number `seq`, and replace the run's document by `head`.

        Raises:
            Fault: CONFLICT when a step of such a number exists already, NOT_FOUND when the run does not; INVALID_INPUT
                when a document is not JSON. Nothing is changed then.
        """
        at = get_timestamp()
        rows = [RunStep(number, phase, at, encode_json(step)) for number, (phase, step) in enumerate(steps, seq)]
        whole = encode_json(head)
        with self._store.begin_write(run=run) as db:
            if not db.runs.update_document(run, at, whole):
                raise Fault(
                    Code.NOT_FOUND,
                    f'there is no run "{run}"',
                    help="`aur runs list` shows the runs",
                    details={"run": run},
                )
            # The fault rolls back the whole transaction, with the document that was just written.
            if not all(db.runs.add_step(run, row) for row in rows):
                raise Fault(
                    Code.CONFLICT,
                    f'step {seq} of run "{run}" exists already',
                    help="another call was first; request the run again and continue from its current step",
                    details={"run": run, "seq": seq},
                )

    def head(self, run: str) -> RunRow | None:
        """Return the run, or None.

        Raises:
            Fault: UPSTREAM_ERROR for a damaged run.
        """
        with self._store.begin_read() as db:
            found = db.runs.get_head(run)
        row = _to_run_row(*found) if found else None
        if row is not None and row.damage:
            raise _make_damage_fault(run, f'run "{run}" is damaged: {row.damage}')
        return row

    def steps(self, run: str, first: int = 1) -> tuple[StepRow, ...]:
        """Return the steps in order, from number `first`; none for an unknown run.

        Raises:
            Fault: UPSTREAM_ERROR for a damaged step.
        """
        with self._store.begin_read() as db:
            steps = db.runs.list_steps(run, first)
        rows = []
        for step in steps:
            row, wrong = _to_step_row(run, step)
            if wrong:
                raise _make_damage_fault(run, f'step {step.seq} of run "{run}" is damaged: {wrong}')
            rows.append(row)
        return tuple(rows)

    def runs(
        self,
        limit: int,
        offset: int = 0,
        workflow: str | None = None,
        *,
        status: str | Collection[str] | None = None,
        text: str | None = None,
    ) -> tuple[RunRow, ...]:
        """Return the newest runs first: all, or of a `workflow`, in one of some states, or with a text.

        A damaged run is among them, without its document; `status` is that of its document.
        """
        states = (status,) if isinstance(status, str) else tuple(status or ())
        with self._store.begin_read() as db:
            found = db.runs.list_newest(max(limit, 0), max(offset, 0), workflow, states, text)
        return tuple(_to_run_row(*row) for row in found)

    def first_steps(self, runs: Collection[str]) -> dict[str, StepRow]:
        """Map each existing run to its first step, unless that is damaged."""
        with self._store.begin_read() as db:
            found = db.runs.list_first_steps(runs)
        rows = {run: _to_step_row(run, step) for run, step in found.items()}
        return {run: row for run, (row, wrong) in rows.items() if not wrong}

    def count_states(self) -> dict[str, int]:
        """Count the runs of each state."""
        with self._store.begin_read() as db:
            return db.runs.count_states()

    def latest_change(self) -> tuple[int, str]:
        """Return the number of the runs, and the time of the latest change of one; empty without runs."""
        with self._store.begin_read() as db:
            return db.runs.get_latest_change()

    def remove(self, rows: Iterable[RunRow]) -> int:
        """Remove runs with their steps, except those that have continued since; return their number."""
        with self._store.begin_write() as db:
            return db.runs.remove_unchanged([(row.run, row.updated_at) for row in rows])


def _to_run_row(head: RunHead, steps: int) -> RunRow:
    document, wrong = read_run_document(head)
    shown = {"status": DAMAGED} if wrong else _replace_half_characters(document, head.document)
    return RunRow(head.run, head.workflow, head.created_at, head.updated_at, steps, shown, wrong)


def _to_step_row(run: str, step: RunStep) -> tuple[StepRow, str]:
    """Convert a stored step, and return what is wrong with it."""
    document, wrong = read_step_document(step.document)
    return StepRow(run, step.seq, step.phase, step.at, _replace_half_characters(document, step.document)), wrong


def _make_damage_fault(run: str, message: str) -> Fault:
    return Fault(
        Code.UPSTREAM_ERROR,
        message,
        help="`aur mem check` lists all damage, and `aur mem repair` removes it; the other runs are not affected",
        details={"run": run},
    )


def _replace_half_characters(document: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a document for those who show or continue a run; half of a character is a question mark.

    A memory of a clone may contain one, which no other program can read.
    """
    # Nearly no document has one; the search costs less than to encode each.
    if "\\ud" not in text and "\\uD" not in text:
        return document
    shown = json.dumps(document, ensure_ascii=False)
    try:
        shown.encode("utf-8")
    except UnicodeEncodeError:
        document = json.loads(shown.encode("utf-8", "replace"))
    return document
