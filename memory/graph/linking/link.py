"""Linking of pending references: the new ones, and those of names whose definitions changed."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from .candidates import Candidate, Candidates
from .interfaces import link_interfaces
from .resolve import ReferenceQuery, resolve_reference
from .write import find_packages

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from aurora.memory.model import LinkRow
    from aurora.memory.storage import Tables

_BATCH_EDGES = 20_000


def link_references(db: Tables) -> int:
    """Link all pending references, inside the open write transaction.

    Returns:
        The number of references that were linked. The edges are the same as after linking all references.
    """
    if not db.references.has_pending():
        return 0
    db.nodes.remove_deleted_files()
    packages = find_packages(db)
    _unlink_changed(db, packages)
    count = _link_pending(db, packages)
    db.references.clear_pending()
    link_interfaces(db)
    db.meta.bump_graph_generation()
    return count


def _link_pending(db: Tables, packages: AbstractSet[str]) -> int:
    """Insert the edges of all references that are pending, or whose name is; return their number."""
    reader = _CandidateReader(db)
    edges: list[LinkRow] = []
    count = 0
    for name, pending in groupby(db.references.iter_pending(), key=itemgetter(3)):
        candidates = reader.read_name(name)
        for ref, source, kind, _, via, path, symbol, language in pending:
            count += 1
            if candidates is not None:
                query = ReferenceQuery(kind, name, via, path, symbol, language)
                resolved = resolve_reference(query, candidates, packages)
                edges.extend((ref, n, source, kind, confidence, how) for n, confidence, how in resolved)
            if len(edges) >= _BATCH_EDGES:
                db.links.insert(edges)
                edges.clear()
    db.links.insert(edges)
    return count


class _CandidateReader:
    """A reader of candidates for names in ascending order; it has those of one name in memory."""

    def __init__(self, db: Tables) -> None:
        self._names = groupby(db.references.iter_candidates(), key=itemgetter(0))
        self._name: str | None = None
        self._read_next()

    def read_name(self, name: str) -> Candidates | None:
        """Read the candidates of a name, which must not sort before the last one."""
        while self._name is not None and self._name < name:
            self._read_next()
        return self._candidates if self._name == name else None

    def _read_next(self) -> None:
        self._name, rows = next(self._names, (None, ()))
        self._candidates = Candidates([Candidate._make(row[1:]) for row in rows])


def _unlink_changed(db: Tables, packages: AbstractSet[str]) -> None:
    """Remove the edges of every reference that may resolve differently now.

    Which folders are Python packages matters only for the names of definitions inside them: where that has changed,
    the names of all definitions in the folder become pending.
    """
    known = db.meta.get("graph_packages")
    now = {f"/{package}" for package in packages}
    if known is not None:
        changed = now.symmetric_difference(known.split("\n") if known else ())
        db.references.mark_folders_pending(package.removeprefix("/") for package in changed)
    db.links.remove_pending()
    db.meta.update(graph_packages="\n".join(sorted(now)))
