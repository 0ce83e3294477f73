"""Table of runs and their steps: the journal's documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.memory.model.runs import RunHead, RunStep

from .session import Table, fold_ascii

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

_STEPS = "steps INDEXED BY sqlite_autoindex_steps_1"
"""Steps by their primary key: the planner's statistics may be those of a memory that had few."""
_SELECT_HEAD = "SELECT run, workflow, created_at, updated_at, document"
_COUNT_STEPS = f"(SELECT count(*) FROM {_STEPS} WHERE steps.run = runs.run)"
_INSERT_RUN = """
INSERT INTO runs (run, workflow, created_at, updated_at, document, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT DO NOTHING
"""
_UPDATE_RUN = "UPDATE runs SET updated_at = ?2, document = ?3, status = ?4 WHERE run = ?1"
_STEP_ROW = "run, seq, phase, at, document"
_WITH_TEXT = f"""(instr(lower(run || ' ' || workflow || ' ' || document), {{0}}) > 0 OR EXISTS (
SELECT 1 FROM {_STEPS} WHERE steps.run = runs.run AND instr(lower(steps.document), {{0}}) > 0))"""


class RunTable(Table):
    """Runs and their steps, which are removed with them."""

    def insert(self, head: RunHead) -> bool:
        """Insert a run; return False if its name exists."""
        return self._execute(_INSERT_RUN, *head, _read_status(head.document)) > 0

    def update_document(self, run: str, updated_at: str, document: str) -> bool:
        """Update the document of a run; return False if it does not exist."""
        return self._execute(_UPDATE_RUN, run, updated_at, document, _read_status(document)) > 0

    def add_step(self, run: str, step: RunStep) -> bool:
        """Append a step; return False if its number exists."""
        return self._insert_rows("steps", _STEP_ROW, [(run, *step)], "ON CONFLICT DO NOTHING") > 0

    def add_steps(self, run: str, steps: Iterable[RunStep]) -> None:
        """Append steps with new numbers to an existing run."""
        self._insert_rows("steps", _STEP_ROW, ((run, *step) for step in steps))

    def get_head(self, run: str) -> tuple[RunHead, int] | None:
        """Return the run with the number of its steps, or None."""
        rows = self._fetch_rows(f"{_SELECT_HEAD}, {_COUNT_STEPS} FROM runs WHERE run = ?1", run)
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
        filters: dict[str, str | list[str] | None] = {
            "workflow = {0}": workflow,
            "status = ANY({0})": list(states) or None,
            # The documents are JSON with escapes, so the text is looked for as it is written there.
            _WITH_TEXT: text and fold_ascii(json.dumps(text)[1:-1]),
        }
        given = {condition: value for condition, value in filters.items() if value is not None}
        conditions = [condition.format(f"?{place}") for place, condition in enumerate(given, 3)]
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        sql = f"{_SELECT_HEAD}, {_COUNT_STEPS} FROM runs {where} ORDER BY n DESC LIMIT ?1 OFFSET ?2"
        rows = self._fetch_rows(sql, limit, offset, *given.values())
        return [(RunHead._make(row[:-1]), row[-1]) for row in rows]

    def iter_all(self) -> Iterator[RunHead]:
        """Yield all runs by creation time and name."""
        return map(RunHead._make, self._iter_rows(f"{_SELECT_HEAD} FROM runs ORDER BY created_at, run"))

    def list_steps(self, run: str, first: int = 1) -> Sequence[RunStep]:
        """List the steps of a run in order, from number `first`; none for an unknown run."""
        sql = f"SELECT seq, phase, at, document FROM {_STEPS} WHERE run = ?1 AND seq >= ?2 ORDER BY seq"
        return [RunStep._make(row) for row in self._fetch_rows(sql, run, first)]

    def list_first_steps(self, runs: Collection[str]) -> dict[str, RunStep]:
        """Map each existing run to its first step."""
        sql = f"SELECT {_STEP_ROW} FROM {_STEPS} WHERE run = ANY(?1) AND seq = 1"
        return {run: RunStep._make(values) for run, *values in self._fetch_rows(sql, list(runs))}

    def count_states(self) -> dict[str, int]:
        """Count the runs of each state; one without a state counts as `open`."""
        return dict(self._fetch_rows("SELECT coalesce(status, 'open') AS state, count(*) FROM runs GROUP BY state"))

    def get_latest_change(self) -> tuple[int, str]:
        """Return the number of the runs, and the time of the latest change of one; empty without runs."""
        # The number as well, since the removal of a run leaves no later time behind.
        ((count, at),) = self._fetch_rows("SELECT count(*), coalesce(max(updated_at), '') FROM runs")
        return count, at

    def count_steps(self, runs: Collection[str]) -> dict[str, int]:
        """Count the steps of the existing runs."""
        return dict(self._fetch_rows(f"SELECT run, {_COUNT_STEPS} FROM runs WHERE run = ANY(?1)", list(runs)))

    def remove(self, runs: Iterable[str]) -> None:
        """Remove runs with their steps."""
        self._execute("DELETE FROM runs WHERE run = ANY(?1)", list(runs))

    def remove_unchanged(self, runs: Sequence[tuple[str, str]]) -> int:
        """Remove runs with their steps unless another transaction continued them; return their number.

        Args:
            runs: name and time of the last update.
        """
        # one by one: the count of many has the steps, which go with their run
        return sum(self._execute("DELETE FROM runs WHERE run = ?1 AND updated_at = ?2", *run) for run in runs)

    def clear(self) -> None:
        """Remove all runs with their steps."""
        self._execute("DELETE FROM runs")


def _read_status(document: str) -> str | None:
    """Read the text at `status` of a run's document; None without one."""
    try:
        found: Any = json.loads(document)
    except ValueError:
        return None
    status = found.get("status") if isinstance(found, dict) else None
    return status if isinstance(status, str) else None
