"""Table of definitions: files, their symbols, and document sections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aurora.memory.model.graph import Node
from aurora.memory.postgres.table import NameTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.graph import NodeRow, NodeUpdate, StoredNode


COLUMNS = "o.n, o.id, o.path, o.symbol, o.name, o.kind, o.language, o.start_line, o.end_line"
"""Columns that `to_node` reads, in this order, from the table alias `o`."""

_ROW = "n, id, path, symbol, name, kind, language, start_line, end_line, parent"
_INSERT_NODES = f"""
INSERT INTO nodes ({_ROW}) SELECT * FROM unnest(
    $1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
    $10::bigint[]
)
"""
_RAISE_COUNTER = """
INSERT INTO counters (name, last) VALUES ('nodes', $1)
ON CONFLICT (name) DO UPDATE SET last = greatest(counters.last, excluded.last)
"""
_UPDATE_NODES = """
UPDATE nodes SET kind = given.kind, language = given.language, start_line = given.start_line,
    end_line = given.end_line, parent = given.parent
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS given (kind, language, start_line, end_line, parent, n)
WHERE nodes.n = given.n
"""
_REMOVE = """
WITH removed AS (DELETE FROM nodes WHERE {condition} RETURNING name)
INSERT INTO graph_pending (name) SELECT DISTINCT name FROM removed ON CONFLICT DO NOTHING
"""
"""Removes nodes, and marks the references to their names for linking."""
_SELECT_GO_TYPES = """
SELECT n, path, symbol, kind, start_line FROM nodes
WHERE language = 'go' AND kind IN ('struct', 'type', 'interface', 'method') ORDER BY kind = 'method', path, symbol, n
"""
_SELECT_NAMES = """
SELECT DISTINCT name FROM nodes WHERE length(name) BETWEEN $1 AND $2 AND kind != 'section' LIMIT $3
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
        (found,) = self._select_nodes("n = $1", n)
        return found

    def get_by_id(self, id_: str) -> Node | None:
        """Return the node with this id, or None."""
        return next(iter(self._select_nodes("id = $1", id_)), None)

    def find_by_name(self, name: str) -> list[Node]:
        """List the nodes with this name."""
        return self._select_nodes("name = $1", name)

    def find_by_name_in(self, name: str, path: str) -> list[Node]:
        """List the nodes with this name in files whose path ends so."""
        ending = f"/{path.lstrip('/')}"
        return self._select_nodes("name = $1 AND right('/' || path, length($2)) = $2", name, ending)

    def find_files(self, name: str) -> list[Node]:
        """List files by import name or by the end of their path, ignoring case."""
        plain = re.sub(r"([%_\\])", r"\\\1", name.lstrip("/"))
        ending = f"%/{plain}" if name else ""
        return self._select_nodes(r"symbol = '' AND (name = $1 OR '/' || path ILIKE $2 ESCAPE '\')", name, ending)

    def find_innermost(self, path: str, line: int) -> Node | None:
        """Return the innermost node at a line; None if the file is unknown."""
        where, order = "path = $1 AND start_line <= $2 AND end_line >= $2", "start_line DESC, n DESC"
        return next(iter(self._select_nodes(where, path, line, order=order)), None)

    def find_starting_between(self, path: str, first: int, last: int) -> list[Node]:
        """List the nodes that start between two lines, both included."""
        return self._select_nodes("path = $1 AND start_line BETWEEN $2 AND $3 AND symbol != ''", path, first, last)

    def get_parent(self, n: int) -> Node | None:
        """Return the enclosing node; None for a file."""
        return next(iter(self._select_nodes("n = (SELECT parent FROM nodes WHERE n = $1)", n)), None)

    def list_children(self, n: int) -> list[Node]:
        """List the direct children."""
        return self._select_nodes("parent = $1", n)

    def list_descendants(self, symbol: str) -> list[Node]:
        """List the descendants of all definitions with this symbol."""
        return self._select_nodes("symbol > $1 AND symbol < $2", f"{symbol}.", f"{symbol}/")

    def get_inner(self, first: int, second: int) -> Node:
        """Return the child of two nodes of which one contains the other."""
        (found,) = self._select_nodes("n IN ($1, $2) AND parent IN ($1, $2)", first, second)
        return found

    def count_children(self, n: int) -> int:
        """Count the direct children."""
        return int(self._fetch_value("SELECT count(*) FROM nodes WHERE parent = $1", n))

    def has_parent(self, n: int) -> bool:
        """Check whether the node has a parent."""
        return bool(self._fetch_value("SELECT count(*) FROM nodes WHERE n = $1 AND parent IS NOT NULL", n))

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
        sql = r"SELECT path FROM nodes WHERE symbol = '' AND '/' || path LIKE '%/\_\_init\_\_.py' ORDER BY n"
        return self._fetch_column(sql)

    def get_by_file(self, path: str) -> dict[str, StoredNode]:
        """Return number, kind and language of a file's nodes by id."""
        rows = self._fetch_rows("SELECT id, n, kind, language FROM nodes WHERE path = $1 ORDER BY n", path)
        return {row[0]: row[1:] for row in rows}

    def list_rows(self, path: str) -> list[NodeRow]:
        """List the nodes of a file, unordered."""
        return self._fetch_rows(f"SELECT {_ROW} FROM nodes WHERE path = $1 ORDER BY n", path)

    def get_next_number(self) -> int:
        """Return the first free number; all above it are free too."""
        return int(self._fetch_value("SELECT coalesce((SELECT last FROM counters WHERE name = 'nodes'), 0) + 1"))

    def insert(self, rows: Iterable[NodeRow]) -> None:
        """Insert new nodes; references to their names become pending separately."""
        rows = list(rows)
        self._write_rows(_INSERT_NODES, rows)
        if rows:
            self._execute(_RAISE_COUNTER, max(row[0] for row in rows))

    def update(self, rows: Iterable[NodeUpdate]) -> None:
        """Update the changed columns of existing nodes."""
        self._write_rows(_UPDATE_NODES, rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove nodes and their references; names that link to them become pending."""
        self._execute(_REMOVE.format(condition="id = ANY($1::text[])"), list(ids))

    def remove_file(self, path: str) -> None:
        """Remove all nodes of a file, as `remove` does."""
        self._execute(_REMOVE.format(condition="path = $1"), path)

    def cancel_file_removal(self, path: str) -> None:
        """Keep the nodes of a file that was removed and written again."""
        self._execute("DELETE FROM graph_gone WHERE path = $1", path)

    def remove_deleted_files(self) -> None:
        """Remove the nodes of all files removed since the last call."""
        self._execute(_REMOVE.format(condition="path IN (SELECT path FROM graph_gone)"))
        self._execute("DELETE FROM graph_gone")

    def clear(self) -> None:
        """Remove the whole code graph and its pending work."""
        for table in _GRAPH_TABLES:
            self._execute(f"DELETE FROM {table}")

    def _select_nodes(self, where: str, *values: object, order: str = "path, start_line, n") -> list[Node]:
        sql = f"SELECT {COLUMNS} FROM nodes AS o WHERE {where} ORDER BY {order}"
        return [to_node(row) for row in self._fetch_rows(sql, *values)]
