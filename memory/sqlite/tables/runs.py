"""Runs and their steps, whose documents are JSON texts that nothing here looks into."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.memory.sqlite.table import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence


class Head(NamedTuple):
    """A run without its steps; times are ISO 8601 in UTC."""

    run: str
    workflow: str
    created_at: str
    updated_at: str
    document: str


class Step(NamedTuple):
    """A step of a run, within which `seq` counts from 1."""

    seq: int
    phase: str
    at: str
    document: str


_HEAD = "SELECT run, workflow, created_at, updated_at, document"
_COUNT = "(SELECT count(*) FROM steps WHERE steps.run = runs.run)"
_ADD_STEP = "INSERT INTO steps (run, seq, phase, at, document) VALUES (?, ?, ?, ?, ?)"


class Runs(Part):
    """A run owns its steps, which go with it."""

    def begin(self, head: Head) -> bool:
        """Add a run; not when its name is taken."""
        sql = "INSERT INTO runs (run, workflow, created_at, updated_at, document) VALUES (?, ?, ?, ?, ?)"
        try:
            self._db.execute(sql, head)
        except apsw.ConstraintError:
            return False
        return True

    def go_on(self, run: str, updated_at: str, document: str) -> bool:
        """Replace the document of a run; whether there is such a run."""
        sql = "UPDATE runs SET updated_at = ?, document = ? WHERE run = ?"
        self._db.execute(sql, (updated_at, document, run))
        return bool(self._db.changes())

    def add_step(self, run: str, step: Step) -> bool:
        """Add a step to a run that is there; not when it has one of this number."""
        try:
            self._db.execute(_ADD_STEP, (run, *step))
        except apsw.ConstraintError:
            return False
        return True

    def add_steps(self, run: str, steps: Iterable[Step]) -> None:
        """Add steps to a run that is there and has none of these numbers."""
        self._db.executemany(_ADD_STEP, ((run, *step) for step in steps))

    def head(self, run: str) -> tuple[Head, int] | None:
        """This run with the number of its steps, if it is there."""
        rows = self._all(f"{_HEAD}, {_COUNT} FROM runs WHERE run = ?", run)
        return (Head(*rows[0][:-1]), rows[0][-1]) if rows else None

    def newest(self, limit: int, offset: int, workflow: str | None = None) -> Sequence[tuple[Head, int]]:
        """Runs, of this workflow when one is named, each with the number of its steps; those begun last come first."""
        of, named = ("", ()) if workflow is None else ("WHERE workflow = ?", (workflow,))
        rows = self._all(f"{_HEAD}, {_COUNT} FROM runs {of} ORDER BY n DESC LIMIT ? OFFSET ?", *named, limit, offset)
        return [(Head(*row[:-1]), row[-1]) for row in rows]

    def all(self) -> Iterator[Head]:
        """All runs by the time they began, and their names."""
        return map(Head._make, self._db.execute(f"{_HEAD} FROM runs ORDER BY created_at, run"))

    def steps(self, run: str) -> Sequence[Step]:
        """The steps of a run in order; none when there is no such run."""
        sql = "SELECT seq, phase, at, document FROM steps WHERE run = ? ORDER BY seq"
        return [Step._make(row) for row in self._all(sql, run)]

    def lengths(self, runs: Collection[str]) -> dict[str, int]:
        """Those of these runs that are there, each with the number of its steps."""
        sql = f"SELECT run, {_COUNT} FROM runs WHERE run IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant
        return dict(self._all(sql, json.dumps(list(runs))))

    def remove(self, runs: Iterable[str]) -> None:
        """Take runs out with their steps."""
        self._db.executemany("DELETE FROM runs WHERE run = ?", ((run,) for run in runs))
