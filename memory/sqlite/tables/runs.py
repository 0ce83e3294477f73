"""Table of runs and steps with JSON documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import apsw

from aurora.memory.model import RunHead, RunStep
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence


_SELECT_HEAD = "SELECT run, workflow, created_at, updated_at, document"
_COUNT_STEPS = "(SELECT count(*) FROM steps WHERE steps.run = runs.run)"
_INSERT_STEP = "INSERT INTO steps (run, seq, phase, at, document) VALUES (?, ?, ?, ?, ?)"


class RunTable(Table):
    """Runs and their steps, which are removed with them."""

    def insert(self, head: RunHead) -> bool:
        """Insert a run; return False if its name exists."""
        sql = "INSERT INTO runs (run, workflow, created_at, updated_at, document) VALUES (?, ?, ?, ?, ?)"
        try:
            self._db.execute(sql, head)
        except apsw.ConstraintError:
            return False
        return True

    def update_document(self, run: str, updated_at: str, document: str) -> bool:
        """Update the document of a run; return False if it does not exist."""
        sql = "UPDATE runs SET updated_at = ?, document = ? WHERE run = ?"
        self._db.execute(sql, (updated_at, document, run))
        return bool(self._db.changes())

    def add_step(self, run: str, step: RunStep) -> bool:
        """Append a step; return False if its number exists."""
        try:
            self._db.execute(_INSERT_STEP, (run, *step))
        except apsw.ConstraintError:
            return False
        return True

    def add_steps(self, run: str, steps: Iterable[RunStep]) -> None:
        """Append steps with new numbers to an existing run."""
        self._db.executemany(_INSERT_STEP, ((run, *step) for step in steps))

    def get_head(self, run: str) -> tuple[RunHead, int] | None:
        """Return the run with the number of its steps, or None."""
        rows = self._fetch_rows(f"{_SELECT_HEAD}, {_COUNT_STEPS} FROM runs WHERE run = ?", run)
        return (RunHead(*rows[0][:-1]), rows[0][-1]) if rows else None

    def list_newest(self, limit: int, offset: int, workflow: str | None = None) -> Sequence[tuple[RunHead, int]]:
        """List the newest runs, optionally of a workflow, with their step counts."""
        of, named = ("", ()) if workflow is None else ("WHERE workflow = ?", (workflow,))
        rows = self._fetch_rows(
            f"{_SELECT_HEAD}, {_COUNT_STEPS} FROM runs {of} ORDER BY n DESC LIMIT ? OFFSET ?", *named, limit, offset
        )
        return [(RunHead(*row[:-1]), row[-1]) for row in rows]

    def iter_all(self) -> Iterator[RunHead]:
        """Yield all runs by creation time and name."""
        return map(RunHead._make, self._db.execute(f"{_SELECT_HEAD} FROM runs ORDER BY created_at, run"))

    def list_steps(self, run: str) -> Sequence[RunStep]:
        """List the steps of a run in order; none for an unknown run."""
        sql = "SELECT seq, phase, at, document FROM steps WHERE run = ? ORDER BY seq"
        return [RunStep._make(row) for row in self._fetch_rows(sql, run)]

    def count_steps(self, runs: Collection[str]) -> dict[str, int]:
        """Count the steps of the existing runs."""
        sql = f"SELECT run, {_COUNT_STEPS} FROM runs WHERE run IN (SELECT value FROM json_each(?))"
        return dict(self._fetch_rows(sql, json.dumps(list(runs))))

    def remove(self, runs: Iterable[str]) -> None:
        """Remove runs with their steps."""
        self._db.executemany("DELETE FROM runs WHERE run = ?", ((run,) for run in runs))
