"""Protocol of an open database, and all its tables in one transaction."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from .checks import DamageQueries, SizeQueries
from .chunks import ChunkTable, RecordTable, UsageTable
from .files import ContentTable, FileTable, MetaTable
from .graph import LinkTable, NodeTable, ReferenceTable
from .index import PostingTable, VectorTable
from .runs import RunTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from aurora.memory.model.reports import Backup

    from .session import Session


class Tables:
    """Access to the tables by topic: reads see one snapshot, writes are committed together."""

    def __init__(self, db: Session) -> None:
        self._db = db

    @cached_property
    def meta(self) -> MetaTable:
        """Metadata about the memory."""
        return MetaTable(self._db)

    @cached_property
    def files(self) -> FileTable:
        """Indexed files."""
        return FileTable(self._db)

    @cached_property
    def contents(self) -> ContentTable:
        """Parsed contents that the tree had before."""
        return ContentTable(self._db)

    @cached_property
    def chunks(self) -> ChunkTable:
        """Pieces of files, and records."""
        return ChunkTable(self._db)

    @cached_property
    def records(self) -> RecordTable:
        """Creation times of records, and the undo log."""
        return RecordTable(self._db)

    @cached_property
    def usage(self) -> UsageTable:
        """Accesses of chunks."""
        return UsageTable(self._db)

    @cached_property
    def vectors(self) -> VectorTable:
        """Embeddings of chunks."""
        return VectorTable(self._db)

    @cached_property
    def postings(self) -> PostingTable:
        """Inverted index."""
        return PostingTable(self._db)

    @cached_property
    def nodes(self) -> NodeTable:
        """Definitions of the code graph."""
        return NodeTable(self._db)

    @cached_property
    def links(self) -> LinkTable:
        """Links of the code graph."""
        return LinkTable(self._db)

    @cached_property
    def references(self) -> ReferenceTable:
        """References of the code graph."""
        return ReferenceTable(self._db)

    @cached_property
    def runs(self) -> RunTable:
        """Runs and their steps."""
        return RunTable(self._db)

    @cached_property
    def sizes(self) -> SizeQueries:
        """Sizes in rows and bytes."""
        return SizeQueries(self._db)

    @cached_property
    def damage(self) -> DamageQueries:
        """Queries that find and repair damage."""
        return DamageQueries(self._db)

    def check_integrity(self, most: int) -> Sequence[str]:
        """Check what lies below the rows; return at most `most` messages."""
        return self._db.check_integrity(most)

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables and indexes."""
        return self._db.list_missing_objects()

    def optimize(self) -> None:
        """Update the query planner's statistics after a large write."""
        self._db.optimize()


class Store(Protocol):
    """Open database; safe to use from several threads.

    A missing database opened read-only is an empty memory, and no file is created. Every method may raise the faults
    TIMEOUT when another process keeps the database locked for too long, and UPSTREAM_ERROR when it is damaged.

    Attributes:
        path: the database file.
        read_only: the store rejects writes.
        server: the place of the database server and the project in it; None for a file. Then no file is at `path`.
    """

    path: Path
    read_only: bool
    server: str | None

    @property
    def epoch(self) -> int:
        """Number of times that the file was moved, deleted, replaced or restored since the store was opened.

        A cache of its content is valid for one epoch.
        """

    @property
    def schema_version(self) -> int:
        """Version of the schema."""

    def close(self) -> None:
        """Close all idle connections; borrowed ones close on release."""

    def require_writable(self) -> None:
        """Raise a fault if a write is not possible.

        Raises:
            Fault: FORBIDDEN if the store or the file is read-only.
        """

    def begin_read(self) -> AbstractContextManager[Tables]:
        """Begin a read transaction; all reads see one snapshot."""

    def begin_write(self, *, wait: bool = True, run: str | None = None) -> AbstractContextManager[Tables]:
        """Begin a write transaction; commit at the end, roll back on an error.

        Args:
            wait: wait for another writer; else raise TIMEOUT at once.
            run: the only run that the transaction writes, so that a server locks nothing else; None for anything else.

        Raises:
            Fault: FORBIDDEN if it is read-only, TIMEOUT if another process keeps the lock for too long.
        """

    def create_backup(self, reason: str) -> Backup | None:
        """Copy the database to its backups; return None from a server, whose operator backs it up.

        Args:
            reason: lower-case letters, digits and "-".

        Raises:
            Fault: UPSTREAM_ERROR if it is damaged or the disk is full.
        """
