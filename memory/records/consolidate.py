"""Consolidating: of records that say nearly the same one is kept, and takes over what the others knew."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from aurora.faults import Code, Fault
from aurora.memory.analysis.usage import KEPT
from aurora.memory.embeddings.embedder import trouble
from aurora.memory.model.json_columns import dumped
from aurora.memory.sqlite.backup import backup

from . import records, undo
from .near_duplicates import by_meaning, by_time, by_words, telling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.sqlite.store import Store
    from aurora.memory.sqlite.tables.all import Tables

    from .near_duplicates import Links
    from .records import Kept

By = Literal["similarity", "time", "meaning"]
LEAST: dict[str, float] = {"similarity": 0.8, "meaning": 0.9}
"""How near two records must be; for words a Jaccard index of pairs of words, for meaning a cosine."""


@dataclass(frozen=True, slots=True)
class Way:
    """How to consolidate.

    Attributes:
        by: `similarity` of words, `time` (one subject, told again), or `meaning`.
        least: how near two must be, 0..1; not looked at by time.
        window: seconds within which a subject told again replaces what was told; only by time.
        most: look at so many records only, those kept last; None: all.
    """

    by: By = "similarity"
    least: float | None = None
    window: float = 86_400.0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """One record that is kept, as it will be, and those that it takes over, each with how near it is."""

    kept: Kept
    taken: tuple[tuple[Kept, float], ...]


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What was merged, or would be; `looked_at` counts records, `backup` names what was kept before."""

    merges: tuple[Merge, ...]
    looked_at: int
    backup: str | None


def consolidate(store: Store, way: Way, *, dry_run: bool = False) -> Consolidated:
    """Merge what says nearly the same; the same memory always gives the same merges.

    Args:
        store: whose facts and patterns.
        way: by what, and how near.
        dry_run: tell, and change nothing.

    Raises:
        Fault: UPSTREAM_ERROR by meaning without embeddings, and those of the memory.
    """
    if way.by == "meaning" and (why := trouble()):
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"there are no embeddings to compare by meaning ({why})",
            help="consolidate by similarity, or install aurora-workflows again",
        )
    if not dry_run:
        store.demand_writable()
    with store.reading() as db:
        planned, count = _planned(db, way)
    if dry_run or not planned:
        return Consolidated(planned, count, None)
    made = backup.make(store.path, reason="before-consolidate")
    with store.writing() as db:
        planned, count = _planned(db, way)  # another process may have changed something since
        _apply(db, planned, way)
    return Consolidated(planned, count, made.name)


def _planned(db: Tables, way: Way) -> tuple[tuple[Merge, ...], int]:
    every = list(records.kept(db))
    if way.most is not None:
        every = sorted(sorted(every, key=lambda one: -(one.at or 0.0))[: way.most], key=lambda one: one.chunk.id)
    vectors = db.vectors.of_records() if way.by == "meaning" else {}
    merges: list[Merge] = []
    for _, some in groupby(sorted(every, key=_sort), key=_sort):
        group = list(some)
        merges += _merges(group, _links(group, way, vectors), newest=way.by == "time")
    return tuple(sorted(merges, key=lambda merge: merge.kept.chunk.id)), len(every)


def _sort(one: Kept) -> tuple[str, str]:
    """A fact and a pattern are never merged, whatever they say."""
    return one.chunk.type, one.chunk.kind


def _links(group: Sequence[Kept], way: Way, vectors: dict[str, bytes]) -> Links:
    if way.by == "time":
        return by_time(group, way.window)
    least = LEAST[way.by] if way.least is None else way.least
    links = by_words(group, least) if way.by == "similarity" else by_meaning(group, least, vectors)
    told = {one.chunk.id: telling(one) for one in group if one.chunk.id in links}
    return {
        id_: {other: score for other, score in some.items() if told[id_] == told[other]} for id_, some in links.items()
    }


def _merges(group: Sequence[Kept], links: Links, *, newest: bool) -> list[Merge]:
    """Each record in the order of worth keeps those that are near to itself: no chain leads from one to another."""
    by_id = {one.chunk.id: one for one in group}
    order = sorted(by_id.values(), key=_by_time if newest else _by_worth)
    gone: set[str] = set()
    out = []
    for one in order:
        if one.chunk.id in gone:
            continue
        near = sorted((-score, id_) for id_, score in links.get(one.chunk.id, {}).items() if id_ not in gone)
        if near:
            gone |= {one.chunk.id, *(id_ for _, id_ in near)}
            taken = tuple((by_id[id_], -minus) for minus, id_ in near)
            out.append(Merge(_joined(one, [each for each, _ in taken]), taken))
    return out


def _by_worth(one: Kept) -> tuple[Any, ...]:
    """Used most, says most, known longest."""
    return -len(one.accesses), -len(one.chunk.text), one.at if one.at is not None else 0.0, one.chunk.id


def _by_time(one: Kept) -> tuple[Any, ...]:
    return -(one.at or 0.0), one.chunk.id


def _joined(one: Kept, taken: Sequence[Kept]) -> Kept:
    """The record with what the others knew: lists add up, what it lacks is taken over, what it says itself stays."""
    metadata = dict(one.chunk.metadata)
    merged: list[Any] = []
    for other in taken:
        merged.append(other.chunk.id)
        for key, value in other.chunk.metadata.items():
            mine = metadata.setdefault(key, value)
            if isinstance(mine, list) and isinstance(value, list):
                metadata[key] = _added(mine, value)
    before = metadata.get("merged")
    metadata["merged"] = _added(merged, before if isinstance(before, list) else [])
    times = sorted({*one.accesses, *(at for other in taken for at in other.accesses)})[-KEPT:]
    return replace(one, chunk=replace(one.chunk, metadata=metadata), accesses=tuple(times))


def _added(mine: list[Any], more: list[Any]) -> list[Any]:
    seen = {json.dumps(value, sort_keys=True): value for value in [*reversed(more), *reversed(mine)]}
    return list(reversed(seen.values()))


def _apply(db: Tables, merges: Sequence[Merge], way: Way) -> None:
    taken = [other for merge in merges for other, _ in merge.taken]
    before = records.kept(db, [merge.kept.chunk.id for merge in merges])
    others = f"{len(merges)} other{'s' if len(merges) != 1 else ''}"
    summary = f"merged {len(taken)} record{'s' if len(taken) != 1 else ''} into {others}, by {way.by}"
    after = {merge.kept.chunk.id: merge.kept.accesses for merge in merges}
    undo.note(db, undo.Deed("consolidate", summary, before=[*before, *taken], after=after))
    db.chunks.tell_anew((merge.kept.chunk.id, dumped(merge.kept.chunk.metadata)) for merge in merges)
    records.use(db, after)
    records.drop(db, [one.chunk.id for one in taken])
    db.facts.chunks_changed()
