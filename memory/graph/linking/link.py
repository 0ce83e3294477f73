"""Links what waits: references that are new, and those of names that were defined before or are defined now."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from .adjacency import store_packed
from .candidates import Candidate, Candidates
from .interfaces import link_interfaces
from .resolve import ReferenceQuery, resolve_reference
from .write import find_packages

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from aurora.memory.model import LinkRow
    from aurora.memory.storage import Tables

_BATCH_EDGES = 20_000
_REPACK_LINKS = 5_000
"""When more references than this were linked anew, the packed graph is stored with them."""


def link_references(db: Tables) -> int:
    """Link all that waits, inside the write transaction that is open.

    Returns:
        How many references were linked anew. The edges are the same as if all of them had been.
    """
    if not db.references.has_pending():
        return 0
    db.nodes.remove_deleted_files()
    held = find_packages(db)
    _unlink_changed(db, held)
    count = _link_waiting(db, held)
    db.references.clear_pending()
    link_interfaces(db)
    db.meta.bump_graph_generation()
    if count > _REPACK_LINKS:
        store_packed(db)
    return count


def _link_waiting(db: Tables, held: AbstractSet[str]) -> int:
    """Draw the edges of all references that wait, or whose name does; how many there were."""
    bearing = _CandidateReader(db)
    edges: list[LinkRow] = []
    count = 0
    for name, asking in groupby(db.references.iter_pending(), key=itemgetter(3)):
        named = bearing.read_name(name)
        for ref, source, kind, _, via, path, symbol, language in asking:
            count += 1
            if named is not None:
                for n, sure, how in resolve_reference(
                    ReferenceQuery(kind, name, via, path, symbol, language), named, held
                ):
                    edges.append((ref, n, source, kind, sure, how))
            if len(edges) >= _BATCH_EDGES:
                db.links.insert(edges)
                edges.clear()
    db.links.insert(edges)
    return count


class _CandidateReader:
    """The definitions that bear a name, for names that are asked for in their order: only those of one are held."""

    def __init__(self, db: Tables) -> None:
        self._names = groupby(db.references.iter_candidates(), key=itemgetter(0))
        self._name: str | None = None
        self._read_next()

    def read_name(self, name: str) -> Candidates | None:
        """Those that bear this name, which comes after the one that was asked for before, or is the same."""
        while self._name is not None and self._name < name:
            self._read_next()
        return self._candidates if self._name == name else None

    def _read_next(self) -> None:
        self._name, rows = next(self._names, (None, ()))
        self._candidates = Candidates([Candidate._make(row[1:]) for row in rows])


def _unlink_changed(db: Tables, held: AbstractSet[str]) -> None:
    """Let go of the edges of every reference that may mean something else now.

    Which folders are packages decides what a name of Python's may mean, but only of what lies in them: where one has
    become a package, or is none any more, the names of all that it holds wait, too.
    """
    known = db.meta.get("graph_packages")
    now = {f"/{package}" for package in held}
    if known is not None:
        changed = now.symmetric_difference(known.split("\n") if known else ())
        db.references.mark_folders_pending(package.removeprefix("/") for package in changed)
    db.links.remove_pending()
    db.meta.update(graph_packages="\n".join(sorted(now)))
