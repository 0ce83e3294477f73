"""Tables of the code graph: definitions, references by name, and the links between definitions."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from aurora.memory.model.graph import (
    CONTAINS,
    EDGE_KINDS,
    IMPLEMENTS,
    MENTIONS,
    Link,
    NamedReference,
    Node,
    StrongestLink,
    UnresolvedUse,
)

from .session import NameTable, fold_ascii

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.graph import (
        LinkFilter,
        LinkRow,
        NameCandidate,
        NodeRow,
        NodeUpdate,
        PendingReference,
        ReferenceRow,
        Side,
        StoredNode,
        StoredReference,
    )

COLUMNS = "o.n, o.id, o.path, o.symbol, o.name, o.kind, o.language, o.start_line, o.end_line"
"""Columns that `to_node` reads, in this order, from the table alias `o`."""

_ROW = "n, id, path, symbol, name, kind, language, start_line, end_line, parent"
_UPDATE_NODE = "UPDATE nodes SET kind = ?1, language = ?2, start_line = ?3, end_line = ?4, parent = ?5 WHERE n = ?6"
_SELECT_GO_TYPES = """
SELECT n, path, symbol, kind, start_line FROM nodes
WHERE language = 'go' AND kind IN ('struct', 'type', 'interface', 'method') ORDER BY kind = 'method', path, symbol, n
"""
_SELECT_NAMES = """
SELECT DISTINCT name FROM nodes WHERE length(name) BETWEEN ?1 AND ?2 AND kind != 'section' LIMIT ?3
"""
_GRAPH_TABLES = ("edges", "refs", "nodes", "graph_pending", "graph_gone", "graph_packed")


def to_node(row: Sequence[Any]) -> Node:
    """Convert a row of `COLUMNS` to a node."""
    return Node(*row)


class NodeTable(NameTable):
    """Definitions with a stable id and a number that is never reused.

    Lists are sorted by file and line unless documented otherwise.
    """

    def get_by_number(self, n: int) -> Node:
        """Return the existing node with this number."""
        (found,) = self._select_nodes("n = ?1", n)
        return found

    def get_by_id(self, id_: str) -> Node | None:
        """Return the node with this id, or None."""
        return next(iter(self._select_nodes("id = ?1", id_)), None)

    def find_by_name(self, name: str) -> list[Node]:
        """List the nodes with this name."""
        return self._select_nodes("name = ?1", name)

    def find_by_name_in(self, name: str, path: str) -> list[Node]:
        """List the nodes with this name in files whose path ends so."""
        ending = f"/{path.lstrip('/')}"
        return [node for node in self.find_by_name(name) if f"/{node.path}".endswith(ending)]

    def find_files(self, name: str) -> list[Node]:
        """List files by import name or by the end of their path, ignoring case."""
        # SQLite's `lower` folds ASCII only, so the name is folded in the same way.
        plain = re.sub(r"([%_\\])", r"\\\1", fold_ascii(name.lstrip("/")))
        ending = f"%/{plain}" if name else ""
        where = r"symbol = '' AND (name = ?1 OR lower('/' || path) LIKE ?2 ESCAPE '\')"
        return self._select_nodes(where, name, ending)

    def find_innermost(self, path: str, line: int) -> Node | None:
        """Return the innermost node at a line; None if the file is unknown."""
        where, order = "path = ?1 AND start_line <= ?2 AND end_line >= ?2", "start_line DESC, n DESC"
        return next(iter(self._select_nodes(where, path, line, order=order)), None)

    def find_starting_between(self, path: str, first: int, last: int) -> list[Node]:
        """List the nodes that start between two lines, both included."""
        return self._select_nodes("path = ?1 AND start_line BETWEEN ?2 AND ?3 AND symbol != ''", path, first, last)

    def get_parent(self, n: int) -> Node | None:
        """Return the enclosing node; None for a file."""
        return next(iter(self._select_nodes("n = (SELECT parent FROM nodes WHERE n = ?1)", n)), None)

    def list_children(self, n: int) -> list[Node]:
        """List the direct children."""
        return self._select_nodes("parent = ?1", n)

    def list_descendants(self, symbol: str) -> list[Node]:
        """List the descendants of all definitions with this symbol."""
        # `/` is the character after `.`, so the range has what begins with the symbol and a dot.
        return self._select_nodes("symbol > ?1 AND symbol < ?2", f"{symbol}.", f"{symbol}/")

    def get_inner(self, first: int, second: int) -> Node:
        """Return the child of two nodes of which one contains the other."""
        (found,) = self._select_nodes("n IN (?1, ?2) AND parent IN (?1, ?2)", first, second)
        return found

    def count_children(self, n: int) -> int:
        """Count the direct children."""
        return int(self._fetch_value("SELECT count(*) FROM nodes WHERE parent = ?1", n))

    def has_parent(self, n: int) -> bool:
        """Check whether the node has a parent."""
        return bool(self._fetch_value("SELECT count(*) FROM nodes WHERE n = ?1 AND parent IS NOT NULL", n))

    def list_names(self, shortest: int, longest: int, most: int) -> list[str]:
        """List distinct names of a length, except of sections, unordered."""
        return self._fetch_column(_SELECT_NAMES, shortest, longest, most)

    def iter_numbers(self) -> Iterator[int]:
        """Yield all numbers in order."""
        return iter(self._fetch_column("SELECT n FROM nodes ORDER BY n"))

    def iter_kinds(self) -> Iterator[tuple[str, str]]:
        """Yield id and kind of every node, unordered."""
        return self._iter_rows("SELECT id, kind FROM nodes")

    def iter_go_types(self) -> Iterator[tuple[int, str, str, str, int]]:
        """Yield number, path, symbol, kind and line of Go types, then methods."""
        return iter(self._fetch_rows(_SELECT_GO_TYPES))

    def list_package_files(self) -> list[str]:
        """List the `__init__.py` files."""
        sql = r"SELECT path FROM nodes WHERE symbol = '' AND path LIKE '%\_\_init\_\_.py' ESCAPE '\' ORDER BY n"
        # LIKE ignores case in SQLite, and takes `x__init__.py` as well.
        return [path for path in self._fetch_column(sql) if f"/{path}".endswith("/__init__.py")]

    def get_by_file(self, path: str) -> dict[str, StoredNode]:
        """Return number, kind and language of a file's nodes by id."""
        rows = self._fetch_rows("SELECT id, n, kind, language FROM nodes WHERE path = ?1 ORDER BY n", path)
        return {row[0]: row[1:] for row in rows}

    def list_rows(self, path: str) -> list[NodeRow]:
        """List the nodes of a file, unordered."""
        return self._fetch_rows(f"SELECT {_ROW} FROM nodes WHERE path = ?1 ORDER BY n", path)

    def get_next_number(self) -> int:
        """Return the first free number; all above it are free too."""
        return self._db.get_next_number("nodes")

    def insert(self, rows: Iterable[NodeRow]) -> None:
        """Insert new nodes; references to their names become pending separately."""
        rows = list(rows)
        self._insert_rows("nodes", _ROW, rows)
        if rows:
            self._db.raise_number("nodes", max(row[0] for row in rows))

    def update(self, rows: Iterable[NodeUpdate]) -> None:
        """Update the changed columns of existing nodes."""
        self._execute_many(_UPDATE_NODE, rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove nodes and their references; names that link to them become pending."""
        self._remove("id = ANY(?1)", list(ids))

    def remove_file(self, path: str) -> None:
        """Remove all nodes of a file, as `remove` does."""
        self._remove("path = ?1", path)

    def cancel_file_removal(self, path: str) -> None:
        """Keep the nodes of a file that was removed and written again."""
        self._execute("DELETE FROM graph_gone WHERE path = ?1", path)

    def remove_deleted_files(self) -> None:
        """Remove the nodes of all files removed since the last call."""
        self._remove("path IN (SELECT path FROM graph_gone)")
        self._execute("DELETE FROM graph_gone")

    def clear(self) -> None:
        """Remove the whole code graph and its pending work."""
        for table in _GRAPH_TABLES:
            self._execute(f"DELETE FROM {table}")

    def _remove(self, condition: str, *values: object) -> None:
        # References that link to a removed node wait for another one of its name.
        sql = (
            f"INSERT INTO graph_pending (name) SELECT DISTINCT name FROM nodes WHERE {condition} ON CONFLICT DO NOTHING"
        )
        self._execute(sql, *values)
        self._execute(f"DELETE FROM nodes WHERE {condition}", *values)

    def _select_nodes(self, where: str, *values: object, order: str = "path, start_line, n") -> list[Node]:
        sql = f"SELECT {COLUMNS} FROM nodes AS o WHERE {where} ORDER BY {order}"
        return [to_node(row) for row in self._fetch_rows(sql, *values)]


_END_COLUMNS = {"out": ("source", "target"), "in": ("target", "source")}
"""Direction -> the column of the given node, and the column of the other."""

# CROSS JOIN holds SQLite to this order: from the few links of one node to their references.
_SELECT_PAGE = """
SELECT e.kind, e.confidence, e.how, r.line, s.path, {columns}
FROM edges AS e CROSS JOIN refs AS r ON r.n = e.ref CROSS JOIN nodes AS o ON o.n = e.{other}
CROSS JOIN nodes AS s ON s.n = e.source WHERE e.{own} = ?1 AND e.confidence >= ?2 AND e.kind = ANY(?3)
ORDER BY e.confidence DESC, e.kind, e.ref, e.target LIMIT ?4 OFFSET ?5
"""
_COUNT_LINKS = "SELECT count(*) FROM edges WHERE {own} = ?1 AND confidence >= ?2 AND kind = ANY(?3)"
_SELECT_STRONGEST = """
SELECT e.kind, e.confidence, e.how, s.path, r.line FROM edges AS e JOIN refs AS r ON r.n = e.ref
JOIN nodes AS s ON s.n = e.source WHERE e.source = ?1 AND e.target = ?2 AND e.confidence >= ?3
AND e.kind = ANY(?4) ORDER BY e.confidence DESC, e.kind, e.ref LIMIT 1
"""
_SELECT_ENDPOINTS = """
SELECT DISTINCT s.id, e.kind, t.id FROM edges AS e
JOIN nodes AS s ON s.n = e.source JOIN nodes AS t ON t.n = e.target WHERE e.confidence >= ?1
"""
_SELECT_WITH_NESTING = f"""
SELECT source, target, kind, confidence FROM edges
UNION ALL SELECT parent, n, {CONTAINS}, 1.0 FROM nodes WHERE parent IS NOT NULL
"""
_DELETE_PENDING = """
DELETE FROM edges WHERE ref IN (
    SELECT n FROM refs WHERE name IN (SELECT name FROM graph_pending) AND via != 'methods'
)
"""


class LinkTable(NameTable):
    """Links between nodes, without nesting, which `NodeTable` contains.

    Kinds are given by name; no name means all.
    """

    def list_page(self, n: int, side: Side, page: LinkFilter) -> list[Link]:
        """List a page of links of a node, the most confident first."""
        own, other = _END_COLUMNS[side]
        sql = _SELECT_PAGE.format(columns=COLUMNS, own=own, other=other)
        rows = self._fetch_rows(sql, n, page.least, _get_kind_numbers(page.kinds), page.limit, page.offset)
        return [
            Link(EDGE_KINDS[row[0]], side == "out", to_node(row[5:]), row[1], row[2], row[4], row[3]) for row in rows
        ]

    def count(self, n: int, side: Side, kinds: Sequence[str], least: float) -> int:
        """Count the links that `list_page` can return."""
        sql = _COUNT_LINKS.format(own=_END_COLUMNS[side][0])
        return int(self._fetch_value(sql, n, least, _get_kind_numbers(kinds)))

    def count_by_kind(self, n: int, side: Side) -> dict[str, int]:
        """Count a node's links by kind."""
        own = _END_COLUMNS[side][0]
        rows = self._fetch_rows(f"SELECT kind, count(*) FROM edges WHERE {own} = ?1 GROUP BY kind", n)
        return {EDGE_KINDS[kind]: count for kind, count in sorted(rows)}

    def find_strongest(self, source: int, target: int, kinds: Sequence[str], least: float) -> StrongestLink | None:
        """Find the most confident link between two nodes; None if there is none."""
        for kind, *rest in self._fetch_rows(_SELECT_STRONGEST, source, target, least, _get_kind_numbers(kinds)):
            return StrongestLink(EDGE_KINDS[kind], *rest)
        return None

    def iter_endpoints(self, least: float) -> Iterator[tuple[str, str, str]]:
        """Yield the distinct source id, kind and target id of all links, unordered."""
        rows = self._iter_rows(_SELECT_ENDPOINTS, least)
        return ((source, EDGE_KINDS[kind], target) for source, kind, target in rows)

    def iter_with_nesting(self) -> Iterator[tuple[int, int, int, float]]:
        """Yield source, target, kind number and confidence, with nesting, unordered."""
        return self._iter_rows(_SELECT_WITH_NESTING)

    def insert(self, rows: Iterable[LinkRow]) -> None:
        """Insert links."""
        self._insert_rows("edges", "ref, target, source, kind, confidence, how", rows)

    def remove_pending(self) -> None:
        """Remove the links of pending names, except for those made by methods."""
        # At the first linking every name is pending and no link exists yet.
        if self._fetch_rows("SELECT 1 FROM edges LIMIT 1"):
            self._execute(_DELETE_PENDING)

    def load_packed(self, generation: int) -> bytes | None:
        """Load the packed graph of this generation; None if it is not stored."""
        rows = self._fetch_column("SELECT body FROM graph_packed WHERE generation = ?1", generation)
        return next(iter(rows), None)

    def save_packed(self, generation: int, body: bytes) -> None:
        """Replace the packed graph."""
        # Only the graph of the current generation is ever asked for.
        self._execute("DELETE FROM graph_packed")
        self._execute("INSERT INTO graph_packed (generation, body) VALUES (?1, ?2)", generation, body)


def _get_kind_numbers(kinds: Sequence[str]) -> list[int]:
    return [EDGE_KINDS.index(kind) for kind in kinds] if kinds else list(range(len(EDGE_KINDS)))


# Both queries go name by name over an index: no full sort, and most references, whose name no node has, are not
# fetched. Without the index hint a few new references would cost a scan of all references.
_SELECT_PENDING = """
SELECT r.n, r.source, r.kind, p.name AS name, r.via, s.path, s.symbol, s.language
FROM graph_pending AS p CROSS JOIN refs AS r ON r.name = p.name CROSS JOIN nodes AS s ON s.n = r.source
WHERE r.via != 'methods'
UNION ALL
SELECT r.n, r.source, r.kind, r.name, r.via, s.path, s.symbol, s.language
FROM refs AS r INDEXED BY refs_waiting CROSS JOIN nodes AS s ON s.n = r.source
WHERE r.linked = 0 AND EXISTS (SELECT 1 FROM nodes AS named WHERE named.name = r.name)
AND NOT EXISTS (SELECT 1 FROM graph_pending AS q WHERE q.name = r.name)
ORDER BY name
"""
_SELECT_CANDIDATES = """
WITH waiting (name) AS (
    SELECT name FROM graph_pending UNION SELECT name FROM refs INDEXED BY refs_waiting WHERE linked = 0
)
SELECT w.name, nodes.n, nodes.path, nodes.symbol, nodes.kind, nodes.language
FROM waiting AS w CROSS JOIN nodes ON nodes.name = w.name
WHERE EXISTS (SELECT 1 FROM refs WHERE refs.name = w.name)
ORDER BY w.name, nodes.path, nodes.symbol, nodes.id DESC
"""
_HAS_PENDING = """
SELECT EXISTS (SELECT 1 FROM graph_pending) OR EXISTS (SELECT 1 FROM graph_gone)
    OR EXISTS (SELECT 1 FROM refs WHERE linked = 0)
"""
_INSERT_PENDING_FOLDER = """
INSERT INTO graph_pending (name) SELECT DISTINCT name FROM nodes WHERE path >= ?1 AND path < ?2 ON CONFLICT DO NOTHING
"""
_ROW_OF_REFERENCE = "n, source, kind, name, via, line, linked"
# A reference is pending by itself only if its name is not pending and some node has the name. If no node has the
# name, all its references become pending with the first node.
_MARK_WAITING = """
UPDATE refs SET linked = 0 WHERE n >= ?1 AND EXISTS (SELECT 1 FROM nodes WHERE nodes.name = refs.name)
AND NOT EXISTS (SELECT 1 FROM graph_pending WHERE graph_pending.name = refs.name)
"""
_HAS_GENERATION = "SELECT EXISTS (SELECT 1 FROM facts WHERE key = 'graph_generation')"
_SELECT_BY_FILE = """
SELECT refs.source, refs.kind, refs.name, refs.via, refs.n, refs.line
FROM nodes CROSS JOIN refs ON refs.source = nodes.n
WHERE nodes.path = ?1 AND refs.via != 'methods' ORDER BY refs.n
"""
_COUNT_BY_FILE = """
SELECT s.path, r.kind, count(*), sum(CASE WHEN EXISTS (SELECT 1 FROM edges WHERE edges.ref = r.n) THEN 1 ELSE 0 END)
FROM refs AS r JOIN nodes AS s ON s.n = r.source WHERE r.via != 'methods'
GROUP BY s.path, r.kind ORDER BY s.path, r.kind
"""
_FROM_EXTERNAL = f"""
FROM refs AS r {{join}} WHERE r.name = ?1 AND r.kind != {MENTIONS}
AND NOT EXISTS (SELECT 1 FROM edges WHERE edges.ref = r.n)
AND (?2 = '' OR r.via IN ('in:' || ?2, 'on:' || ?2, 'of:' || ?2))
"""
_COUNT_EXTERNAL = "SELECT count(*)" + _FROM_EXTERNAL.format(join="")
_SELECT_EXTERNAL = (
    f"SELECT r.kind, r.name, r.via, r.line, {COLUMNS}"
    + _FROM_EXTERNAL.format(join="JOIN nodes AS o ON o.n = r.source")
    + "ORDER BY o.path, r.line, r.n LIMIT ?3 OFFSET ?4"
)


_SELECT_BY_NAME = """
SELECT r.n, r.kind, s.path, r.line, s.n AS source, s.symbol, r.via, e.target, e.confidence
FROM refs AS r JOIN nodes AS s ON s.n = r.source LEFT JOIN edges AS e ON e.ref = r.n
WHERE r.name = ?1 ORDER BY s.path, r.line, r.n
"""


class ReferenceTable(NameTable):
    """References by name, from files and, `via` methods, of Go types."""

    def list_by_name(self, name: str) -> list[NamedReference]:
        """List the references to a name by file and line, each with what it may be to."""
        rows = self._fetch_rows(_SELECT_BY_NAME, name)
        found = []
        for _n, some in groupby(rows, key=itemgetter(0)):
            every = list(some)
            _, kind, path, line, source, symbol, via, *_ = every[0]
            targets = tuple((row[7], row[8]) for row in every if row[7] is not None)
            found.append(NamedReference(EDGE_KINDS[kind], path, line, source, symbol, via, targets))
        return found

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
            self._insert_rows("refs", _ROW_OF_REFERENCE, ((n, *row, 1) for n, row in enumerate(rows, first)))
            # Before the first linking a mark on each reference would say nothing: all names are pending then.
            if self._fetch_value(_HAS_GENERATION):
                self._execute(_MARK_WAITING, first)

    def update_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of references, given as line and number."""
        self._execute_many("UPDATE refs SET line = ?1 WHERE n = ?2", rows)

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove references and their links."""
        self._execute("DELETE FROM refs WHERE n = ANY(?1)", list(numbers))

    def insert_methods(self, source: int, name: str, line: int) -> int:
        """Insert an "implements" reference by methods and return its number."""
        n = self._take_numbers("refs")
        self._insert_rows("refs", _ROW_OF_REFERENCE, [(n, source, IMPLEMENTS, name, "methods", line, 1)])
        return n

    def update_method_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of method references, given as line and type number."""
        self._execute_many("UPDATE refs SET line = ?1 WHERE source = ?2 AND via = 'methods'", rows)

    def remove_methods(self) -> None:
        """Remove all method references."""
        self._execute("DELETE FROM refs WHERE via = 'methods'")

    def mark_pending(self, names: Iterable[str]) -> None:
        """Mark all references to these names for linking."""
        self._insert_rows("graph_pending", "name", ((name,) for name in names), "ON CONFLICT DO NOTHING")

    def mark_folders_pending(self, folders: Iterable[str]) -> None:
        """Mark all references to definitions in these folders for linking.

        The project's root is "".
        """
        self._execute_many(_INSERT_PENDING_FOLDER, map(_get_path_range, folders))

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
        self._execute("UPDATE refs SET linked = 1 WHERE linked = 0")
        self._execute("DELETE FROM graph_pending")


def _get_path_range(folder: str) -> tuple[str, str]:
    """Return the bounds of the paths in a folder; `0` sorts after `/`."""
    return (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
