"""Table of definitions: files, their symbols, and document sections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from aurora.memory.model.graph import Node
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.graph import NodeRow, NodeUpdate, StoredNode


COLUMNS = "o.n, o.id, o.path, o.symbol, o.name, o.kind, o.language, o.start_line, o.end_line"
"""Columns that `to_node` reads, in this order, from the table alias `o`."""

_INSERT_NODE = """
INSERT INTO nodes (n, id, path, symbol, name, kind, language, start_line, end_line, parent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_UPDATE_NODE = "UPDATE nodes SET kind = ?, language = ?, start_line = ?, end_line = ?, parent = ? WHERE n = ?"
_SELECT_NEXT_NUMBER = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'nodes'"
_SELECT_GO_TYPES = """
SELECT n, path, symbol, kind, start_line FROM nodes
WHERE language = 'go' AND kind IN ('struct', 'type', 'interface', 'method') ORDER BY kind = 'method', path, symbol
"""
_SELECT_NAMES = "SELECT DISTINCT name FROM nodes WHERE length(name) BETWEEN ? AND ? AND kind != 'section' LIMIT ?"
_GRAPH_TABLES = ("edges", "refs", "nodes", "graph_pending", "graph_gone", "graph_packed")


def to_node(row: Sequence[Any]) -> Node:
    """Convert a row of `COLUMNS` to a node."""
    return Node(*row)


class NodeTable(Table):
    """Definitions with a stable id and a number that is never reused.

    Lists are sorted by file and line unless documented otherwise.
    """

    def get_by_number(self, n: int) -> Node:
        """Return the existing node with this number."""
        (found,) = self._select_nodes("n = ?", n)
        return found

    def get_by_id(self, id_: str) -> Node | None:
        """Return the node with this id, or None."""
        return next(iter(self._select_nodes("id = ?", id_)), None)

    def find_by_name(self, name: str) -> list[Node]:
        """List the nodes with this name."""
        return self._select_nodes("name = ?", name)

    def find_by_name_in(self, name: str, path: str) -> list[Node]:
        """List the nodes with this name in files whose path ends so."""
        ending = f"/{path.lstrip('/')}"
        return self._select_nodes("name = ? AND substr('/' || path, ?) = ?", name, -len(ending), ending)

    def find_files(self, name: str) -> list[Node]:
        """List files by import name or by the end of their path, ignoring case."""
        plain = re.sub(r"([%_\\])", r"\\\1", name.lstrip("/"))
        ending = f"%/{plain}" if name else ""
        return self._select_nodes(r"symbol = '' AND (name = ? OR '/' || path LIKE ? ESCAPE '\')", name, ending)

    def find_innermost(self, path: str, line: int) -> Node | None:
        """Return the innermost node at a line; None if the file is unknown."""
        where, order = "path = ? AND start_line <= ? AND end_line >= ?", "start_line DESC, n DESC"
        return next(iter(self._select_nodes(where, path, line, line, order=order)), None)

    def find_starting_between(self, path: str, first: int, last: int) -> list[Node]:
        """List the nodes that start between two lines, both included."""
        return self._select_nodes("path = ? AND start_line BETWEEN ? AND ? AND symbol != ''", path, first, last)

    def get_parent(self, n: int) -> Node | None:
        """Return the enclosing node; None for a file."""
        return next(iter(self._select_nodes("n = (SELECT parent FROM nodes WHERE n = ?)", n)), None)

    def list_children(self, n: int) -> list[Node]:
        """List the direct children."""
        return self._select_nodes("parent = ?", n, order="path, start_line, n")

    def list_descendants(self, symbol: str) -> list[Node]:
        """List the descendants of all definitions with this symbol."""
        return self._select_nodes("symbol > ? AND symbol < ?", f"{symbol}.", f"{symbol}/")

    def get_inner(self, first: int, second: int) -> Node:
        """Return the child of two nodes of which one contains the other."""
        (found,) = self._select_nodes("n IN (?, ?) AND parent IN (?, ?)", first, second, first, second)
        return found

    def count_children(self, n: int) -> int:
        """Count the direct children."""
        return int(self._fetch_value("SELECT count(*) FROM nodes WHERE parent = ?", n))

    def has_parent(self, n: int) -> bool:
        """Check whether the node has a parent."""
        return bool(self._fetch_value("SELECT count(*) FROM nodes WHERE n = ? AND parent IS NOT NULL", n))

    def list_names(self, shortest: int, longest: int, most: int) -> list[str]:
        """List distinct names of a length, except of sections, unordered."""
        return self._fetch_column(_SELECT_NAMES, shortest, longest, most)

    def iter_numbers(self) -> Iterator[int]:
        """Yield all numbers in order."""
        return (n for (n,) in cast("Iterator[tuple[int]]", self._db.execute("SELECT n FROM nodes ORDER BY n")))

    def iter_kinds(self) -> Iterator[tuple[str, str]]:
        """Yield id and kind of every node, unordered."""
        return cast("Iterator[tuple[str, str]]", self._db.execute("SELECT id, kind FROM nodes"))

    def iter_go_types(self) -> Iterator[tuple[int, str, str, str, int]]:
        """Yield number, path, symbol, kind and line of Go types, then methods."""
        return cast("Iterator[tuple[int, str, str, str, int]]", self._db.execute(_SELECT_GO_TYPES))

    def list_package_files(self) -> list[str]:
        """List the `__init__.py` files."""
        return self._fetch_column("SELECT path FROM nodes WHERE symbol = '' AND '/' || path GLOB '*/__init__.py'")

    def get_by_file(self, path: str) -> dict[str, StoredNode]:
        """Return number, kind and language of a file's nodes by id."""
        return {
            row[0]: row[1:] for row in self._fetch_rows("SELECT id, n, kind, language FROM nodes WHERE path = ?", path)
        }

    def list_rows(self, path: str) -> list[NodeRow]:
        """List the nodes of a file, unordered."""
        return self._fetch_rows(
            "SELECT n, id, path, symbol, name, kind, language, start_line, end_line, parent FROM nodes WHERE path = ?",
            path,
        )

    def get_next_number(self) -> int:
        """Return the first free number; all above it are free too."""
        return int(self._fetch_value(_SELECT_NEXT_NUMBER))

    def insert(self, rows: Iterable[NodeRow]) -> None:
        """Insert new nodes; references to their names become pending separately."""
        self._db.executemany(_INSERT_NODE, rows)

    def update(self, rows: Iterable[NodeUpdate]) -> None:
        """Update the changed columns of existing nodes."""
        self._db.executemany(_UPDATE_NODE, rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove nodes and their references; names that link to them become pending."""
        self._db.executemany("DELETE FROM nodes WHERE id = ?", ((id_,) for id_ in ids))

    def remove_file(self, path: str) -> None:
        """Remove all nodes of a file, as `remove` does."""
        self._db.execute("DELETE FROM nodes WHERE path = ?", (path,))

    def cancel_file_removal(self, path: str) -> None:
        """Keep the nodes of a file that was removed and written again."""
        self._db.execute("DELETE FROM graph_gone WHERE path = ?", (path,))

    def remove_deleted_files(self) -> None:
        """Remove the nodes of all files removed since the last call."""
        self._db.execute("DELETE FROM nodes WHERE path IN (SELECT path FROM graph_gone)")
        self._db.execute("DELETE FROM graph_gone")

    def clear(self) -> None:
        """Remove the whole code graph and its pending work."""
        for table in _GRAPH_TABLES:
            self._db.execute(f"DELETE FROM {table}")
        self._db.execute("DELETE FROM graph_pending")  # the trigger on nodes has filled it again

    def _select_nodes(self, where: str, *bindings: object, order: str = "path, start_line") -> list[Node]:
        sql = f"SELECT {COLUMNS} FROM nodes o WHERE {where} ORDER BY {order}"
        return [to_node(row) for row in self._fetch_rows(sql, *bindings)]
