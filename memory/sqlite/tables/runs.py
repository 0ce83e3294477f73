"""Table of runs and steps with JSON documents."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import apsw

from aurora.memory.model.runs import RunHead, RunStep
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence


_SELECT_HEAD = "SELECT run, workflow, created_at, updated_at, document"
_STEPS = "steps INDEXED BY sqlite_autoindex_steps_1"
"""Steps by their primary key: the planner's statistics may be those of a memory that had few."""
_COUNT_STEPS = f"(SELECT count(*) FROM {_STEPS} WHERE steps.run = runs.run)"
_INSERT_RUN = "INSERT INTO runs (run, workflow, created_at, updated_at, document) VALUES (?, ?, ?, ?, ?)"
_UPDATE_RUN = "UPDATE runs SET updated_at = ?, document = ? WHERE run = ?"
_OF_WORKFLOW = "workflow = ?"
_IN_STATES = "document ->> '$.status' IN (SELECT value FROM json_each(?))"
_WITH_TEXT = f"""(instr(lower(run || ' ' || workflow || ' ' || document), lower(?)) OR EXISTS (
SELECT 1 FROM {_STEPS} WHERE steps.run = runs.run AND instr(lower(steps.document), lower(?))))"""
_INSERT_STEP = "INSERT INTO steps (run, seq, phase, at, document) VALUES (?, ?, ?, ?, ?)"


class RunTable(Table):
    """Runs and their steps, which are removed with them."""

    def insert(self, head: RunHead) -> bool:
        """Insert a run; return False if its name exists."""
        try:
            self._db.execute(_INSERT_RUN, head)
        except apsw.ConstraintError:
            return False
        return True

    def update_document(self, run: str, updated_at: str, document: str) -> bool:
        """Update the document of a run; return False if it does not exist."""
        self._db.execute(_UPDATE_RUN, (updated_at, document, run))
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
        return (RunHead._make(rows[0][:-1]), rows[0][-1]) if rows else None

    def list_newest(
        self,
        limit: int,
        offset: int,
        workflow: str | None = None,
        states: Collection[str] = (),
        text: str | None = None,
    ) -> Sequence[tuple[RunHead, int]]:
        """List the newest runs with their step counts; of a workflow, in some states, or with a text."""
        filters = {
            _OF_WORKFLOW: workflow,
            _IN_STATES: json.dumps(list(states)) if states else None,
            _WITH_TEXT: text and json.dumps(text)[1:-1],
        }
        given = {condition: value for condition, value in filters.items() if value is not None}
        where = f"WHERE {' AND '.join(given)}" if given else ""
        values = [value for condition, value in given.items() for _ in range(condition.count("?"))]
        rows = self._fetch_rows(
            f"{_SELECT_HEAD}, {_COUNT_STEPS} FROM runs {where} ORDER BY n DESC LIMIT ? OFFSET ?", *values, limit, offset
        )
        return [(RunHead._make(row[:-1]), row[-1]) for row in rows]

    def iter_all(self) -> Iterator[RunHead]:
        """Yield all runs by creation time and name."""
        return map(RunHead._make, self._db.execute(f"{_SELECT_HEAD} FROM runs ORDER BY created_at, run"))

    def list_steps(self, run: str, first: int = 1) -> Sequence[RunStep]:
        """List the steps of a run in order, from number `first`; none for an unknown run."""
        sql = f"SELECT seq, phase, at, document FROM {_STEPS} WHERE run = ? AND seq >= ? ORDER BY seq"
        return [RunStep._make(row) for row in self._fetch_rows(sql, run, first)]

    def list_first_steps(self, runs: Collection[str]) -> dict[str, RunStep]:
        """Map each existing run to its first step."""
        sql = (
            "SELECT run, seq, phase, at, document FROM json_each(?) AS wanted "
            f"CROSS JOIN {_STEPS} WHERE run = wanted.value AND seq = 1"
        )
        return {run: RunStep._make(values) for run, *values in self._fetch_rows(sql, json.dumps(list(runs)))}

    def count_states(self) -> dict[str, int]:
        """Count the runs of each state; one without a state counts as `open`."""
        sql = "SELECT ifnull(document ->> '$.status', 'open') FROM runs"  # GROUP BY would sort all documents in memory
        return dict(Counter(state for (state,) in self._db.execute(sql)))

    def get_latest_change(self) -> tuple[int, str]:
        """Return the number of the runs, and the time of the latest change of one; empty without runs."""
        ((count, at),) = self._fetch_rows("SELECT count(*), ifnull(max(updated_at), '') FROM runs")
        return count, at

    def count_steps(self, runs: Collection[str]) -> dict[str, int]:
        """Count the steps of the existing runs."""
        sql = f"SELECT run, {_COUNT_STEPS} FROM runs WHERE run IN (SELECT value FROM json_each(?))"
        return dict(self._fetch_rows(sql, json.dumps(list(runs))))

    def remove(self, runs: Iterable[str]) -> None:
        """Remove runs with their steps."""
        self._db.executemany("DELETE FROM runs WHERE run = ?", ((run,) for run in runs))

    def remove_unchanged(self, runs: Sequence[tuple[str, str]]) -> int:
        """Remove runs with their steps unless another transaction continued them; return their number.

        Args:
            runs: name and time of the last update.
        """
        removed = 0
        for run, updated_at in runs:
            self._db.execute("DELETE FROM runs WHERE run = ? AND updated_at = ?", (run, updated_at))
            removed += self._db.changes()
        return removed

    def clear(self) -> None:
        """Remove all runs with their steps."""
        self._db.execute("DELETE FROM runs")
