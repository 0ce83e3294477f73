"""Links what waits: references that are new, and those of names that were defined before or are defined now."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from .adjacency import keep
from .candidates import Bearers, Candidate
from .interfaces import satisfied
from .resolve import Asked, resolve
from .write import packages

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from aurora.memory.sqlite.tables.all import Tables
    from aurora.memory.sqlite.tables.links import Drawn

_AT_ONCE = 20_000
_MANY = 5_000
"""When more references than this were linked anew, the packed graph is stored with them."""


def link(db: Tables) -> int:
    """Link all that waits, inside the write transaction that is open.

    Returns:
        How many references were linked anew. The edges are the same as if all of them had been.
    """
    if not db.references.waits():
        return 0
    db.nodes.remove_gone()
    held = packages(db)
    _unlink(db, held)
    count = _draw(db, held)
    db.references.settle()
    satisfied(db)
    db.facts.links_changed()
    if count > _MANY:
        keep(db)
    return count


def _draw(db: Tables, held: AbstractSet[str]) -> int:
    """Draw the edges of all references that wait, or whose name does; how many there were."""
    bearing = _Bearing(db)
    edges: list[Drawn] = []
    count = 0
    for name, asking in groupby(db.references.asking(), key=itemgetter(3)):
        named = bearing.of(name)
        for ref, source, kind, _, via, path, symbol, language in asking:
            count += 1
            if named is not None:
                for n, sure, how in resolve(Asked(kind, name, via, path, symbol, language), named, held):
                    edges.append((ref, n, source, kind, sure, how))
            if len(edges) >= _AT_ONCE:
                db.links.draw(edges)
                edges.clear()
    db.links.draw(edges)
    return count


class _Bearing:
    """The definitions that bear a name, for names that are asked for in their order: only those of one are held."""

    def __init__(self, db: Tables) -> None:
        self._names = groupby(db.references.bearing(), key=itemgetter(0))
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


def _unlink(db: Tables, held: AbstractSet[str]) -> None:
    """Let go of the edges of every reference that may mean something else now.

    Which folders are packages decides what a name of Python's may mean, but only of what lies in them: where one has
    become a package, or is none any more, the names of all that it holds wait, too.
    """
    known = db.facts.get("graph_packages")
    now = {f"/{package}" for package in held}
    if known is not None:
        changed = now.symmetric_difference(known.split("\n") if known else ())
        db.references.wait_in(package.removeprefix("/") for package in changed)
    db.links.loosen()
    db.facts.note(graph_packages="\n".join(sorted(now)))
