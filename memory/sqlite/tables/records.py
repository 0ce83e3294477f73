"""What is known of records beyond their chunks: when each was first kept, and what was done that can be taken back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.sqlite.table import Table

from .chunks import COLUMNS, to_chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.model import Chunk

_SELECT_RECORDS = f"""
SELECT {COLUMNS}, (SELECT at FROM remembered WHERE remembered.id = chunks.id)
FROM chunks WHERE path IS NULL
"""  # noqa: S608 - a constant
_ID_IN = "AND id IN (SELECT value FROM json_each(?))"


class UndoEntry(NamedTuple):
    """A deed that was noted, under a number that rises; `at` is ISO 8601 in UTC, the document a JSON text."""

    n: int
    at: str
    action: str
    summary: str
    document: str


class RecordTable(Table):
    """A record is a chunk that no file holds."""

    def list_records(self, ids: Iterable[str] | None = None) -> Sequence[tuple[Chunk, float | None]]:
        """All records, or those of these ids, by id; each with when it was first kept, in seconds since 1970."""
        some, among = ("", ()) if ids is None else (_ID_IN, (json.dumps(list(ids)),))
        rows = self._fetch_rows(f"{_SELECT_RECORDS} {some} ORDER BY id", *among)
        return [(to_chunk(row[:-1]), row[-1]) for row in rows]

    def mark_remembered(self, id_: str) -> None:
        """Note that a record is first kept at this moment, unless that is known already."""
        self._db.execute("INSERT OR IGNORE INTO remembered (id, at) VALUES (?, unixepoch('subsec'))", (id_,))

    def set_remembered_times(self, moments: Iterable[tuple[str, float]]) -> None:
        """Note when records, by id, were first kept, in seconds since 1970."""
        self._db.executemany("INSERT OR REPLACE INTO remembered (id, at) VALUES (?, ?)", moments)

    def remove(self, ids: Iterable[str]) -> None:
        """Forget when these were first kept."""
        self._db.executemany("DELETE FROM remembered WHERE id = ?", ((id_,) for id_ in ids))

    def add_undo_entry(self, at: str, action: str, summary: str, document: str) -> None:
        """Note a deed, which is then the last."""
        sql = "INSERT INTO undo (at, action, summary, document) VALUES (?, ?, ?, ?)"
        self._db.execute(sql, (at, action, summary, document))

    def trim_undo_entries(self, most: int) -> None:
        """Take out all but the last `most` deeds."""
        self._db.execute("DELETE FROM undo WHERE n NOT IN (SELECT n FROM undo ORDER BY n DESC LIMIT ?)", (most,))

    def get_last_undo_entry(self) -> UndoEntry | None:
        """The last deed, if there is one."""
        rows = self._fetch_rows("SELECT n, at, action, summary, document FROM undo ORDER BY n DESC LIMIT 1")
        return UndoEntry(*rows[0]) if rows else None

    def pop_undo_entry(self, n: int) -> bool:
        """Take out the last deed if it has this number; whether it had."""
        self._db.execute("DELETE FROM undo WHERE n = (SELECT max(n) FROM undo) AND n = ?", (n,))
        return bool(self._db.changes())
