"""Store of a linked worktree: its own index, and the records of the repository."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.memory.model.json_columns import encode_json
from aurora.memory.records import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from aurora.memory.model.reports import Backup
    from aurora.memory.records.records import StoredRecord
    from aurora.memory.storage.store import Store, Tables

_VERSION = "records_version"

_RETRY_SECONDS = 10.0
"""Seconds after a failed merge until the next transaction tries again."""

_POSTPONED = frozenset({Code.TIMEOUT, Code.FORBIDDEN})

_Versions = tuple[str | None, str | None, int, int]
"""Versions of the records in both databases, and the epochs of both stores."""


class ViewStore:
    """Database of a linked worktree with the shared records; implements `storage.store.Store`.

    A transaction first applies what other worktrees changed, and applies what it changed itself to the shared database.

    Attributes:
        path: the database file of the view.
        read_only: the store rejects writes.
        server: as that of the view.
        shared: the database with the records and runs of the repository.
    """

    def __init__(self, view: Store, shared: Store) -> None:
        self._view = view
        self.shared = shared
        self.path = view.path
        self.read_only = view.read_only
        self.server = view.server
        self._lock = threading.Lock()
        self._local = threading.local()
        self._merged: _Versions | None = None
        self._next_try = 0.0

    @property
    def epoch(self) -> int:
        """Number of times that the view was replaced since the store was opened."""
        return self._view.epoch

    @property
    def schema_version(self) -> int:
        """Version of the schema."""
        return self._view.schema_version

    def close(self) -> None:
        """Close both databases."""
        self._view.close()
        self.shared.close()

    def require_writable(self) -> None:
        """Raise a fault if a write is not possible.

        Raises:
            Fault: FORBIDDEN if the store or a file is read-only.
        """
        self._view.require_writable()

    def create_backup(self, reason: str) -> Backup | None:
        """Copy the shared database, with all records, to its backups."""
        return self.shared.create_backup(reason)

    @contextmanager
    def begin_read(self) -> Iterator[Tables]:
        """Begin a read transaction of the view, with the current records."""
        self._merge_if_changed()
        with self._enter(), self._view.begin_read() as db:
            yield db

    @contextmanager
    def begin_write(self, *, wait: bool = True, run: str | None = None) -> Iterator[Tables]:
        """Begin a write transaction of the view.

        If it changes records, the shared database gets them first: a kill in between loses none.

        Args:
            wait: as `storage.Store`.
            run: as `storage.Store`.

        Raises:
            Fault: as `storage.Store`; and those of the shared database, if records were changed.
        """
        # Who does not wait for a lock, such as a search that notes its hits, does not wait for a merge either.
        if wait:
            self._merge_if_changed()
        with self._enter(), self._view.begin_write(wait=wait, run=run) as db:
            before = db.meta.get(_VERSION)
            yield db
            if db.meta.get(_VERSION) != before:
                with self.shared.begin_write(wait=wait) as shared:
                    merge_records(db, shared, writes_shared=True)

    @contextmanager
    def _enter(self) -> Iterator[None]:
        """Count the transactions of this thread: inside of one, no merge begins."""
        depth = self._get_depth()
        self._local.depth = depth + 1
        try:
            yield
        finally:
            self._local.depth = depth

    def _get_depth(self) -> int:
        """Return the number of open transactions of this thread."""
        return int(getattr(self._local, "depth", 0))

    def _merge_if_changed(self) -> None:
        """Merge the records if either database has changed, unless a merge failed a moment ago."""
        # Each transaction passes here, so the versions are compared first, which takes no lock.
        if self.read_only or self._get_depth() or self._read_versions() == self._merged:
            return
        with self._lock:
            # Asked again under the lock: another thread may have merged meanwhile.
            if time.monotonic() < self._next_try or self._read_versions() == self._merged:
                return
            try:
                self._merge()
            except Fault as fault:
                if fault.code not in _POSTPONED:
                    raise
                self._next_try = time.monotonic() + _RETRY_SECONDS

    def _read_versions(self) -> _Versions:
        with self._view.begin_read() as view:
            own = view.meta.get(_VERSION)
        with self.shared.begin_read() as shared:
            other = shared.meta.get(_VERSION)
        return own, other, self._view.epoch, self.shared.epoch

    def _merge(self) -> None:
        """Merge the records; the shared database commits first, so that a kill loses no record."""
        with self._view.begin_write() as view:
            with self.shared.begin_read() as shared:
                # Mostly there is only something to take over: the shared database, which all worktrees use, is then
                # not locked.
                done = merge_records(view, shared, writes_shared=False)
                other = shared.meta.get(_VERSION)
            if done is None:
                with self.shared.begin_write() as shared:
                    merge_records(view, shared, writes_shared=True)
                    other = shared.meta.get(_VERSION)
            own = view.meta.get(_VERSION)
        self._merged = (own, other, self._view.epoch, self.shared.epoch)


_DIGEST_BYTES = 16

_IDENTITY = "records_identity"
"""Key of the shared database's identity, which changes when the database is created again."""


@dataclass(slots=True)
class RecordMerge:
    """Changes that make both databases equal.

    Attributes:
        to_view: records to add or replace in the view.
        to_shared: records to add or replace in the shared database.
        gone_in_view: ids of records to remove from the view, since they were removed elsewhere.
        gone_in_shared: ids of records to remove from the shared database, since they were removed in the view.
        digests: the digest of each record that both then have.
    """

    to_view: list[StoredRecord] = field(default_factory=list)
    to_shared: list[StoredRecord] = field(default_factory=list)
    gone_in_view: list[str] = field(default_factory=list)
    gone_in_shared: list[str] = field(default_factory=list)
    digests: dict[str, bytes] = field(default_factory=dict)

    @property
    def changes_shared(self) -> bool:
        """True if the shared database has to be written."""
        return bool(self.to_shared or self.gone_in_shared)


def compute_digest(record: StoredRecord) -> bytes:
    """Compute the digest of a record, without its accesses."""
    # Each worktree counts its own uses, which change no record.
    document = json.dumps(records.to_json(record), sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(document, digest_size=_DIGEST_BYTES).digest()


def plan_merge(
    view: Mapping[str, StoredRecord], shared: Mapping[str, StoredRecord], base: Mapping[str, bytes]
) -> RecordMerge:
    """Compare both databases with their last common state.

    What changed on one side is applied to the other. A record that was changed on one side and removed on the other
    stays; of two changes the later wins.

    Args:
        view: the records of the view by id.
        shared: those of the shared database.
        base: the digests of the records that both last had.
    """
    merge = RecordMerge()
    for id_ in sorted(view.keys() | shared.keys()):
        _merge_record(merge, id_, (view.get(id_), shared.get(id_)), base.get(id_))
    return merge


def _merge_record(
    merge: RecordMerge, id_: str, found: tuple[StoredRecord | None, StoredRecord | None], base: bytes | None
) -> None:
    own, other = found
    own_digest, other_digest = (compute_digest(record) if record is not None else None for record in found)
    if own_digest == other_digest:
        merge.digests[id_] = own_digest or b""
        return
    # The side that still is as both last were has not changed, so the other one counts.
    takes_other = own_digest == base if base in {own_digest, other_digest} else _is_later(other, own)
    source, digest = (other, other_digest) if takes_other else (own, own_digest)
    if source is None or digest is None:
        (merge.gone_in_view if takes_other else merge.gone_in_shared).append(id_)
        return
    (merge.to_view if takes_other else merge.to_shared).append(source)
    merge.digests[id_] = digest


def _is_later(one: StoredRecord | None, other: StoredRecord | None) -> bool:
    """Return True if `one` exists and is not older than `other`."""
    # A record that was changed on one side and removed on the other stays: a removal can be repeated, and a text
    # cannot.
    if one is None or other is None:
        return one is not None
    return (one.at or 0.0) >= (other.at or 0.0)


def merge_records(view: Tables, shared: Tables, *, writes_shared: bool) -> RecordMerge | None:
    """Merge the records in an open write transaction of the view.

    Args:
        view: the tables of the view in a write transaction.
        shared: the tables of the shared database.
        writes_shared: True if these are in a write transaction, too.

    Returns:
        None if the shared database has to be written, and is not in a write transaction; nothing is written then.
    """
    known = shared.meta.get(_IDENTITY)
    if known is None and not writes_shared:
        return None
    base = view.records.get_shared()
    # A shared database that was created again never had these records: what it lacks was not removed there.
    merge = plan_merge(_read_all(view), _read_all(shared), base if known == view.meta.get(_IDENTITY) else {})
    runs = list(view.runs.iter_all())
    if not writes_shared and (merge.changes_shared or runs):
        return None
    # Before the view: a kill in between leaves a record in both or in the view, and never in neither.
    if writes_shared:
        identity = known or os.urandom(_DIGEST_BYTES).hex()
        shared.meta.update(**{_IDENTITY: identity})
        _apply(shared, view, merge.to_shared, merge.gone_in_shared)
        move_runs(view, shared)
        known = identity
    _apply(view, shared, merge.to_view, merge.gone_in_view)
    changed = [(id_, digest) for id_, digest in merge.digests.items() if base.get(id_) != digest]
    view.records.set_shared(changed, [id_ for id_ in base if id_ not in merge.digests])
    if view.meta.get(_IDENTITY) != known:
        view.meta.update(**{_IDENTITY: known or ""})
    return merge


def mark_shared(db: Tables) -> None:
    """Mark all records of a copy of the shared database as known to both."""
    db.records.set_shared(((id_, compute_digest(record)) for id_, record in _read_all(db).items()), ())


def _read_all(db: Tables) -> dict[str, StoredRecord]:
    return {record.chunk.id: record for record in records.read_records(db)}


def _apply(db: Tables, other: Tables, changed: list[StoredRecord], gone: Iterable[str]) -> None:
    """Write the changed records of another database, with their vectors."""
    removed = tuple(gone)
    if removed:
        records.remove_records(db, removed)
    present = {record.chunk.id: record for record in records.read_records(db, [one.chunk.id for one in changed])}
    updated: list[StoredRecord] = []
    added: list[StoredRecord] = []
    for record in changed:
        # A record whose text is the same keeps its number, and with it its words and its vector in the index.
        (updated if _has_same_text(record, present.get(record.chunk.id)) else added).append(record)
    if updated:
        _update_records(db, updated)
    if added:
        records.remove_records(db, [one.chunk.id for one in added if one.chunk.id in present])
        vectors = other.vectors.get_record_vectors()
        records.insert_records(db, added, [vectors.get(one.chunk.id) for one in added])


def _update_records(db: Tables, changed: list[StoredRecord]) -> None:
    """Update metadata and times of present records."""
    db.chunks.update_metadata((one.chunk.id, encode_json(one.chunk.metadata)) for one in changed)
    db.records.set_remembered_times((one.chunk.id, one.at) for one in changed if one.at is not None)
    db.meta.bump_generation()


def _has_same_text(record: StoredRecord, present: StoredRecord | None) -> bool:
    """Return True if a record differs from the present one only in its metadata and time."""
    if present is None:
        return False
    one, other = record.chunk, present.chunk
    return (one.type, one.kind, one.symbol, one.language, one.text) == (
        other.type,
        other.kind,
        other.symbol,
        other.language,
        other.text,
    )


def move_runs(source: Tables, target: Tables) -> None:
    """Move the runs to another database; of one that both have, it keeps the steps of the longer."""
    heads = list(source.runs.iter_all())
    for head in heads:
        steps = source.runs.list_steps(head.run)
        if target.runs.insert(head):
            target.runs.add_steps(head.run, steps)
            continue
        known = len(target.runs.list_steps(head.run))
        if len(steps) > known:
            target.runs.add_steps(head.run, steps[known:])
            target.runs.update_document(head.run, head.updated_at, head.document)
    source.runs.remove([head.run for head in heads])
