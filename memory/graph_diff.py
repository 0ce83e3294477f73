"""Two graphs side by side: which definitions and which links one has and the other has not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .sqlite.store import Store
    from .sqlite.tables import Tables


@dataclass(frozen=True, slots=True)
class Change:
    """A definition, or a link when it has a `target`, that was added or removed."""

    change: str
    kind: str
    id: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class _Picture:
    """All definitions and links by their ids, which mean the same in every database."""

    nodes: frozenset[tuple[str, str]]
    edges: frozenset[tuple[str, str, str]]


def compare(new: Store, old: Store, least: float) -> list[Change]:
    """What leads from the old graph to the new one, definitions before links, in the order of their ids.

    Args:
        new: the graph as it is.
        old: as it was.
        least: the least confidence of a link that counts.
    """
    with new.reading() as db:
        now = _picture(db, least)
    with old.reading() as db:
        then = _picture(db, least)
    return [
        *(Change("added", kind, id_) for id_, kind in sorted(now.nodes - then.nodes)),
        *(Change("removed", kind, id_) for id_, kind in sorted(then.nodes - now.nodes)),
        *_links("added", now.edges - then.edges),
        *_links("removed", then.edges - now.edges),
    ]


def _links(change: str, edges: Iterable[tuple[str, str, str]]) -> list[Change]:
    return [Change(change, kind, source, target) for source, kind, target in sorted(edges)]


def _picture(db: Tables, least: float) -> _Picture:
    return _Picture(frozenset(db.nodes.kinds()), frozenset(db.links.ends(least)))
