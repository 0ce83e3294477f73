"""Table of references by name, and of the names that wait for linking."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from aurora.memory.model.graph import EDGE_KINDS, IMPLEMENTS, MENTIONS, UnresolvedUse
from aurora.memory.sqlite.table import Table

from .nodes import COLUMNS, to_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.memory.model.graph import NameCandidate, PendingReference, ReferenceRow, StoredReference


# Both queries go name by name over an index: no full sort, and most references, whose name no node has, are not
# fetched. Without the index hint a few new references would cost a scan of all references.
_SELECT_PENDING = """
SELECT r.n, r.source, r.kind, p.name AS name, r.via, s.path, s.symbol, s.language
FROM graph_pending p CROSS JOIN refs r ON r.name = p.name CROSS JOIN nodes s ON s.n = r.source
WHERE r.via != 'methods'
UNION ALL
SELECT r.n, r.source, r.kind, r.name, r.via, s.path, s.symbol, s.language
FROM refs r INDEXED BY refs_waiting CROSS JOIN nodes s ON s.n = r.source
WHERE NOT r.linked AND EXISTS (SELECT 1 FROM nodes WHERE name = r.name)
AND NOT EXISTS (SELECT 1 FROM graph_pending WHERE name = r.name)
ORDER BY name
"""
_SELECT_CANDIDATES = """
WITH waiting (name) AS (
    SELECT name FROM graph_pending UNION SELECT name FROM refs INDEXED BY refs_waiting WHERE NOT linked
)
SELECT w.name, n, path, symbol, kind, language FROM waiting w CROSS JOIN nodes ON nodes.name = w.name
WHERE EXISTS (SELECT 1 FROM refs WHERE name = w.name)
ORDER BY w.name, path, symbol, id DESC
"""
_HAS_PENDING = """
SELECT EXISTS (SELECT 1 FROM graph_pending) OR EXISTS (SELECT 1 FROM graph_gone)
    OR EXISTS (SELECT 1 FROM refs WHERE NOT linked)
"""
_INSERT_PENDING = "INSERT OR IGNORE INTO graph_pending (name) VALUES (?)"
_INSERT_PENDING_FOLDER = (
    "INSERT OR IGNORE INTO graph_pending (name) SELECT name FROM nodes WHERE path >= ? AND path < ?"
)

_INSERT_REFERENCE = "INSERT INTO refs (source, kind, name, via, line, linked) VALUES (?1, ?2, ?3, ?4, ?5, {})"
# A reference is pending by itself only if its name is not pending and some node has the name. If no node has the
# name, all its references become pending with the first node.
_IS_LINKED = """
NOT EXISTS (SELECT 1 FROM nodes WHERE name = ?3) OR EXISTS (SELECT 1 FROM graph_pending WHERE name = ?3)
"""
_INSERT_IN_LINKED_GRAPH, _INSERT_IN_NEW_GRAPH = _INSERT_REFERENCE.format(_IS_LINKED), _INSERT_REFERENCE.format(1)
_HAS_GENERATION = "SELECT EXISTS (SELECT 1 FROM facts WHERE key = 'graph_generation')"
_INSERT_METHODS = (
    "INSERT INTO refs (source, kind, name, via, line, linked) VALUES (?, ?, ?, 'methods', ?, 1) RETURNING n"
)
_SELECT_BY_FILE = """
SELECT source, refs.kind, refs.name, via, refs.n, line FROM nodes CROSS JOIN refs ON refs.source = nodes.n
WHERE nodes.path = ? AND via != 'methods'
"""
_COUNT_BY_FILE = """
SELECT s.path, r.kind, count(*), sum(EXISTS (SELECT 1 FROM edges WHERE ref = r.n))
FROM refs r JOIN nodes s ON s.n = r.source WHERE r.via != 'methods' GROUP BY s.path, r.kind ORDER BY s.path, r.kind
"""
_FROM_EXTERNAL = f"""
FROM refs r {{join}} WHERE r.name = ? AND r.kind != {MENTIONS} AND NOT EXISTS (SELECT 1 FROM edges WHERE ref = r.n)
AND (? = '' OR r.via IN ('in:' || ?, 'on:' || ?, 'of:' || ?))
"""
_COUNT_EXTERNAL = "SELECT count(*)" + _FROM_EXTERNAL.format(join="")
_SELECT_EXTERNAL = (
    f"SELECT r.kind, r.name, r.via, r.line, {COLUMNS}"
    + _FROM_EXTERNAL.format(join="JOIN nodes o ON o.n = r.source")
    + "ORDER BY o.path, r.line LIMIT ? OFFSET ?"
)


class ReferenceTable(Table):
    """References by name, from files and, `via` methods, of Go types."""

    def list_external(self, name: str, receiver: str, limit: int, offset: int) -> list[UnresolvedUse]:
        """List the references to a name from outside of the project.

        They come in the order of files and lines, without mentions in running text.

        Args:
            name: the last part of the name.
            receiver: the module, class or value before the name; empty matches any.
            limit: the size of the page.
            offset: the number of skipped rows.
        """
        rows = self._fetch_rows(_SELECT_EXTERNAL, name, receiver, receiver, receiver, receiver, limit, offset)
        return [UnresolvedUse(EDGE_KINDS[row[0]], row[1], row[2], to_node(row[4:]), row[3]) for row in rows]

    def count_external(self, name: str, receiver: str) -> int:
        """Count the references that `list_external` can return."""
        return int(self._fetch_value(_COUNT_EXTERNAL, name, receiver, receiver, receiver, receiver))

    def count_by_file(self) -> list[tuple[str, int, int, int]]:
        """Return path, kind number, references and those with a link, by path and kind."""
        return self._fetch_rows(_COUNT_BY_FILE)

    def list_by_file(self, path: str) -> list[StoredReference]:
        """List the references of a file, unordered."""
        return self._fetch_rows(_SELECT_BY_FILE, path)

    def insert(self, rows: Iterable[ReferenceRow]) -> None:
        """Insert references and mark them or their names as pending.

        In a graph that was never linked, every name of a node is pending.
        """
        self._db.executemany(
            _INSERT_IN_LINKED_GRAPH if self._fetch_value(_HAS_GENERATION) else _INSERT_IN_NEW_GRAPH, rows
        )

    def update_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of references, given as line and number."""
        self._db.executemany("UPDATE refs SET line = ? WHERE n = ?", rows)

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove references and their links."""
        self._db.executemany("DELETE FROM refs WHERE n = ?", ((n,) for n in numbers))

    def insert_methods(self, source: int, name: str, line: int) -> int:
        """Insert an "implements" reference by methods and return its number."""
        return int(self._fetch_value(_INSERT_METHODS, source, IMPLEMENTS, name, line))

    def update_method_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of method references, given as line and type number."""
        self._db.executemany("UPDATE refs SET line = ? WHERE source = ? AND via = 'methods'", rows)

    def remove_methods(self) -> None:
        """Remove all method references."""
        self._db.execute("DELETE FROM refs WHERE via = 'methods'")

    def mark_pending(self, names: Iterable[str]) -> None:
        """Mark all references to these names for linking."""
        self._db.executemany(_INSERT_PENDING, ((name,) for name in names))

    def mark_folders_pending(self, folders: Iterable[str]) -> None:
        """Mark all references to definitions in these folders for linking.

        The project's root is "".
        """
        self._db.executemany(_INSERT_PENDING_FOLDER, map(_get_path_range, folders))

    def has_pending(self) -> bool:
        """Check whether anything waits for linking or removal."""
        return bool(self._fetch_value(_HAS_PENDING))

    def iter_pending(self) -> Iterator[PendingReference]:
        """Yield the pending references that may have a target, by name."""
        return cast("Iterator[PendingReference]", self._db.execute(_SELECT_PENDING))

    def iter_candidates(self) -> Iterator[NameCandidate]:
        """Yield the definitions of pending names, in order.

        The last of several with the same name in one file comes last.
        """
        return cast("Iterator[NameCandidate]", self._db.execute(_SELECT_CANDIDATES))

    def clear_pending(self) -> None:
        """Clear all pending marks."""
        self._db.execute("UPDATE refs SET linked = 1 WHERE NOT linked")
        self._db.execute("DELETE FROM graph_pending")


def _get_path_range(folder: str) -> tuple[str, str]:
    """Return the bounds of the paths in a folder; `0` sorts after `/`."""
    return (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
