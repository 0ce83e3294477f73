"""What is referred to by name, and which names wait to be linked."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from aurora.memory.model import EDGE_KINDS, IMPLEMENTS, MENTIONS, UnresolvedUse
from aurora.memory.sqlite.table import Table

from .nodes import COLUMNS, to_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    ReferenceRow = tuple[int, int, str, str, int]
    """A reference as it is written: the number of the node it is in, kind, name, via and line."""
    StoredReference = tuple[int, int, str, str, int, int]
    """One that is there: the number of the node it is in, kind, name and via; its own number, and line."""
    PendingReference = tuple[int, int, int, str, str, str, str, str]
    """One that waits: its number, that of the node it is in, kind, name and via; path, symbol and language of the
    node."""
    NameCandidate = tuple[str, int, str, str, str, str]
    """A name, and one that bears it: number, path, symbol, kind and language."""

# Both go name by name, each name's rows found by an index: nothing is sorted whole, and a reference to what nothing
# defines, as most are, is not fetched. Without the hint all references there are would be looked at for a few new ones.
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
# A reference waits by itself only when its name does not wait already and some definition bears it: of a name that
# nothing bears, all references wait from the moment that something does.
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
_FROM_EXTERNAL = f"""
FROM refs r {{join}} WHERE r.name = ? AND r.kind != {MENTIONS} AND NOT EXISTS (SELECT 1 FROM edges WHERE ref = r.n)
AND (? = '' OR r.via IN ('in:' || ?, 'on:' || ?, 'of:' || ?))
"""  # noqa: S608 - a constant
_COUNT_EXTERNAL = "SELECT count(*)" + _FROM_EXTERNAL.format(join="")
_SELECT_EXTERNAL = (
    f"SELECT r.kind, r.name, r.via, r.line, {COLUMNS}"
    + _FROM_EXTERNAL.format(join="JOIN nodes o ON o.n = r.source")
    + "ORDER BY o.path, r.line LIMIT ? OFFSET ?"
)


class ReferenceTable(Table):
    """What is referred to by name: what files say, and, `via` methods, which Go type has those of which interface."""

    def list_external(self, name: str, receiver: str, limit: int, offset: int) -> list[UnresolvedUse]:
        """Who refers, but in running text, to a name that is not the project's own, in the order of files and lines.

        Args:
            name: the last part of it.
            receiver: what it is taken from, a module, a class or a value; anything when empty.
            limit: at most so many.
            offset: so many are left out before.
        """
        rows = self._fetch_rows(_SELECT_EXTERNAL, name, receiver, receiver, receiver, receiver, limit, offset)
        return [UnresolvedUse(EDGE_KINDS[row[0]], row[1], row[2], to_node(row[4:]), row[3]) for row in rows]

    def count_external(self, name: str, receiver: str) -> int:
        """How many `outside` could give."""
        return int(self._fetch_value(_COUNT_EXTERNAL, name, receiver, receiver, receiver, receiver))

    def list_by_file(self, path: str) -> list[StoredReference]:
        """Those in a file, in no order."""
        return self._fetch_rows(_SELECT_BY_FILE, path)

    def insert(self, rows: Iterable[ReferenceRow]) -> None:
        """Write some; they wait to be linked, or their names do.

        In a graph that was never linked every name that something bears waits.
        """
        self._db.executemany(
            _INSERT_IN_LINKED_GRAPH if self._fetch_value(_HAS_GENERATION) else _INSERT_IN_NEW_GRAPH, rows
        )

    def update_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Write the line of some that stay, each line before the number."""
        self._db.executemany("UPDATE refs SET line = ? WHERE n = ?", rows)

    def remove(self, numbers: Iterable[int]) -> None:
        """Take some out, with what they were linked to."""
        self._db.executemany("DELETE FROM refs WHERE n = ?", ((n,) for n in numbers))

    def insert_methods(self, source: int, name: str, line: int) -> int:
        """Write that a type has all the methods of an interface; the number of this reference."""
        return int(self._fetch_value(_INSERT_METHODS, source, IMPLEMENTS, name, line))

    def update_method_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Write the line of all that some types have by their methods, each line before the number of the type."""
        self._db.executemany("UPDATE refs SET line = ? WHERE source = ? AND via = 'methods'", rows)

    def remove_methods(self) -> None:
        """Take out all that types have by their methods."""
        self._db.execute("DELETE FROM refs WHERE via = 'methods'")

    def mark_pending(self, names: Iterable[str]) -> None:
        """Say that all references to these names are to be linked anew."""
        self._db.executemany(_INSERT_PENDING, ((name,) for name in names))

    def mark_folders_pending(self, folders: Iterable[str]) -> None:
        """Say that all references to what these folders hold are to be linked anew; the project's own is ""."""
        self._db.executemany(_INSERT_PENDING_FOLDER, map(_get_path_range, folders))

    def has_pending(self) -> bool:
        """Whether anything is to be linked, or to be taken out before."""
        return bool(self._fetch_value(_HAS_PENDING))

    def iter_pending(self) -> Iterator[PendingReference]:
        """Those that wait and whose name something may bear, in the order of their names."""
        return cast("Iterator[PendingReference]", self._db.execute(_SELECT_PENDING))

    def iter_candidates(self) -> Iterator[NameCandidate]:
        """All that bear names that wait, in their order; of those called the same in one file, the last is last."""
        return cast("Iterator[NameCandidate]", self._db.execute(_SELECT_CANDIDATES))

    def clear_pending(self) -> None:
        """Say that nothing waits any more."""
        self._db.execute("UPDATE refs SET linked = 1 WHERE NOT linked")
        self._db.execute("DELETE FROM graph_pending")


def _get_path_range(folder: str) -> tuple[str, str]:
    """Between which paths lies what a folder holds; `0` comes after `/`."""
    return (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
