"""What is defined: files, what they define, and the sections of documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from aurora.memory.model import Node
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    NodeRow = tuple[int, str, str, str, str, str, str, int, int, int | None]
    """A definition as it is written: number, id, path, symbol, name, kind, language, first and last line, and the
    number of what holds it."""
    NodeUpdate = tuple[str, str, int, int, int | None, int]
    """What may change of one that stays: kind, language, first and last line, the number of what holds it; its own."""
    StoredNode = tuple[int, str, str]
    """What is known of one that is there: its number, kind and language."""

COLUMNS = "o.n, o.id, o.path, o.symbol, o.name, o.kind, o.language, o.start_line, o.end_line"
"""What `node_of` reads, in this order, of the table that is called `o`."""

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


def to_node(row: Sequence[object]) -> Node:
    """The node in a row of `COLUMNS`."""
    return Node(*row)  # type: ignore[arg-type] # the columns have the types of the fields


class NodeTable(Table):
    """What is defined; each has an id that stays, and a number that is never used twice.

    Unless said otherwise, several come in the order of their files and lines.
    """

    def get_by_number(self, n: int) -> Node:
        """The one that has this number, which is there."""
        (found,) = self._select_nodes("n = ?", n)
        return found

    def get_by_id(self, id_: str) -> Node | None:
        """The one that has this id; None when none has."""
        return next(iter(self._select_nodes("id = ?", id_)), None)

    def find_by_name(self, name: str) -> list[Node]:
        """All that bear this name."""
        return self._select_nodes("name = ?", name)

    def find_by_name_in(self, name: str, path: str) -> list[Node]:
        """All that bear this name, in the files whose path ends with these whole parts."""
        ending = f"/{path.lstrip('/')}"
        return self._select_nodes("name = ? AND substr('/' || path, ?) = ?", name, -len(ending), ending)

    def find_files(self, name: str) -> list[Node]:
        """The files that others import by this name, or whose path ends with it, in small or capital letters."""
        plain = re.sub(r"([%_\\])", r"\\\1", name.lstrip("/"))
        ending = f"%/{plain}" if name else ""
        return self._select_nodes(r"symbol = '' AND (name = ? OR '/' || path LIKE ? ESCAPE '\')", name, ending)

    def find_innermost(self, path: str, line: int) -> Node | None:
        """The innermost around a line of a file; None when the file is not in the graph."""
        where, order = "path = ? AND start_line <= ? AND end_line >= ?", "start_line DESC, n DESC"
        return next(iter(self._select_nodes(where, path, line, line, order=order)), None)

    def find_starting_between(self, path: str, first: int, last: int) -> list[Node]:
        """All but the file itself that begin between two lines of it, which count."""
        return self._select_nodes("path = ? AND start_line BETWEEN ? AND ? AND symbol != ''", path, first, last)

    def get_parent(self, n: int) -> Node | None:
        """What holds it; None for a file."""
        return next(iter(self._select_nodes("n = (SELECT parent FROM nodes WHERE n = ?)", n)), None)

    def list_children(self, n: int) -> list[Node]:
        """What it holds, not what that holds in turn."""
        return self._select_nodes("parent = ?", n, order="path, start_line, n")

    def list_descendants(self, symbol: str) -> list[Node]:
        """All that a definition called so holds, in any file and at any depth."""
        return self._select_nodes("symbol > ? AND symbol < ?", f"{symbol}.", f"{symbol}/")

    def get_inner(self, one: int, other: int) -> Node:
        """Of two, the one that the other holds; one of them does."""
        (found,) = self._select_nodes("n IN (?, ?) AND parent IN (?, ?)", one, other, one, other)
        return found

    def count_children(self, n: int) -> int:
        """How many it holds."""
        return int(self._fetch_value("SELECT count(*) FROM nodes WHERE parent = ?", n))

    def has_parent(self, n: int) -> bool:
        """Whether something holds it."""
        return bool(self._fetch_value("SELECT count(*) FROM nodes WHERE n = ? AND parent IS NOT NULL", n))

    def list_names(self, shortest: int, longest: int, most: int) -> list[str]:
        """Names of so many letters, but of sections: each once, at most so many, in no order."""
        return self._fetch_column(_SELECT_NAMES, shortest, longest, most)

    def iter_numbers(self) -> Iterator[int]:
        """The numbers of all, in order."""
        return (n for (n,) in cast("Iterator[tuple[int]]", self._db.execute("SELECT n FROM nodes ORDER BY n")))

    def iter_kinds(self) -> Iterator[tuple[str, str]]:
        """The id and the kind of each, in no order."""
        return cast("Iterator[tuple[str, str]]", self._db.execute("SELECT id, kind FROM nodes"))

    def iter_go_types(self) -> Iterator[tuple[int, str, str, str, int]]:
        """Number, path, symbol, kind and line of Go's types, interfaces and, after all these, methods."""
        return cast("Iterator[tuple[int, str, str, str, int]]", self._db.execute(_SELECT_GO_TYPES))

    def list_package_files(self) -> list[str]:
        """The paths of the files that make their folder a package of Python."""
        return self._fetch_column("SELECT path FROM nodes WHERE symbol = '' AND '/' || path GLOB '*/__init__.py'")

    def get_by_file(self, path: str) -> dict[str, StoredNode]:
        """What is there of a file, by id."""
        return {
            row[0]: row[1:] for row in self._fetch_rows("SELECT id, n, kind, language FROM nodes WHERE path = ?", path)
        }

    def get_next_number(self) -> int:
        """The first number that was never used; those above it are free, too."""
        return int(self._fetch_value(_SELECT_NEXT_NUMBER))

    def insert(self, rows: Iterable[NodeRow]) -> None:
        """Write those that are not there yet; whoever refers to their names waits only when that is said."""
        self._db.executemany(_INSERT_NODE, rows)

    def update(self, rows: Iterable[NodeUpdate]) -> None:
        """Write anew what may have changed of those that stay."""
        self._db.executemany(_UPDATE_NODE, rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Take some out, with what refers from them and to them; the names of these wait to be linked."""
        self._db.executemany("DELETE FROM nodes WHERE id = ?", ((id_,) for id_ in ids))

    def remove_file(self, path: str) -> None:
        """Take out all of a file, as `remove` does."""
        self._db.execute("DELETE FROM nodes WHERE path = ?", (path,))

    def cancel_file_removal(self, path: str) -> None:
        """Say that a file which was taken out, and written again since, stays."""
        self._db.execute("DELETE FROM graph_gone WHERE path = ?", (path,))

    def remove_deleted_files(self) -> None:
        """Take out all of the files that were taken out since this was called last, and not kept, as `remove` does."""
        self._db.execute("DELETE FROM nodes WHERE path IN (SELECT path FROM graph_gone)")
        self._db.execute("DELETE FROM graph_gone")

    def clear(self) -> None:
        """Empty the code graph: definitions, references, links, and whatever waits."""
        for table in _GRAPH_TABLES:
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
        self._db.execute("DELETE FROM graph_pending")  # the nodes' trigger has filled it again

    def _select_nodes(self, where: str, *bindings: object, order: str = "path, start_line") -> list[Node]:
        sql = f"SELECT {COLUMNS} FROM nodes o WHERE {where} ORDER BY {order}"  # noqa: S608 - this class's own words
        return [to_node(row) for row in self._fetch_rows(sql, *bindings)]
