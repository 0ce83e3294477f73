"""Table of records: creation times and the undo log."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from aurora.memory.model import UndoEntry
from aurora.memory.sqlite.table import Table

from .chunks import BUMP_RECORDS, COLUMNS, to_chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.model import Chunk

_SELECT_RECORDS = f"""
SELECT {COLUMNS}, (SELECT at FROM remembered WHERE remembered.id = chunks.id)
FROM chunks WHERE path IS NULL
"""
_SELECT_QUESTIONS = """
SELECT id, metadata ->> '$.query' FROM chunks
WHERE path IS NULL AND type = 'reas' AND json_type(metadata, '$.query') = 'text' ORDER BY id
"""
_INSERT_TIME = "INSERT OR REPLACE INTO remembered (id, at) VALUES (?, ?)"
_INSERT_NEW_TIME = "INSERT OR IGNORE INTO remembered (id, at) VALUES (?, ?)"
_INSERT_UNDO = "INSERT INTO undo (at, action, summary, document) VALUES (?, ?, ?, ?)"
_ID_IN = "AND id IN (SELECT value FROM json_each(?))"


_SELECT_UNDO = "SELECT n, at, action, summary, document FROM undo"


class RecordTable(Table):
    """Records: chunks that no file contains."""

    def list_records(self, ids: Iterable[str] | None = None) -> Sequence[tuple[Chunk, float | None]]:
        """List records with their creation time, all or by id, sorted by id."""
        condition, bindings = ("", ()) if ids is None else (_ID_IN, (json.dumps(list(ids)),))
        rows = self._fetch_rows(f"{_SELECT_RECORDS} {condition} ORDER BY id", *bindings)
        return [(to_chunk(row[:-1]), row[-1]) for row in rows]

    def list_questions(self) -> Sequence[tuple[str, str]]:
        """List the patterns that answer a question: their ids and the questions."""
        return self._fetch_rows(_SELECT_QUESTIONS)

    def mark_remembered(self, id_: str) -> None:
        """Set the creation time of a record to now, unless it is known."""
        self._db.execute(_INSERT_NEW_TIME, (id_, time.time()))
        self._bump_version()

    def set_remembered_times(self, moments: Iterable[tuple[str, float]]) -> None:
        """Set the creation times of records in seconds since 1970."""
        self._db.executemany(_INSERT_TIME, moments)
        self._bump_version()

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the creation times of records."""
        self._db.executemany("DELETE FROM remembered WHERE id = ?", ((id_,) for id_ in ids))
        self._bump_version()

    def get_shared(self) -> dict[str, bytes]:
        """Return the digests of the records as the view and the shared database last had them, by id."""
        return dict(self._fetch_rows("SELECT id, digest FROM shared_records"))

    def set_shared(self, digests: Iterable[tuple[str, bytes]], gone: Iterable[str]) -> None:
        """Set the digests of records that both databases have now, and remove those of `gone`."""
        self._db.executemany("INSERT OR REPLACE INTO shared_records (id, digest) VALUES (?, ?)", digests)
        self._db.executemany("DELETE FROM shared_records WHERE id = ?", ((id_,) for id_ in gone))

    def _bump_version(self) -> None:
        """Count a change of records, so that other worktrees read them."""
        self._db.execute(BUMP_RECORDS)

    def add_undo_entry(self, at: str, action: str, summary: str, document: str) -> None:
        """Append an entry to the undo log."""
        self._db.execute(_INSERT_UNDO, (at, action, summary, document))

    def trim_undo_entries(self, most: int) -> None:
        """Remove all but the last `most` entries of the undo log."""
        self._db.execute("DELETE FROM undo WHERE n NOT IN (SELECT n FROM undo ORDER BY n DESC LIMIT ?)", (most,))

    def get_last_undo_entry(self) -> UndoEntry | None:
        """Return the last entry of the undo log, or None."""
        rows = self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n DESC LIMIT 1")
        return next(map(UndoEntry._make, rows), None)

    def list_undo_entries(self) -> Sequence[UndoEntry]:
        """List the entries of the undo log, the oldest first."""
        return list(map(UndoEntry._make, self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n")))

    def clear_undo_entries(self) -> None:
        """Remove the whole undo log."""
        self._db.execute("DELETE FROM undo")

    def pop_undo_entry(self, n: int) -> bool:
        """Remove the last undo entry if it has this number; return success."""
        self._db.execute("DELETE FROM undo WHERE n = (SELECT max(n) FROM undo) AND n = ?", (n,))
        return bool(self._db.changes())
