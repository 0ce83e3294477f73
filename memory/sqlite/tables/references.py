"""What is referred to by name, and which names wait to be linked."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from aurora.memory.model.graph import Use
from aurora.memory.model.symbols import IMPLEMENTS, KINDS, MENTIONS
from aurora.memory.sqlite.table import Part

from .nodes import COLUMNS, node_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Referring = tuple[int, int, str, str, int]
    """A reference as it is written: the number of the node it is in, kind, name, via and line."""
    Kept = tuple[int, int, str, str, int, int]
    """One that is there: the number of the node it is in, kind, name and via; its own number, and line."""
    Asking = tuple[int, int, int, str, str, str, str, str]
    """One that waits: its number, that of the node it is in, kind, name and via; path, symbol and language of the
    node."""
    Bearing = tuple[str, int, str, str, str, str]
    """A name, and one that bears it: number, path, symbol, kind and language."""

# Both go name by name, each name's rows found by an index: nothing is sorted whole, and a reference to what nothing
# defines, as most are, is not fetched. Without the hint all references there are would be looked at for a few new ones.
_ASKING = """
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
_BEARING = """
WITH waiting (name) AS (
    SELECT name FROM graph_pending UNION SELECT name FROM refs INDEXED BY refs_waiting WHERE NOT linked
)
SELECT w.name, n, path, symbol, kind, language FROM waiting w CROSS JOIN nodes ON nodes.name = w.name
WHERE EXISTS (SELECT 1 FROM refs WHERE name = w.name)
ORDER BY w.name, path, symbol, id DESC
"""
_WAITS = """
SELECT EXISTS (SELECT 1 FROM graph_pending) OR EXISTS (SELECT 1 FROM graph_gone)
    OR EXISTS (SELECT 1 FROM refs WHERE NOT linked)
"""
_WAIT = "INSERT OR IGNORE INTO graph_pending (name) VALUES (?)"
_WAIT_IN = "INSERT OR IGNORE INTO graph_pending (name) SELECT name FROM nodes WHERE path >= ? AND path < ?"

_ADD = "INSERT INTO refs (source, kind, name, via, line, linked) VALUES (?1, ?2, ?3, ?4, ?5, {})"
# A reference waits by itself only when its name does not wait already and some definition bears it: of a name that
# nothing bears, all references wait from the moment that something does.
_LINKED = """
NOT EXISTS (SELECT 1 FROM nodes WHERE name = ?3) OR EXISTS (SELECT 1 FROM graph_pending WHERE name = ?3)
"""
_ADD_TO_LINKED, _ADD_TO_NEW = _ADD.format(_LINKED), _ADD.format(1)
_ONCE_LINKED = "SELECT EXISTS (SELECT 1 FROM facts WHERE key = 'graph_generation')"
_ADD_METHODS = "INSERT INTO refs (source, kind, name, via, line, linked) VALUES (?, ?, ?, 'methods', ?, 1) RETURNING n"
_OF_FILE = """
SELECT source, refs.kind, refs.name, via, refs.n, line FROM nodes CROSS JOIN refs ON refs.source = nodes.n
WHERE nodes.path = ? AND via != 'methods'
"""
_OUTSIDE = f"""
FROM refs r {{join}} WHERE r.name = ? AND r.kind != {MENTIONS} AND NOT EXISTS (SELECT 1 FROM edges WHERE ref = r.n)
AND (? = '' OR r.via IN ('in:' || ?, 'on:' || ?, 'of:' || ?))
"""  # noqa: S608 - a constant
_COUNT_OUTSIDE = "SELECT count(*)" + _OUTSIDE.format(join="")
_PAGE_OUTSIDE = (
    f"SELECT r.kind, r.name, r.via, r.line, {COLUMNS}"
    + _OUTSIDE.format(join="JOIN nodes o ON o.n = r.source")
    + "ORDER BY o.path, r.line LIMIT ? OFFSET ?"
)


class References(Part):
    """What is referred to by name: what files say, and, `via` methods, which Go type has those of which interface."""

    def outside(self, name: str, receiver: str, limit: int, offset: int) -> list[Use]:
        """Who refers, but in running text, to a name that is not the project's own, in the order of files and lines.

        Args:
            name: the last part of it.
            receiver: what it is taken from, a module, a class or a value; anything when empty.
            limit: at most so many.
            offset: so many are left out before.
        """
        rows = self._all(_PAGE_OUTSIDE, name, receiver, receiver, receiver, receiver, limit, offset)
        return [Use(KINDS[row[0]], row[1], row[2], node_of(row[4:]), row[3]) for row in rows]

    def count_outside(self, name: str, receiver: str) -> int:
        """How many `outside` could give."""
        return int(self._one(_COUNT_OUTSIDE, name, receiver, receiver, receiver, receiver))

    def of_file(self, path: str) -> list[Kept]:
        """Those in a file, in no order."""
        return self._all(_OF_FILE, path)

    def add(self, rows: Iterable[Referring]) -> None:
        """Write some; they wait to be linked, or their names do.

        In a graph that was never linked every name that something bears waits.
        """
        self._db.executemany(_ADD_TO_LINKED if self._one(_ONCE_LINKED) else _ADD_TO_NEW, rows)

    def move(self, rows: Iterable[tuple[int, int]]) -> None:
        """Write the line of some that stay, each line before the number."""
        self._db.executemany("UPDATE refs SET line = ? WHERE n = ?", rows)

    def remove(self, numbers: Iterable[int]) -> None:
        """Take some out, with what they were linked to."""
        self._db.executemany("DELETE FROM refs WHERE n = ?", ((n,) for n in numbers))

    def add_methods(self, source: int, name: str, line: int) -> int:
        """Write that a type has all the methods of an interface; the number of this reference."""
        return int(self._one(_ADD_METHODS, source, IMPLEMENTS, name, line))

    def move_methods(self, rows: Iterable[tuple[int, int]]) -> None:
        """Write the line of all that some types have by their methods, each line before the number of the type."""
        self._db.executemany("UPDATE refs SET line = ? WHERE source = ? AND via = 'methods'", rows)

    def remove_methods(self) -> None:
        """Take out all that types have by their methods."""
        self._db.execute("DELETE FROM refs WHERE via = 'methods'")

    def wait(self, names: Iterable[str]) -> None:
        """Say that all references to these names are to be linked anew."""
        self._db.executemany(_WAIT, ((name,) for name in names))

    def wait_in(self, folders: Iterable[str]) -> None:
        """Say that all references to what these folders hold are to be linked anew; the project's own is ""."""
        self._db.executemany(_WAIT_IN, map(_bounds, folders))

    def waits(self) -> bool:
        """Whether anything is to be linked, or to be taken out before."""
        return bool(self._one(_WAITS))

    def asking(self) -> Iterator[Asking]:
        """Those that wait and whose name something may bear, in the order of their names."""
        return cast("Iterator[Asking]", self._db.execute(_ASKING))

    def bearing(self) -> Iterator[Bearing]:
        """All that bear names that wait, in their order; of those called the same in one file, the last is last."""
        return cast("Iterator[Bearing]", self._db.execute(_BEARING))

    def settle(self) -> None:
        """Say that nothing waits any more."""
        self._db.execute("UPDATE refs SET linked = 1 WHERE NOT linked")
        self._db.execute("DELETE FROM graph_pending")


def _bounds(folder: str) -> tuple[str, str]:
    """Between which paths lies what a folder holds; `0` comes after `/`."""
    return (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
