"""What is defined: files, what they define, and the sections of documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from aurora.memory.model.graph import Node
from aurora.memory.sqlite.table import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Placed = tuple[int, str, str, str, str, str, str, int, int, int | None]
    """A definition as it is written: number, id, path, symbol, name, kind, language, first and last line, and the
    number of what holds it."""
    Moved = tuple[str, str, int, int, int | None, int]
    """What may change of one that stays: kind, language, first and last line, the number of what holds it; its own."""
    Old = tuple[int, str, str]
    """What is known of one that is there: its number, kind and language."""

COLUMNS = "o.n, o.id, o.path, o.symbol, o.name, o.kind, o.language, o.start_line, o.end_line"
"""What `node_of` reads, in this order, of the table that is called `o`."""

_ADD = """
INSERT INTO nodes (n, id, path, symbol, name, kind, language, start_line, end_line, parent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_MOVE = "UPDATE nodes SET kind = ?, language = ?, start_line = ?, end_line = ?, parent = ? WHERE n = ?"
_NEXT = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'nodes'"
_GO = """
SELECT n, path, symbol, kind, start_line FROM nodes
WHERE language = 'go' AND kind IN ('struct', 'type', 'interface', 'method') ORDER BY kind = 'method', path, symbol
"""
_NAMES = "SELECT DISTINCT name FROM nodes WHERE length(name) BETWEEN ? AND ? AND kind != 'section' LIMIT ?"
_TABLES = ("edges", "refs", "nodes", "graph_pending", "graph_gone", "graph_packed")


def node_of(row: Sequence[object]) -> Node:
    """The node in a row of `COLUMNS`."""
    return Node(*row)  # type: ignore[arg-type] # the columns have the types of the fields


class Nodes(Part):
    """What is defined; each has an id that stays, and a number that is never used twice.

    Unless said otherwise, several come in the order of their files and lines.
    """

    def numbered(self, n: int) -> Node:
        """The one that has this number, which is there."""
        (found,) = self._found("n = ?", n)
        return found

    def with_id(self, id_: str) -> Node | None:
        """The one that has this id; None when none has."""
        return next(iter(self._found("id = ?", id_)), None)

    def named(self, name: str) -> list[Node]:
        """All that bear this name."""
        return self._found("name = ?", name)

    def named_in(self, name: str, path: str) -> list[Node]:
        """All that bear this name, in the files whose path ends with these whole parts."""
        ending = f"/{path.lstrip('/')}"
        return self._found("name = ? AND substr('/' || path, ?) = ?", name, -len(ending), ending)

    def files(self, name: str) -> list[Node]:
        """The files that others import by this name, or whose path ends with it, in small or capital letters."""
        plain = re.sub(r"([%_\\])", r"\\\1", name.lstrip("/"))
        ending = f"%/{plain}" if name else ""
        return self._found(r"symbol = '' AND (name = ? OR '/' || path LIKE ? ESCAPE '\')", name, ending)

    def innermost(self, path: str, line: int) -> Node | None:
        """The innermost around a line of a file; None when the file is not in the graph."""
        where, order = "path = ? AND start_line <= ? AND end_line >= ?", "start_line DESC, n DESC"
        return next(iter(self._found(where, path, line, line, order=order)), None)

    def beginning(self, path: str, first: int, last: int) -> list[Node]:
        """All but the file itself that begin between two lines of it, which count."""
        return self._found("path = ? AND start_line BETWEEN ? AND ? AND symbol != ''", path, first, last)

    def holder(self, n: int) -> Node | None:
        """What holds it; None for a file."""
        return next(iter(self._found("n = (SELECT parent FROM nodes WHERE n = ?)", n)), None)

    def held(self, n: int) -> list[Node]:
        """What it holds, not what that holds in turn."""
        return self._found("parent = ?", n, order="path, start_line, n")

    def within(self, symbol: str) -> list[Node]:
        """All that a definition called so holds, in any file and at any depth."""
        return self._found("symbol > ? AND symbol < ?", f"{symbol}.", f"{symbol}/")

    def inner(self, one: int, other: int) -> Node:
        """Of two, the one that the other holds; one of them does."""
        (found,) = self._found("n IN (?, ?) AND parent IN (?, ?)", one, other, one, other)
        return found

    def count_held(self, n: int) -> int:
        """How many it holds."""
        return int(self._one("SELECT count(*) FROM nodes WHERE parent = ?", n))

    def is_held(self, n: int) -> bool:
        """Whether something holds it."""
        return bool(self._one("SELECT count(*) FROM nodes WHERE n = ? AND parent IS NOT NULL", n))

    def names(self, shortest: int, longest: int, most: int) -> list[str]:
        """Names of so many letters, but of sections: each once, at most so many, in no order."""
        return self._column(_NAMES, shortest, longest, most)

    def numbers(self) -> Iterator[int]:
        """The numbers of all, in order."""
        return (n for (n,) in cast("Iterator[tuple[int]]", self._db.execute("SELECT n FROM nodes ORDER BY n")))

    def kinds(self) -> Iterator[tuple[str, str]]:
        """The id and the kind of each, in no order."""
        return cast("Iterator[tuple[str, str]]", self._db.execute("SELECT id, kind FROM nodes"))

    def of_go(self) -> Iterator[tuple[int, str, str, str, int]]:
        """Number, path, symbol, kind and line of Go's types, interfaces and, after all these, methods."""
        return cast("Iterator[tuple[int, str, str, str, int]]", self._db.execute(_GO))

    def packages(self) -> list[str]:
        """The paths of the files that make their folder a package of Python."""
        return self._column("SELECT path FROM nodes WHERE symbol = '' AND '/' || path GLOB '*/__init__.py'")

    def of_file(self, path: str) -> dict[str, Old]:
        """What is there of a file, by id."""
        return {row[0]: row[1:] for row in self._all("SELECT id, n, kind, language FROM nodes WHERE path = ?", path)}

    def next_number(self) -> int:
        """The first number that was never used; those above it are free, too."""
        return int(self._one(_NEXT))

    def add(self, rows: Iterable[Placed]) -> None:
        """Write those that are not there yet; whoever refers to their names waits only when that is said."""
        self._db.executemany(_ADD, rows)

    def move(self, rows: Iterable[Moved]) -> None:
        """Write anew what may have changed of those that stay."""
        self._db.executemany(_MOVE, rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Take some out, with what refers from them and to them; the names of these wait to be linked."""
        self._db.executemany("DELETE FROM nodes WHERE id = ?", ((id_,) for id_ in ids))

    def remove_file(self, path: str) -> None:
        """Take out all of a file, as `remove` does."""
        self._db.execute("DELETE FROM nodes WHERE path = ?", (path,))

    def keep_file(self, path: str) -> None:
        """Say that a file which was taken out, and written again since, stays."""
        self._db.execute("DELETE FROM graph_gone WHERE path = ?", (path,))

    def remove_gone(self) -> None:
        """Take out all of the files that were taken out since this was called last, and not kept, as `remove` does."""
        self._db.execute("DELETE FROM nodes WHERE path IN (SELECT path FROM graph_gone)")
        self._db.execute("DELETE FROM graph_gone")

    def clear(self) -> None:
        """Empty the code graph: definitions, references, links, and whatever waits."""
        for table in _TABLES:
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
        self._db.execute("DELETE FROM graph_pending")  # the nodes' trigger has filled it again

    def _found(self, where: str, *bindings: object, order: str = "path, start_line") -> list[Node]:
        sql = f"SELECT {COLUMNS} FROM nodes o WHERE {where} ORDER BY {order}"  # noqa: S608 - this class's own words
        return [node_of(row) for row in self._all(sql, *bindings)]
