"""Consolidation: merge near-duplicate records into one."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from aurora.faults import Code, Fault
from aurora.memory.analysis import MAX_USES
from aurora.memory.embeddings import get_load_error
from aurora.memory.model import encode_json

from . import records, undo
from .near_duplicates import extract_distinctions, link_by_meaning, link_by_time, link_by_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.storage import Store, Tables

    from .near_duplicates import SimilarityLinks
    from .records import StoredRecord

ConsolidationMethod = Literal["similarity", "time", "meaning"]
MIN_SCORES: dict[str, float] = {"similarity": 0.8, "meaning": 0.9}
"""Least score of two records: the Jaccard index of word pairs, or the cosine of embeddings."""


@dataclass(frozen=True, slots=True)
class ConsolidationOptions:
    """Options of a consolidation.

    Attributes:
        by: `similarity` of words, `time` (one subject again), or `meaning`.
        least: the least score, 0..1; ignored by time.
        window: the seconds within which a record with the same subject replaces an older one; only by time.
        most: compare the newest records only; None compares all.
    """

    method: ConsolidationMethod = "similarity"
    min_score: float | None = None
    window_seconds: float = 86_400.0
    max_records: int | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """Record after the merge, and the records it absorbs with their scores."""

    record: StoredRecord
    absorbed: tuple[tuple[StoredRecord, float], ...]


@dataclass(frozen=True, slots=True)
class ConsolidationResult:
    """Merges, done or planned.

    `record_count` counts the compared records, `backup` names the backup made before.
    """

    merges: tuple[Merge, ...]
    record_count: int
    backup: str | None


def consolidate_records(store: Store, way: ConsolidationOptions, *, dry_run: bool = False) -> ConsolidationResult:
    """Merge near-duplicate records; equal memories give equal merges.

    Args:
        store: the store with the facts and patterns.
        way: the options.
        dry_run: return the merges without making them.

    Raises:
        Fault: UPSTREAM_ERROR by meaning without embeddings, and the faults of the store.
    """
    if way.method == "meaning" and (why := get_load_error()):
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"cannot compare by meaning: no embeddings ({why})",
            help="consolidate by similarity, or reinstall aurora-workflows",
        )
    if not dry_run:
        store.require_writable()
    with store.begin_read() as db:
        planned, count = _plan_merges(db, way)
    if dry_run or not planned:
        return ConsolidationResult(planned, count, None)
    made = store.create_backup("before-consolidate")
    with store.begin_write() as db:
        planned, count = _plan_merges(db, way)  # another process may have changed the records
        _apply_merges(db, planned, way)
    return ConsolidationResult(planned, count, made.name)


def _plan_merges(db: Tables, way: ConsolidationOptions) -> tuple[tuple[Merge, ...], int]:
    every = list(records.read_records(db))
    if way.max_records is not None:
        every = sorted(sorted(every, key=lambda one: -(one.at or 0.0))[: way.max_records], key=lambda one: one.chunk.id)
    vectors = db.vectors.get_record_vectors() if way.method == "meaning" else {}
    merges: list[Merge] = []
    for _, some in groupby(sorted(every, key=_get_group_key), key=_get_group_key):
        group = list(some)
        merges += _select_merges(group, _find_links(group, way, vectors), newest=way.method == "time")
    return tuple(sorted(merges, key=lambda merge: merge.record.chunk.id)), len(every)


def _get_group_key(one: StoredRecord) -> tuple[str, str]:
    """Return type and kind: a fact and a pattern never merge."""
    return one.chunk.type, one.chunk.kind


def _find_links(group: Sequence[StoredRecord], way: ConsolidationOptions, vectors: dict[str, bytes]) -> SimilarityLinks:
    if way.method == "time":
        return link_by_time(group, way.window_seconds)
    least = MIN_SCORES[way.method] if way.min_score is None else way.min_score
    links = link_by_words(group, least) if way.method == "similarity" else link_by_meaning(group, least, vectors)
    distinctions = {one.chunk.id: extract_distinctions(one) for one in group if one.chunk.id in links}
    same: SimilarityLinks = {}
    for id_, scores in links.items():
        own = distinctions[id_]
        same[id_] = {other: score for other, score in scores.items() if distinctions[other] == own}
    return same


def _select_merges(group: Sequence[StoredRecord], links: SimilarityLinks, *, newest: bool) -> list[Merge]:
    """Let each record absorb its near duplicates, best record first, no chains."""
    by_id = {one.chunk.id: one for one in group}
    order = sorted(by_id.values(), key=_get_time_key if newest else _get_worth_key)
    gone: set[str] = set()
    out = []
    for one in order:
        if one.chunk.id in gone:
            continue
        near = sorted((-score, id_) for id_, score in links.get(one.chunk.id, {}).items() if id_ not in gone)
        if near:
            gone |= {one.chunk.id, *(id_ for _, id_ in near)}
            taken = tuple((by_id[id_], -minus) for minus, id_ in near)
            out.append(Merge(_merge_records(one, [each for each, _ in taken]), taken))
    return out


def _get_worth_key(one: StoredRecord) -> tuple[Any, ...]:
    """Return the sort key: most used, longest, oldest first."""
    return -len(one.accesses), -len(one.chunk.text), one.at if one.at is not None else 0.0, one.chunk.id


def _get_time_key(one: StoredRecord) -> tuple[Any, ...]:
    return -(one.at or 0.0), one.chunk.id


def _merge_records(one: StoredRecord, taken: Sequence[StoredRecord]) -> StoredRecord:
    """Merge the metadata and accesses of the absorbed records into a record.

    Lists add up, missing values are copied, the record's own values stay.
    """
    metadata = dict(one.chunk.metadata)
    merged: list[Any] = []
    for other in taken:
        merged.append(other.chunk.id)
        for key, value in other.chunk.metadata.items():
            mine = metadata.setdefault(key, value)
            if isinstance(mine, list) and isinstance(value, list):
                metadata[key] = _append_unique(mine, value)
    before = metadata.get("merged")
    metadata["merged"] = _append_unique(merged, before if isinstance(before, list) else [])
    times = sorted({*one.accesses, *(at for other in taken for at in other.accesses)})[-MAX_USES:]
    return replace(one, chunk=replace(one.chunk, metadata=metadata), accesses=tuple(times))


def _append_unique(mine: list[Any], more: list[Any]) -> list[Any]:
    seen = {json.dumps(value, sort_keys=True): value for value in [*reversed(more), *reversed(mine)]}
    return list(reversed(seen.values()))


def _apply_merges(db: Tables, merges: Sequence[Merge], way: ConsolidationOptions) -> None:
    taken = [other for merge in merges for other, _ in merge.absorbed]
    before = records.read_records(db, [merge.record.chunk.id for merge in merges])
    others = f"{len(merges)} other{'s' if len(merges) != 1 else ''}"
    summary = f"merged {len(taken)} record{'s' if len(taken) != 1 else ''} into {others}, by {way.method}"
    after = {merge.record.chunk.id: merge.record.accesses for merge in merges}
    undo.record_change(db, undo.UndoableChange("consolidate", summary, before=[*before, *taken], after=after))
    db.chunks.update_metadata((merge.record.chunk.id, encode_json(merge.record.chunk.metadata)) for merge in merges)
    records.add_accesses(db, after)
    records.remove_records(db, [one.chunk.id for one in taken])
    db.meta.bump_generation()
