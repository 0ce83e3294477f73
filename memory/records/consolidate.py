"""Consolidation: merge near-duplicate records into one."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from aurora.errors import Code, Fault
from aurora.memory.embeddings import DIMENSIONS, get_load_error, normalize_rows
from aurora.memory.model.json_columns import encode_json
from aurora.memory.text_index.tokens import extract_terms
from aurora.memory.usage import MAX_USES

from . import records, undo
from .answers import is_confirmed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.storage.store import Store, Tables

    from .records import StoredRecord


ConsolidationMethod = Literal["similarity", "time", "meaning"]
MIN_SCORES: dict[str, float] = {"similarity": 0.8, "meaning": 0.9}
"""Least score of two records: the Jaccard index of word pairs, or the cosine of embeddings."""
_OWN_KEYS = frozenset({"confirmed", "run", "workflow"})
"""Metadata that belongs to one text alone: who confirmed it, and where it comes from."""


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


def consolidate_records(store: Store, options: ConsolidationOptions, *, dry_run: bool = False) -> ConsolidationResult:
    """Merge near-duplicate records; equal memories give equal merges.

    Args:
        store: the store with the facts and patterns.
        options: the options.
        dry_run: return the merges without making them.

    Raises:
        Fault: UPSTREAM_ERROR by meaning without embeddings, and the faults of the store.
    """
    if options.method == "meaning" and (why := get_load_error()):
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"cannot compare by meaning: no embeddings ({why})",
            help="consolidate by similarity, or install Aurora again",
        )
    if not dry_run:
        store.require_writable()
    with store.begin_read() as db:
        planned, count = _plan_merges(db, options)
    if dry_run or not planned:
        return ConsolidationResult(planned, count, None)
    # The undo log keeps the latest changes only; a backup also has what is older.
    backup = store.create_backup("before-consolidate")
    with store.begin_write() as db:
        planned, count = _plan_merges(db, options)  # another process may have changed the records
        _apply_merges(db, planned, options)
    return ConsolidationResult(planned, count, backup.name if backup else None)


def _plan_merges(db: Tables, options: ConsolidationOptions) -> tuple[tuple[Merge, ...], int]:
    candidates = list(records.read_records(db))
    if options.max_records is not None:
        # By id again: the order in which records were added must not change what is merged.
        candidates = sorted(
            sorted(candidates, key=lambda record: -(record.at or 0.0))[: options.max_records],
            key=lambda record: record.chunk.id,
        )
    vectors = db.vectors.get_record_vectors() if options.method == "meaning" else {}
    merges: list[Merge] = []
    for _, members in groupby(sorted(candidates, key=_get_group_key), key=_get_group_key):
        group = list(members)
        merges += _select_merges(group, _find_links(group, options, vectors), newest=options.method == "time")
    return tuple(sorted(merges, key=lambda merge: merge.record.chunk.id)), len(candidates)


def _get_group_key(record: StoredRecord) -> tuple[str, str]:
    """Return type and kind: a fact and a pattern never merge."""
    return record.chunk.type, record.chunk.kind


def _find_links(
    group: Sequence[StoredRecord], options: ConsolidationOptions, vectors: dict[str, bytes]
) -> SimilarityLinks:
    if options.method == "time":
        return link_by_time(group, options.window_seconds)
    min_score = MIN_SCORES[options.method] if options.min_score is None else options.min_score
    links = (
        link_by_words(group, min_score)
        if options.method == "similarity"
        else link_by_meaning(group, min_score, vectors)
    )
    distinctions = {record.chunk.id: extract_distinctions(record) for record in group if record.chunk.id in links}
    same: SimilarityLinks = {}
    for id_, scores in links.items():
        own = distinctions[id_]
        # A number, a name or a negation makes two near texts different facts.
        same[id_] = {other: score for other, score in scores.items() if distinctions[other] == own}
    return same


def _select_merges(group: Sequence[StoredRecord], links: SimilarityLinks, *, newest: bool) -> list[Merge]:
    """Let each record absorb its near duplicates, best record first, no chains."""
    by_id = {record.chunk.id: record for record in group}
    order = sorted(by_id.values(), key=_get_time_key if newest else _get_worth_key)
    merged: set[str] = set()
    out = []
    for record in order:
        # No chains: that A resembles B, and B resembles C, does not make A and C one record.
        if record.chunk.id in merged:
            continue
        near = sorted((-score, id_) for id_, score in links.get(record.chunk.id, {}).items() if id_ not in merged)
        if near:
            merged |= {record.chunk.id, *(id_ for _, id_ in near)}
            taken = tuple((by_id[id_], -minus) for minus, id_ in near)
            out.append(Merge(_merge_records(record, [other for other, _ in taken]), taken))
    return out


def _get_worth_key(record: StoredRecord) -> tuple[Any, ...]:
    """Return the sort key: confirmed, most used, longest, oldest first."""
    chunk, at = record.chunk, record.at if record.at is not None else 0.0
    return not is_confirmed(chunk.metadata), -len(record.accesses), -len(chunk.text), at, chunk.id


def _get_time_key(record: StoredRecord) -> tuple[Any, ...]:
    return not is_confirmed(record.chunk.metadata), -(record.at or 0.0), record.chunk.id


def _merge_records(record: StoredRecord, taken: Sequence[StoredRecord]) -> StoredRecord:
    """Merge the metadata and accesses of the absorbed records into a record.

    Lists add up, missing values are copied, the record's own values stay.
    """
    metadata = dict(record.chunk.metadata)
    merged: list[Any] = []
    for other in taken:
        merged.append(other.chunk.id)
        for key, value in other.chunk.metadata.items():
            if key in _OWN_KEYS:
                continue
            own = metadata.setdefault(key, value)
            if isinstance(own, list) and isinstance(value, list):
                metadata[key] = _append_unique(own, value)
    before = metadata.get("merged")
    metadata["merged"] = _append_unique(merged, before if isinstance(before, list) else [])
    times = sorted({*record.accesses, *(at for other in taken for at in other.accesses)})[-MAX_USES:]
    return replace(record, chunk=replace(record.chunk, metadata=metadata), accesses=tuple(times))


def _append_unique(own: list[Any], more: list[Any]) -> list[Any]:
    seen = {json.dumps(value, sort_keys=True): value for value in [*reversed(more), *reversed(own)]}
    return list(reversed(seen.values()))


def _apply_merges(db: Tables, merges: Sequence[Merge], options: ConsolidationOptions) -> None:
    taken = [other for merge in merges for other, _ in merge.absorbed]
    before = records.read_records(db, [merge.record.chunk.id for merge in merges])
    others = f"{len(merges)} other{'s' if len(merges) != 1 else ''}"
    summary = f"merged {len(taken)} record{'s' if len(taken) != 1 else ''} into {others}, by {options.method}"
    after = {merge.record.chunk.id: merge.record.accesses for merge in merges}
    undo.record_change(db, undo.UndoableChange("consolidate", summary, before=[*before, *taken], after=after))
    db.chunks.update_metadata((merge.record.chunk.id, encode_json(merge.record.chunk.metadata)) for merge in merges)
    records.add_accesses(db, after)
    records.remove_records(db, [record.chunk.id for record in taken])
    db.meta.bump_generation()


SimilarityLinks = dict[str, dict[str, float]]
"""Id -> the linked ids with their scores from 0 to 1, in both directions."""

_NUMBER = re.compile(r"\d+(?:[.:,/-]\d+)*")
_NEGATION = re.compile(r"\b(?:no|not|never|none|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE)
_NAME = re.compile(r"`[^`\n]+`|\b\w+(?:[_./:-]+\w+)+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*")
_BLOCK_ROWS = 1024
_EPSILON = 1e-9
"""Rounding: 0.7 * 10 is slightly above 7."""


def extract_distinctions(record: StoredRecord) -> tuple[object, ...]:
    """Extract what two records must share to be duplicates.

    "port 8080" and "port 9090" differ in one word and mean something else.

    Numbers and negations count in all records; in facts also names, and the words of the subject that the text lacks.
    A pattern from two runs cites other files each time and is still one pattern.
    """
    chunk = record.chunk
    both = f"{chunk.symbol}\n{chunk.text}"
    common = (frozenset(_NUMBER.findall(both)), len(_NEGATION.findall(chunk.text)))
    if chunk.type == "reas":
        return common
    about = frozenset(extract_terms(chunk.symbol)) - frozenset(extract_terms(chunk.text))
    return (*common, frozenset(_NAME.findall(both)), about)


def extract_shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Extract the pairs of neighbouring words; a single word is its own pair."""
    words = extract_terms(text)
    return frozenset(pairwise(words)) or frozenset((word,) for word in words)


def link_by_words(group: Sequence[StoredRecord], least: float) -> SimilarityLinks:
    """Link all pairs whose shingles have a Jaccard index of at least `least`.

    Prefix filtering: two sets reach the index only if the rarest members of both overlap, of a set of size n the first
    n - ceil(least * n) + 1 in order of rarity (Bayardo, Ma and Srikant 2007, "Scaling Up All Pairs Similarity
    Search"). This compares few pairs and misses none.
    """
    sets = {record.chunk.id: extract_shingles(record.chunk.text) for record in group}
    frequency = Counter(member for members in sets.values() for member in members)
    links: SimilarityLinks = defaultdict(dict)
    seen: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for id_, own in sets.items():
        ordered = sorted(own, key=lambda member: (frequency[member], member))
        first = ordered[: len(own) - ceil(least * len(own) - _EPSILON) + 1]
        for other in dict.fromkeys(name for member in first for name in seen[member]):
            score = len(own & sets[other]) / len(own | sets[other])
            if score >= least:
                links[id_][other] = links[other][id_] = score
        for member in first:
            seen[member].append(id_)
    return links


def link_by_meaning(group: Sequence[StoredRecord], least: float, vectors: Mapping[str, bytes]) -> SimilarityLinks:
    """Link the pairs whose embeddings have a cosine of at least `least`.

    A record without an embedding has no links.
    """
    ids = [record.chunk.id for record in group if record.chunk.id in vectors]
    links: SimilarityLinks = defaultdict(dict)
    if not ids:
        return links
    rows = normalize_rows(np.frombuffer(b"".join(vectors[id_] for id_ in ids), np.int8).reshape(-1, DIMENSIONS))
    # In blocks: the cosines of 10,000 records with each other would take 400 MB at once.
    for start in range(0, len(ids), _BLOCK_ROWS):
        cosines = rows[start : start + _BLOCK_ROWS] @ rows.T
        for row, column in zip(*np.nonzero(cosines >= least), strict=True):
            # Each pair once, and no record with itself.
            if start + row < column:
                score = min(float(cosines[row, column]), 1.0)
                links[ids[start + row]][ids[column]] = links[ids[column]][ids[start + row]] = score
    return links


def link_by_time(group: Sequence[StoredRecord], window: float) -> SimilarityLinks:
    """Link the pairs with one subject and at most `window` seconds between them."""
    links: SimilarityLinks = defaultdict(dict)
    subjects: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for record in group:
        subject = " ".join(record.chunk.symbol.casefold().split())
        if subject and record.at is not None:
            subjects[subject].append((record.at, record.chunk.id))
    for entries in subjects.values():
        ordered = sorted(entries)
        for place, (at, id_) in enumerate(ordered):
            for later, other in ordered[place + 1 :]:
                # The entries are sorted by time, so all that follow are further away.
                if later - at > window:
                    break
                score = 1 - (later - at) / window / 2
                links[id_][other] = links[other][id_] = score
    return links
