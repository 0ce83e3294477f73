"""Links what waits: references that are new, and those of names that were defined before or are defined now."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from .graph_bearers import Bearers, Candidate
from .graph_interfaces import satisfied
from .graph_packed import keep
from .graph_resolve import Asked, resolve
from .graph_write import packages
from .sqlite.rows import ask, pairs

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    import apsw

_AT_ONCE = 20_000
_MANY = 5_000
"""When more references than this were linked anew, the packed graph is stored with them."""

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
_LOOSEN = """
DELETE FROM edges WHERE ref IN (
    SELECT n FROM refs WHERE name IN (SELECT name FROM graph_pending) AND via != 'methods'
)
"""
_WAITS = """
SELECT EXISTS (SELECT 1 FROM graph_pending) OR EXISTS (SELECT 1 FROM graph_gone)
    OR EXISTS (SELECT 1 FROM refs WHERE NOT linked)
"""
_IN_PACKAGE = "INSERT OR IGNORE INTO graph_pending (name) SELECT name FROM nodes WHERE path >= ? AND path < ?"
_EDGE = "INSERT INTO edges (ref, target, source, kind, confidence, how) VALUES (?, ?, ?, ?, ?, ?)"


def waits(db: apsw.Connection) -> bool:
    """Whether a run that was killed left something unlinked."""
    ((some,),) = ask(db, _WAITS)
    return bool(some)


def link(db: apsw.Connection) -> int:
    """Link all that waits, inside the write transaction that is open.

    Returns:
        How many references were linked anew. The edges are the same as if all of them had been.
    """
    if not waits(db):
        return 0
    db.execute("DELETE FROM nodes WHERE path IN (SELECT path FROM graph_gone)")
    db.execute("DELETE FROM graph_gone")
    held = packages(db)
    _unlink(db, held)
    count = _draw(db, held)
    db.execute("UPDATE refs SET linked = 1 WHERE NOT linked")
    db.execute("DELETE FROM graph_pending")
    satisfied(db)
    _say_so(db, whole=count > _MANY)
    return count


def _say_so(db: apsw.Connection, *, whole: bool) -> None:
    """A new generation; the arrays for long ways are made now when much has changed, else when one is asked for."""
    db.execute(
        "INSERT INTO facts (key, value) VALUES ('graph_generation', '1') "
        "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )
    if whole:
        keep(db)


def _draw(db: apsw.Connection, held: AbstractSet[str]) -> int:
    """Draw the edges of all references that wait, or whose name does; how many there were."""
    bearing = _Bearing(db)
    edges: list[tuple[int, int, int, int, float, str]] = []
    count = 0
    for name, asking in groupby(db.execute(_ASKING), key=itemgetter(3)):
        named = bearing.of(name)
        for ref, source, kind, _, via, path, symbol, language in asking:
            count += 1
            if named is not None:
                for n, sure, how in resolve(Asked(kind, name, via, path, symbol, language), named, held):
                    edges.append((ref, n, source, kind, sure, how))
            if len(edges) >= _AT_ONCE:
                db.executemany(_EDGE, edges)
                edges.clear()
    db.executemany(_EDGE, edges)
    return count


class _Bearing:
    """The definitions that bear a name, for names that are asked for in their order: only those of one are held."""

    def __init__(self, db: apsw.Connection) -> None:
        self._names = groupby(db.execute(_BEARING), key=itemgetter(0))
        self._name: str | None = None
        self._advance()

    def of(self, name: str) -> Bearers | None:
        """Those that bear this name, which comes after the one that was asked for before, or is the same."""
        while self._name is not None and self._name < name:
            self._advance()
        return self._bearers if self._name == name else None

    def _advance(self) -> None:
        self._name, rows = next(self._names, (None, ()))
        self._bearers = Bearers([Candidate._make(row[1:]) for row in rows])


def _unlink(db: apsw.Connection, held: AbstractSet[str]) -> None:
    """Let go of the edges of every reference that may mean something else now.

    Which folders are packages decides what a name of Python's may mean, but only of what lies in them: where one has
    become a package, or is none any more, the names of all that it holds wait, too.
    """
    known = pairs(db, "SELECT key, value FROM facts WHERE key = 'graph_packages'").get("graph_packages")
    now = {f"/{package}" for package in held}
    if known is not None:
        changed = now.symmetric_difference(known.split("\n") if known else ())
        db.executemany(_IN_PACKAGE, map(_bounds, changed))
    if ask(db, "SELECT 1 FROM edges LIMIT 1"):
        db.execute(_LOOSEN)
    db.execute("INSERT OR REPLACE INTO facts (key, value) VALUES ('graph_packages', ?)", ("\n".join(sorted(now)),))


def _bounds(package: str) -> tuple[str, str]:
    """Between which paths lies what a package holds; `0` comes after `/`, and the project's own folder holds all."""
    folder = package.removeprefix("/")
    return (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
