"""Table of the indexed files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.model.chunks import FileFingerprint, ParsedFile

_SELECT_KNOWN = "SELECT path, size, mtime_ns, sha256 FROM files"
_SELECT_KNOWN_IN = f"{_SELECT_KNOWN} WHERE path IN (SELECT value FROM json_each(?))"
_INSERT_FILE = "INSERT INTO files (path, language, size, mtime_ns, sha256, parsed) VALUES (?, ?, ?, ?, ?, ?)"
_SELECT_PATH = "SELECT 1 FROM files WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0') LIMIT 1"


class FileTable(Table):
    """Indexed files; removal cascades. Paths are relative, with `/`."""

    def get_known(self) -> dict[str, FileFingerprint]:
        """Return size, modification time (ns) and SHA-256 of all files by path."""
        return {path: (size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in self._fetch_rows(_SELECT_KNOWN)}

    def get_description(self, path: str) -> tuple[str, bool] | None:
        """Return the language of a file, and whether it was parsed; None for an unknown file."""
        rows = self._fetch_rows("SELECT language, parsed FROM files WHERE path = ?", path)
        return next(((language, bool(parsed)) for language, parsed in rows), None)

    def get_known_in(self, paths: Sequence[str]) -> dict[str, FileFingerprint]:
        """Return the same as `get_known` for these paths only."""
        rows = self._fetch_rows(_SELECT_KNOWN_IN, json.dumps(paths))
        return {path: (size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in rows}

    def find_existing(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that are indexed."""
        sql = "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?))"
        return self._fetch_column(sql, json.dumps(paths))

    def list_paths(self, *, language: str | None = None, since: int | None = None) -> list[str]:
        """List the paths, optionally of a language or changed since a time (ns)."""
        wanted = {"language = ?": language, "mtime_ns >= ?": since}
        given = {condition: value for condition, value in wanted.items() if value is not None}
        where = f" WHERE {' AND '.join(given)}" if given else ""
        return self._fetch_column(f"SELECT path FROM files{where}", *given.values())

    def list_languages(self) -> list[str]:
        """List the distinct languages."""
        return self._fetch_column("SELECT DISTINCT language FROM files")

    def has_changes_since(self, moment: int) -> bool:
        """Check whether a file changed since a time in nanoseconds."""
        return bool(self._fetch_rows("SELECT 1 FROM files WHERE mtime_ns >= ? LIMIT 1", moment))

    def has_path(self, place: str) -> bool:
        """Check whether this file, or a file in this folder, is indexed."""
        return bool(self._fetch_rows(_SELECT_PATH, place))

    def count_unparsed(self) -> int:
        """Count the files that were not parsed completely."""
        return int(self._fetch_value("SELECT count(*) FROM files WHERE NOT parsed"))

    def add(self, file: ParsedFile) -> None:
        """Insert a file; its chunks and its graph are written separately."""
        facts = (file.path, file.language, file.size, file.mtime_ns, file.sha256, file.parsed)
        self._db.execute(_INSERT_FILE, facts)

    def update_stat(self, file: ParsedFile) -> None:
        """Update size and time of a file with unchanged content."""
        sql = "UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?"
        self._db.execute(sql, (file.size, file.mtime_ns, file.path))

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files and what depends on them."""
        self._db.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in paths))

    def clear(self) -> None:
        """Remove all files and what depends on them."""
        self._db.execute("DELETE FROM files")
