"""Protocols of an open database and of its transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from aurora.memory.model import Backup

    from .code_graph import Links, Nodes, References
    from .content import Chunks, Contents, Files, Records, Usage, Vectors
    from .journal import Meta, Runs
    from .text import Postings
    from .upkeep import Damage, Integrity, Sizes


class Tables(Protocol):
    """All tables in one transaction: reads see one snapshot, writes are committed together."""

    @property
    def meta(self) -> Meta:
        """Metadata about the memory."""

    @property
    def files(self) -> Files:
        """Indexed files."""

    @property
    def chunks(self) -> Chunks:
        """Pieces of files, and records."""

    @property
    def contents(self) -> Contents:
        """Parsed contents that the tree had before."""

    @property
    def vectors(self) -> Vectors:
        """Embeddings of chunks."""

    @property
    def postings(self) -> Postings:
        """Inverted index."""

    @property
    def nodes(self) -> Nodes:
        """Definitions of the code graph."""

    @property
    def links(self) -> Links:
        """Links of the code graph."""

    @property
    def references(self) -> References:
        """References of the code graph."""

    @property
    def runs(self) -> Runs:
        """Runs and their steps."""

    @property
    def usage(self) -> Usage:
        """Accesses of chunks."""

    @property
    def records(self) -> Records:
        """Creation times of records, and the undo log."""

    @property
    def sizes(self) -> Sizes:
        """Sizes in rows and bytes."""

    @property
    def integrity(self) -> Integrity:
        """Integrity check of the database."""

    @property
    def damage(self) -> Damage:
        """Queries that find and repair damage."""

    def optimize(self) -> None:
        """Update the query planner's statistics after a large write."""


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
