"""Tables of metadata, of the indexed files, and of contents that the tree had before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .session import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from aurora.memory.model.chunks import FileFingerprint, ParsedFile

_NUMBERS = frozenset({"generation", "graph_generation", "records_version"})
_MAX_DIGITS = 18
INCREMENT_FACT = """
INSERT INTO facts (key, value) VALUES (?1, '1')
ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(facts.value AS BIGINT) + 1 AS TEXT)
"""
_UPSERT = "INSERT INTO facts (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class MetaTable(Table):
    """Metadata: `root`, `index_state`, `indexed_at` and `generation`.

    The first three describe the last indexing; `generation` counts the changes of chunks.
    """

    def get_all(self) -> dict[str, str]:
        """Return all values by key."""
        return {key: value for key, value in self._fetch_rows("SELECT key, value FROM facts") if _is_value(key, value)}

    def get(self, name: str) -> str | None:
        """Return one value; None if it is not set."""
        values = self._fetch_column("SELECT value FROM facts WHERE key = ?1", name)
        return next((value for value in values if _is_value(name, value)), None)

    def update(self, **facts: str) -> None:
        """Set values by key."""
        self._execute_many(_UPSERT, facts.items())

    def retain(self, names: Collection[str]) -> None:
        """Remove all values but these."""
        self._execute("DELETE FROM facts WHERE key != ALL(?1)", list(names))

    def bump_generation(self) -> None:
        """Count a change of chunks, so that caches reload."""
        self._execute(INCREMENT_FACT, "generation")

    def bump_graph_generation(self) -> None:
        """Count a change of the graph, so that caches reload."""
        self._execute(INCREMENT_FACT, "graph_generation")


def _is_value(name: object, value: object) -> bool:
    """Return False for a value that only a damaged page has; it counts as not set."""
    if not isinstance(name, str) or not isinstance(value, str):
        return False
    return name not in _NUMBERS or (value.isascii() and value.isdecimal() and len(value) <= _MAX_DIGITS)


_SELECT_KNOWN = "SELECT path, size, mtime_ns, sha256 FROM files"
_INSERT_FILE = "INSERT INTO files (path, language, size, mtime_ns, sha256, parsed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
# `0` is the character after `/`, so this is a range of the primary key, where LIKE would read all paths.
_SELECT_PATH = "SELECT 1 FROM files WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0') LIMIT 1"


class FileTable(Table):
    """Indexed files; removal cascades. Paths are relative, with `/`."""

    def get_known(self) -> dict[str, FileFingerprint]:
        """Return size, modification time (ns) and SHA-256 of all files by path."""
        return {path: (size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in self._fetch_rows(_SELECT_KNOWN)}

    def get_description(self, path: str) -> tuple[str, bool] | None:
        """Return the language of a file, and whether it was parsed; None for an unknown file."""
        rows = self._fetch_rows("SELECT language, parsed FROM files WHERE path = ?1", path)
        return next(((language, bool(parsed)) for language, parsed in rows), None)

    def get_known_in(self, paths: Sequence[str]) -> dict[str, FileFingerprint]:
        """Return the same as `get_known` for these paths only."""
        rows = self._fetch_rows(f"{_SELECT_KNOWN} WHERE path = ANY(?1)", list(paths))
        return {path: (size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in rows}

    def find_existing(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that are indexed."""
        return self._fetch_column("SELECT path FROM files WHERE path = ANY(?1) ORDER BY path", list(paths))

    def list_paths(self, *, language: str | None = None, since: int | None = None) -> list[str]:
        """List the paths, optionally of a language or changed since a time (ns)."""
        wanted = {"language =": language, "mtime_ns >=": since}
        given = {condition: value for condition, value in wanted.items() if value is not None}
        conditions = [f"{condition} ?{place}" for place, condition in enumerate(given, 1)]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return self._fetch_column(f"SELECT path FROM files{where} ORDER BY path", *given.values())

    def list_languages(self) -> list[str]:
        """List the distinct languages."""
        return self._fetch_column("SELECT DISTINCT language FROM files")

    def has_changes_since(self, moment: int) -> bool:
        """Check whether a file changed since a time in nanoseconds."""
        return bool(self._fetch_rows("SELECT 1 FROM files WHERE mtime_ns >= ?1 LIMIT 1", moment))

    def has_path(self, place: str) -> bool:
        """Check whether this file, or a file in this folder, is indexed."""
        return bool(self._fetch_rows(_SELECT_PATH, place))

    def count_unparsed(self) -> int:
        """Count the files that were not parsed completely."""
        return int(self._fetch_value("SELECT count(*) FROM files WHERE parsed = 0"))

    def add(self, file: ParsedFile) -> None:
        """Insert a file; its chunks and its graph are written separately."""
        facts = (file.path, file.language, file.size, file.mtime_ns, file.sha256, int(file.parsed))
        self._execute(_INSERT_FILE, *facts)

    def update_stat(self, file: ParsedFile) -> None:
        """Update size and time of a file with unchanged content."""
        sql = "UPDATE files SET size = ?2, mtime_ns = ?3 WHERE path = ?1"
        self._execute(sql, file.path, file.size, file.mtime_ns)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files and what depends on them."""
        self._remove("path = ANY(?1)", list(paths))

    def clear(self) -> None:
        """Remove all files and what depends on them."""
        self._remove("true")

    def _remove(self, condition: str, *values: object) -> None:
        # The nodes of a removed file go later, unless it is written again first: most of them stay as they are then.
        # The same transaction says so, and a kill loses nothing.
        sql = f"INSERT INTO graph_gone (path) SELECT path FROM files WHERE {condition} ON CONFLICT DO NOTHING"
        self._execute(sql, *values)
        self._execute(f"DELETE FROM files WHERE {condition}", *values)


_INSERT_CONTENT = """
INSERT INTO contents (n, path, sha256, rules, body) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (path, sha256) DO UPDATE SET n = excluded.n, rules = excluded.rules, body = excluded.body
"""
_TRIM_CONTENTS = """
DELETE FROM contents WHERE rules != ?1 OR n <= (
    SELECT coalesce(max(n), 0)
    FROM (SELECT n, sum(length(body)) OVER (ORDER BY n DESC) AS total FROM contents AS kept) AS summed WHERE total > ?2
)
"""


class ContentTable(Table):
    """Parsed contents that no file of the tree has now, by path and hash."""

    def list_paths(self) -> set[str]:
        """List the paths that have a content here."""
        return set(self._fetch_column("SELECT DISTINCT path FROM contents"))

    def get(self, path: str, sha256: str, rules: str) -> bytes | None:
        """Return the stored form of a content; None without one."""
        sql = "SELECT body FROM contents WHERE path = ?1 AND sha256 = ?2 AND rules = ?3"
        return next(iter(self._fetch_column(sql, path, sha256, rules)), None)

    def add(self, path: str, sha256: str, rules: str, body: bytes) -> None:
        """Add a content as the newest, in place of the same."""
        self._execute(_INSERT_CONTENT, self._take_numbers("contents"), path, sha256, rules, body)

    def remove(self, keys: Iterable[tuple[str, str]]) -> None:
        """Remove contents by path and hash."""
        self._execute_many("DELETE FROM contents WHERE path = ?1 AND sha256 = ?2", keys)

    def trim(self, rules: str, most: int) -> None:
        """Remove those that were parsed by other rules, and the oldest beyond a number of bytes."""
        self._execute(_TRIM_CONTENTS, rules, most)

    def clear(self) -> None:
        """Remove all contents."""
        self._execute("DELETE FROM contents")
