"""Table of references by name, and of the names that wait for linking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.model.graph import EDGE_KINDS, IMPLEMENTS, MENTIONS, UnresolvedUse
from aurora.memory.postgres.table import NameTable

from .nodes import COLUMNS, to_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.memory.model.graph import NameCandidate, PendingReference, ReferenceRow, StoredReference


_SELECT_PENDING = """
SELECT r.n, r.source, r.kind, r.name, r.via, s.path, s.symbol, s.language
FROM graph_pending AS p JOIN refs AS r ON r.name = p.name JOIN nodes AS s ON s.n = r.source WHERE r.via != 'methods'
UNION ALL
SELECT r.n, r.source, r.kind, r.name, r.via, s.path, s.symbol, s.language
FROM refs AS r JOIN nodes AS s ON s.n = r.source
WHERE NOT r.linked AND EXISTS (SELECT 1 FROM nodes AS named WHERE named.name = r.name)
AND NOT EXISTS (SELECT 1 FROM graph_pending AS p WHERE p.name = r.name)
ORDER BY name, n
"""
_SELECT_CANDIDATES = """
WITH waiting (name) AS (
    SELECT name FROM graph_pending UNION SELECT name FROM refs AS unlinked WHERE NOT linked
)
SELECT waiting.name, nodes.n, nodes.path, nodes.symbol, nodes.kind, nodes.language
FROM waiting JOIN nodes ON nodes.name = waiting.name
WHERE EXISTS (SELECT 1 FROM refs WHERE refs.name = waiting.name)
ORDER BY waiting.name, nodes.path, nodes.symbol, nodes.id DESC
"""
_HAS_PENDING = """
SELECT EXISTS (SELECT 1 FROM graph_pending) OR EXISTS (SELECT 1 FROM graph_gone)
    OR EXISTS (SELECT 1 FROM refs WHERE NOT linked)
"""
_INSERT_PENDING = """
INSERT INTO graph_pending (name) SELECT DISTINCT name FROM unnest($1::text[]) AS given (name)
ON CONFLICT DO NOTHING
"""
_INSERT_PENDING_FOLDERS = """
INSERT INTO graph_pending (name) SELECT DISTINCT name
FROM unnest($1::text[], $2::text[]) AS folder (low, high) JOIN nodes ON path >= folder.low AND path < folder.high
ON CONFLICT DO NOTHING
"""
# A reference is pending by itself only if its name is not pending and some node has the name. If no node has the
# name, all its references become pending with the first node.
_INSERT_REFERENCES = """
INSERT INTO refs (n, source, kind, name, via, line, linked) SELECT given.*, {linked}
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[])
    AS given (n, source, kind, name, via, line)
"""
_INSERT_IN_NEW_GRAPH = _INSERT_REFERENCES.format(linked="true")
_INSERT_IN_LINKED_GRAPH = _INSERT_REFERENCES.format(
    linked="NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.name = given.name) "
    "OR EXISTS (SELECT 1 FROM graph_pending WHERE graph_pending.name = given.name)"
)
_HAS_GENERATION = "SELECT EXISTS (SELECT 1 FROM facts WHERE key = 'graph_generation')"
_UPDATE_LINES = """
UPDATE refs SET line = given.line FROM unnest($1::bigint[], $2::bigint[]) AS given (line, {column})
WHERE refs.{column} = given.{column}
"""
_SELECT_BY_FILE = """
SELECT refs.source, refs.kind, refs.name, refs.via, refs.n, refs.line FROM nodes JOIN refs ON refs.source = nodes.n
WHERE nodes.path = $1 AND refs.via != 'methods' ORDER BY refs.n
"""
_COUNT_BY_FILE = """
SELECT s.path, r.kind, count(*), count(*) FILTER (WHERE EXISTS (SELECT 1 FROM edges WHERE edges.ref = r.n))
FROM refs AS r JOIN nodes AS s ON s.n = r.source WHERE r.via != 'methods'
GROUP BY s.path, r.kind ORDER BY s.path, r.kind
"""
_FROM_EXTERNAL = f"""
FROM refs AS r {{join}} WHERE r.name = $1 AND r.kind != {MENTIONS}
AND NOT EXISTS (SELECT 1 FROM edges WHERE edges.ref = r.n)
AND ($2 = '' OR r.via IN ('in:' || $2, 'on:' || $2, 'of:' || $2))
"""
_COUNT_EXTERNAL = "SELECT count(*)" + _FROM_EXTERNAL.format(join="")
_SELECT_EXTERNAL = (
    f"SELECT r.kind, r.name, r.via, r.line, {COLUMNS}"
    + _FROM_EXTERNAL.format(join="JOIN nodes AS o ON o.n = r.source")
    + "ORDER BY o.path, r.line, r.n LIMIT $3 OFFSET $4"
)


class ReferenceTable(NameTable):
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
        rows = self._fetch_rows(_SELECT_EXTERNAL, name, receiver, limit, offset)
        return [UnresolvedUse(EDGE_KINDS[row[0]], row[1], row[2], to_node(row[4:]), row[3]) for row in rows]

    def count_external(self, name: str, receiver: str) -> int:
        """Count the references that `list_external` can return."""
        return int(self._fetch_value(_COUNT_EXTERNAL, name, receiver))

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
        rows = list(rows)
        if rows:
            first = self._take_numbers("refs", len(rows))
            sql = _INSERT_IN_LINKED_GRAPH if self._fetch_value(_HAS_GENERATION) else _INSERT_IN_NEW_GRAPH
            self._write_rows(sql, ((n, *row) for n, row in enumerate(rows, first)))

    def update_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of references, given as line and number."""
        self._write_rows(_UPDATE_LINES.format(column="n"), rows)

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove references and their links."""
        self._execute("DELETE FROM refs WHERE n = ANY($1::bigint[])", list(numbers))

    def insert_methods(self, source: int, name: str, line: int) -> int:
        """Insert an "implements" reference by methods and return its number."""
        n = self._take_numbers("refs")
        self._write_rows(_INSERT_IN_NEW_GRAPH, [(n, source, IMPLEMENTS, name, "methods", line)])
        return n

    def update_method_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of method references, given as line and type number."""
        self._write_rows(f"{_UPDATE_LINES.format(column='source')} AND refs.via = 'methods'", rows)

    def remove_methods(self) -> None:
        """Remove all method references."""
        self._execute("DELETE FROM refs WHERE via = 'methods'")

    def mark_pending(self, names: Iterable[str]) -> None:
        """Mark all references to these names for linking."""
        self._execute(_INSERT_PENDING, list(names))

    def mark_folders_pending(self, folders: Iterable[str]) -> None:
        """Mark all references to definitions in these folders for linking.

        The project's root is "".
        """
        self._write_rows(_INSERT_PENDING_FOLDERS, map(_get_path_range, folders))

    def has_pending(self) -> bool:
        """Check whether anything waits for linking or removal."""
        return bool(self._fetch_value(_HAS_PENDING))

    def iter_pending(self) -> Iterator[PendingReference]:
        """Yield the pending references that may have a target, by name."""
        return self._iter_rows(_SELECT_PENDING)

    def iter_candidates(self) -> Iterator[NameCandidate]:
        """Yield the definitions of pending names, in order.

        The last of several with the same name in one file comes last.
        """
        return self._iter_rows(_SELECT_CANDIDATES)

    def clear_pending(self) -> None:
        """Clear all pending marks."""
        self._execute("UPDATE refs SET linked = true WHERE NOT linked")
        self._execute("DELETE FROM graph_pending")


def _get_path_range(folder: str) -> tuple[str, str]:
    """Return the bounds of the paths in a folder; `0` sorts after `/`."""
    return (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
