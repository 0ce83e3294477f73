"""The journal of runs: every call is one transaction, durable once it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from ..faults import Code, Fault
from .documents import dumped, loaded, now
from .model_runs import RunRow, StepRow
from .sqlite.rows import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .sqlite.store import Store

_RUNS = """
SELECT run, workflow, created_at, updated_at, (SELECT count(*) FROM steps WHERE steps.run = runs.run), document
FROM runs
"""


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
        at = now()
        rows = [(run, seq, phase, at, dumped(step)) for seq, (phase, step) in enumerate(steps, 1)]
        head = dumped(document)
        with self._store.writing() as db:
            try:
                db.execute(
                    "INSERT INTO runs (run, workflow, created_at, updated_at, document) VALUES (?, ?, ?, ?, ?)",
                    (run, workflow, at, at, head),
                )
            except apsw.ConstraintError as error:
                raise Fault(
                    Code.CONFLICT,
                    f'run "{run}" exists already',
                    help="leave `run` out to begin a new one",
                    details={"run": run},
                ) from error
            db.executemany("INSERT INTO steps (run, seq, phase, at, document) VALUES (?, ?, ?, ?, ?)", rows)

    def append(self, run: str, seq: int, phase: str, document: Mapping[str, Any], head: Mapping[str, Any]) -> None:
        """Add step `seq` and replace the run's document by `head`.

        Raises:
            Fault: CONFLICT when that seq exists already, NOT_FOUND when the run does not; INVALID_INPUT when a
                document is not JSON. Nothing is changed then.
        """
        at = now()
        step, whole = dumped(document), dumped(head)
        with self._store.writing() as db:
            db.execute("UPDATE runs SET updated_at = ?, document = ? WHERE run = ?", (at, whole, run))
            if not db.changes():
                raise Fault(
                    Code.NOT_FOUND,
                    f'there is no run "{run}"',
                    help="`aur runs list` shows those that exist",
                    details={"run": run},
                )
            try:
                db.execute(
                    "INSERT INTO steps (run, seq, phase, at, document) VALUES (?, ?, ?, ?, ?)",
                    (run, seq, phase, at, step),
                )
            except apsw.ConstraintError as error:
                raise Fault(
                    Code.CONFLICT,
                    f'step {seq} of run "{run}" exists already',
                    help="another call went first; ask for the run again and go on from where it stands",
                    details={"run": run, "seq": seq},
                ) from error

    def head(self, run: str) -> RunRow | None:
        """The run, or None."""
        with self._store.reading() as db:
            rows = ask(db, f"{_RUNS} WHERE run = ?", (run,))
        return _run(rows[0]) if rows else None

    def steps(self, run: str) -> tuple[StepRow, ...]:
        """Its steps in order; none for a run that does not exist."""
        with self._store.reading() as db:
            rows = ask(db, "SELECT run, seq, phase, at, document FROM steps WHERE run = ? ORDER BY seq", (run,))
        return tuple(StepRow(name, seq, phase, at, loaded(text)) for name, seq, phase, at, text in rows)

    def runs(self, limit: int, offset: int = 0, workflow: str | None = None) -> tuple[RunRow, ...]:
        """The newest runs first; only those of `workflow` when it is named."""
        of = "" if workflow is None else "WHERE workflow = ?"
        named = () if workflow is None else (workflow,)
        with self._store.reading() as db:
            rows = ask(db, f"{_RUNS} {of} ORDER BY n DESC LIMIT ? OFFSET ?", (*named, max(limit, 0), max(offset, 0)))
        return tuple(_run(row) for row in rows)


def _run(row: tuple[Any, ...]) -> RunRow:
    run, workflow, created_at, updated_at, steps, document = row
    return RunRow(run, workflow, created_at, updated_at, steps, loaded(document))
