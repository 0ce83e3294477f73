"""Table of contents that the tree had before, for the next switch back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

_TRIM = """
DELETE FROM contents WHERE rules != ?1 OR n <= (
    SELECT coalesce(max(n), 0) FROM (SELECT n, sum(length(body)) OVER (ORDER BY n DESC) AS total FROM contents)
    WHERE total > ?2
)
"""


class ContentTable(Table):
    """Parsed contents that no file of the tree has now, by path and hash."""

    def list_paths(self) -> set[str]:
        """List the paths that have a content here."""
        return set(self._fetch_column("SELECT DISTINCT path FROM contents"))

    def get(self, path: str, sha256: str, rules: str) -> bytes | None:
        """Return the stored form of a content; None without one."""
        sql = "SELECT body FROM contents WHERE path = ? AND sha256 = ? AND rules = ?"
        return next(iter(self._fetch_column(sql, path, sha256, rules)), None)

    def add(self, path: str, sha256: str, rules: str, body: bytes) -> None:
        """Add a content as the newest, in place of the same."""
        sql = "INSERT OR REPLACE INTO contents (path, sha256, rules, body) VALUES (?, ?, ?, ?)"
        self._db.execute(sql, (path, sha256, rules, body))

    def remove(self, keys: Iterable[tuple[str, str]]) -> None:
        """Remove contents by path and hash."""
        self._db.executemany("DELETE FROM contents WHERE path = ? AND sha256 = ?", keys)

    def trim(self, rules: str, most: int) -> None:
        """Remove those that were parsed by other rules, and the oldest beyond a number of bytes."""
        self._db.execute(_TRIM, (rules, most))

    def clear(self) -> None:
        """Remove all contents."""
        self._db.execute("DELETE FROM contents")
