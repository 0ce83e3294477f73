"""Table of the indexed files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.model.chunks import FileFingerprint, ParsedFile

_SELECT_KNOWN = "SELECT path, size, mtime_ns, sha256 FROM files"
_INSERT_FILE = """
INSERT INTO files (path, language, size, mtime_ns, sha256, parsed) VALUES ($1, $2, $3, $4, $5, $6)
"""
_SELECT_PATH = "SELECT 1 FROM files WHERE path = $1 OR (path > $1 || '/' AND path < $1 || '0') LIMIT 1"
_REMOVE = """
WITH removed AS (DELETE FROM files {condition} RETURNING path)
INSERT INTO graph_gone (path) SELECT path FROM removed ON CONFLICT DO NOTHING
"""
"""The code graph of removed files is removed later, unless they are written again first."""


class FileTable(Table):
    """Indexed files; removal cascades. Paths are relative, with `/`."""

    def get_known(self) -> dict[str, FileFingerprint]:
        """Return size, modification time (ns) and SHA-256 of all files by path."""
        return {path: (size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in self._fetch_rows(_SELECT_KNOWN)}

    def get_description(self, path: str) -> tuple[str, bool] | None:
        """Return the language of a file, and whether it was parsed; None for an unknown file."""
        return next(iter(self._fetch_rows("SELECT language, parsed FROM files WHERE path = $1", path)), None)

    def get_known_in(self, paths: Sequence[str]) -> dict[str, FileFingerprint]:
        """Return the same as `get_known` for these paths only."""
        rows = self._fetch_rows(f"{_SELECT_KNOWN} WHERE path = ANY($1::text[])", list(paths))
        return {path: (size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in rows}

    def find_existing(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that are indexed."""
        return self._fetch_column("SELECT path FROM files WHERE path = ANY($1::text[]) ORDER BY path", list(paths))

    def list_paths(self, *, language: str | None = None, since: int | None = None) -> list[str]:
        """List the paths, optionally of a language or changed since a time (ns)."""
        sql = "SELECT path FROM files WHERE coalesce(language = $1::text, true) AND coalesce(mtime_ns >= $2, true)"
        return self._fetch_column(f"{sql} ORDER BY path", language, since)

    def list_languages(self) -> list[str]:
        """List the distinct languages."""
        return self._fetch_column("SELECT DISTINCT language FROM files")

    def has_changes_since(self, moment: int) -> bool:
        """Check whether a file changed since a time in nanoseconds."""
        return bool(self._fetch_rows("SELECT 1 FROM files WHERE mtime_ns >= $1 LIMIT 1", moment))

    def has_path(self, place: str) -> bool:
        """Check whether this file, or a file in this folder, is indexed."""
        return bool(self._fetch_rows(_SELECT_PATH, place))

    def count_unparsed(self) -> int:
        """Count the files that were not parsed completely."""
        return int(self._fetch_value("SELECT count(*) FROM files WHERE NOT parsed"))

    def add(self, file: ParsedFile) -> None:
        """Insert a file; its chunks and its graph are written separately."""
        self._execute(_INSERT_FILE, file.path, file.language, file.size, file.mtime_ns, file.sha256, file.parsed)

    def update_stat(self, file: ParsedFile) -> None:
        """Update size and time of a file with unchanged content."""
        sql = "UPDATE files SET size = $2, mtime_ns = $3 WHERE path = $1"
        self._execute(sql, file.path, file.size, file.mtime_ns)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files and what depends on them."""
        self._execute(_REMOVE.format(condition="WHERE path = ANY($1::text[])"), list(paths))

    def clear(self) -> None:
        """Remove all files and what depends on them."""
        self._execute(_REMOVE.format(condition=""))
