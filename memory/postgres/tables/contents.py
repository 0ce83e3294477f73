"""Table of contents that the tree had before, for the next switch back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

_INSERT = """
INSERT INTO contents (path, sha256, n, rules, body) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (path, sha256) DO UPDATE SET n = excluded.n, rules = excluded.rules, body = excluded.body
"""
_REMOVE = """
DELETE FROM contents WHERE (path, sha256) IN (SELECT * FROM unnest($1::text[], $2::text[]))
"""
_TRIM = """
DELETE FROM contents WHERE (rules != $1 OR n <= (
    SELECT coalesce(max(n), 0)
    FROM (SELECT n, sum(length(body)) OVER (ORDER BY n DESC) AS total FROM contents AS kept) AS summed WHERE total > $2
))
"""


class ContentTable(Table):
    """Parsed contents that no file of the tree has now, by path and hash."""

    def list_paths(self) -> set[str]:
        """List the paths that have a content here."""
        return set(self._fetch_column("SELECT DISTINCT path FROM contents"))

    def get(self, path: str, sha256: str, rules: str) -> bytes | None:
        """Return the stored form of a content; None without one."""
        sql = "SELECT body FROM contents WHERE path = $1 AND sha256 = $2 AND rules = $3"
        return next(iter(self._fetch_column(sql, path, sha256, rules)), None)

    def add(self, path: str, sha256: str, rules: str, body: bytes) -> None:
        """Add a content as the newest, in place of the same."""
        self._execute(_INSERT, path, sha256, self._take_numbers("contents"), rules, body)

    def remove(self, keys: Iterable[tuple[str, str]]) -> None:
        """Remove contents by path and hash."""
        self._write_rows(_REMOVE, keys)

    def trim(self, rules: str, most: int) -> None:
        """Remove those that were parsed by other rules, and the oldest beyond a number of bytes."""
        self._execute(_TRIM, rules, most)

    def clear(self) -> None:
        """Remove all contents."""
        self._execute("DELETE FROM contents")
