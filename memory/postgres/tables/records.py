"""Table of records: creation times and the undo log."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from aurora.memory.model import UndoEntry
from aurora.memory.postgres.table import Table

from .chunks import BUMP_RECORDS, COLUMNS, to_chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.model import Chunk

_SELECT_RECORDS = f"""
SELECT {COLUMNS}, (SELECT at FROM @remembered WHERE remembered.id = chunks.id)
FROM @chunks WHERE path IS NULL AND ($2::text[] IS NULL OR id = ANY($2::text[])) ORDER BY id
"""
_SELECT_QUESTIONS = """
SELECT id, metadata FROM @chunks
WHERE path IS NULL AND type = 'reas' AND strpos(metadata, '"query"') > 0 ORDER BY id
"""
_INSERT_TIMES = """
INSERT INTO remembered (project, id, at) SELECT $1, * FROM unnest($2::text[], $3::float8[])
ON CONFLICT (project, id) DO UPDATE SET at = excluded.at
"""
_INSERT_NEW_TIME = "INSERT INTO remembered (project, id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
_SET_SHARED = """
INSERT INTO shared_records (project, id, digest) SELECT $1, * FROM unnest($2::text[], $3::bytea[])
ON CONFLICT (project, id) DO UPDATE SET digest = excluded.digest
"""
_INSERT_UNDO = """
INSERT INTO undo (project, n, at, action, summary, document) VALUES ($1, $2, $3, $4, $5, $6)
"""
_SELECT_UNDO = "SELECT n, at, action, summary, document FROM @undo"
_TRIM_UNDO = """
DELETE FROM undo WHERE undo.project = $1 AND n NOT IN (SELECT n FROM @undo:kept ORDER BY n DESC LIMIT $2)
"""
_POP_UNDO = """
DELETE FROM undo WHERE undo.project = $1 AND n = $2 AND n = (SELECT max(n) FROM @undo:kept)
"""


class RecordTable(Table):
    """Records: chunks that no file contains."""

    def list_records(self, ids: Iterable[str] | None = None) -> Sequence[tuple[Chunk, float | None]]:
        """List records with their creation time, all or by id, sorted by id."""
        rows = self._fetch_rows(_SELECT_RECORDS, None if ids is None else list(ids))
        return [(to_chunk(row[:-1]), row[-1]) for row in rows]

    def list_questions(self) -> Sequence[tuple[str, str]]:
        """List the patterns that answer a question: their ids and the questions."""
        found = ((id_, json.loads(metadata).get("query")) for id_, metadata in self._fetch_rows(_SELECT_QUESTIONS))
        return [(id_, question) for id_, question in found if isinstance(question, str)]

    def mark_remembered(self, id_: str) -> None:
        """Set the creation time of a record to now, unless it is known."""
        self._execute(_INSERT_NEW_TIME, id_, time.time())
        self._bump_version()

    def set_remembered_times(self, moments: Iterable[tuple[str, float]]) -> None:
        """Set the creation times of records in seconds since 1970."""
        self._write_rows(_INSERT_TIMES, dict(moments).items())
        self._bump_version()

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the creation times of records."""
        self._execute("DELETE FROM remembered WHERE remembered.project = $1 AND id = ANY($2::text[])", list(ids))
        self._bump_version()

    def get_shared(self) -> dict[str, bytes]:
        """Return the digests of the records as the view and the shared database last had them, by id."""
        return dict(self._fetch_rows("SELECT id, digest FROM @shared_records"))

    def set_shared(self, digests: Iterable[tuple[str, bytes]], gone: Iterable[str]) -> None:
        """Set the digests of records that both databases have now, and remove those of `gone`."""
        self._write_rows(_SET_SHARED, dict(digests).items())
        sql = "DELETE FROM shared_records WHERE shared_records.project = $1 AND id = ANY($2::text[])"
        self._execute(sql, list(gone))

    def _bump_version(self) -> None:
        """Count a change of records, so that other worktrees read them."""
        self._execute(BUMP_RECORDS)

    def add_undo_entry(self, at: str, action: str, summary: str, document: str) -> None:
        """Append an entry to the undo log."""
        self._execute(_INSERT_UNDO, self._take_numbers("undo"), at, action, summary, document)

    def trim_undo_entries(self, most: int) -> None:
        """Remove all but the last `most` entries of the undo log."""
        self._execute(_TRIM_UNDO, most)

    def get_last_undo_entry(self) -> UndoEntry | None:
        """Return the last entry of the undo log, or None."""
        return next((UndoEntry(*row) for row in self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n DESC LIMIT 1")), None)

    def list_undo_entries(self) -> Sequence[UndoEntry]:
        """List the entries of the undo log, the oldest first."""
        return [UndoEntry(*row) for row in self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n")]

    def clear_undo_entries(self) -> None:
        """Remove the whole undo log."""
        self._execute("DELETE FROM undo WHERE undo.project = $1")

    def pop_undo_entry(self, n: int) -> bool:
        """Remove the last undo entry if it has this number; return success."""
        return self._execute(_POP_UNDO, n) > 0
