"""Runs and their steps, whose documents are JSON texts that nothing here looks into."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence


class RunHead(NamedTuple):
    """A run without its steps; times are ISO 8601 in UTC."""

    run: str
    workflow: str
    created_at: str
    updated_at: str
    document: str


class RunStep(NamedTuple):
    """A step of a run, within which `seq` counts from 1."""

    seq: int
    phase: str
    at: str
    document: str


_SELECT_HEAD = "SELECT run, workflow, created_at, updated_at, document"
_COUNT_STEPS = "(SELECT count(*) FROM steps WHERE steps.run = runs.run)"
_INSERT_STEP = "INSERT INTO steps (run, seq, phase, at, document) VALUES (?, ?, ?, ?, ?)"


class RunTable(Table):
    """A run owns its steps, which go with it."""

    def insert(self, head: RunHead) -> bool:
        """Add a run; not when its name is taken."""
        sql = "INSERT INTO runs (run, workflow, created_at, updated_at, document) VALUES (?, ?, ?, ?, ?)"
        try:
            self._db.execute(sql, head)
        except apsw.ConstraintError:
            return False
        return True

    def update_document(self, run: str, updated_at: str, document: str) -> bool:
        """Replace the document of a run; whether there is such a run."""
        sql = "UPDATE runs SET updated_at = ?, document = ? WHERE run = ?"
        self._db.execute(sql, (updated_at, document, run))
        return bool(self._db.changes())

    def add_step(self, run: str, step: RunStep) -> bool:
        """Add a step to a run that is there; not when it has one of this number."""
        try:
            self._db.execute(_INSERT_STEP, (run, *step))
        except apsw.ConstraintError:
            return False
        return True

    def add_steps(self, run: str, steps: Iterable[RunStep]) -> None:
        """Add steps to a run that is there and has none of these numbers."""
        self._db.executemany(_INSERT_STEP, ((run, *step) for step in steps))

    def get_head(self, run: str) -> tuple[RunHead, int] | None:
        """This run with the number of its steps, if it is there."""
        rows = self._fetch_rows(f"{_SELECT_HEAD}, {_COUNT_STEPS} FROM runs WHERE run = ?", run)
        return (RunHead(*rows[0][:-1]), rows[0][-1]) if rows else None

    def list_newest(self, limit: int, offset: int, workflow: str | None = None) -> Sequence[tuple[RunHead, int]]:
        """Runs, of this workflow when one is named, each with the number of its steps; those begun last come first."""
        of, named = ("", ()) if workflow is None else ("WHERE workflow = ?", (workflow,))
        rows = self._fetch_rows(
            f"{_SELECT_HEAD}, {_COUNT_STEPS} FROM runs {of} ORDER BY n DESC LIMIT ? OFFSET ?", *named, limit, offset
        )
        return [(RunHead(*row[:-1]), row[-1]) for row in rows]

    def iter_all(self) -> Iterator[RunHead]:
        """All runs by the time they began, and their names."""
        return map(RunHead._make, self._db.execute(f"{_SELECT_HEAD} FROM runs ORDER BY created_at, run"))

    def list_steps(self, run: str) -> Sequence[RunStep]:
        """The steps of a run in order; none when there is no such run."""
        sql = "SELECT seq, phase, at, document FROM steps WHERE run = ? ORDER BY seq"
        return [RunStep._make(row) for row in self._fetch_rows(sql, run)]

    def count_steps(self, runs: Collection[str]) -> dict[str, int]:
        """Those of these runs that are there, each with the number of its steps."""
        sql = f"SELECT run, {_COUNT_STEPS} FROM runs WHERE run IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant
        return dict(self._fetch_rows(sql, json.dumps(list(runs))))

    def remove(self, runs: Iterable[str]) -> None:
        """Take runs out with their steps."""
        self._db.executemany("DELETE FROM runs WHERE run = ?", ((run,) for run in runs))
