"""Protocols of an open database and of its transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from aurora.memory.model.chunks import DocumentRange, PostingBlock
    from aurora.memory.model.reports import Backup
    from aurora.memory.model.runs import RowCounts, RunHead, RunStep, UsageCounts

    from .code_graph import Links, Nodes, References
    from .content import Chunks, Contents, Files, Records, Usage, Vectors


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


class Postings(Protocol):
    """Documents are number ranges of chunks; a segment is one write of postings."""

    def list_documents(self) -> Sequence[DocumentRange]:
        """List all documents by the number of their first chunk."""

    def list_ranges(self) -> Sequence[tuple[int, int]]:
        """List the first and last chunk number of all documents, ascending."""

    def find_blocks(self, terms: Sequence[str]) -> Sequence[tuple[str, int, bytes]]:
        """Find the block of each segment that may contain each term.

        Each row is term, first number of the segment, and block.
        """

    def list_segments(self, *, below: int | None = None) -> Sequence[int]:
        """List the segments, optionally with fewer postings than `below`."""

    def list_first_terms(self, segments: Sequence[int]) -> Sequence[str]:
        """List the first term of each block of these segments, sorted."""

    def iter_blocks_between(self, segments: Sequence[int], low: str, high: str | None) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks of segments with terms from `low` to below `high`.

        Yields:
            The first number of the segment, and the block; by segment and term.
        """

    def insert_documents(self, documents: Iterable[DocumentRange]) -> None:
        """Insert documents; their chunks may be inserted later."""

    def begin_segment(self, first: int, postings: int) -> int:
        """Insert a segment that counts chunks from `first`; return its number."""

    def insert_blocks(self, segment: int, blocks: Iterable[PostingBlock]) -> None:
        """Insert blocks into a segment."""

    def add_posting_count(self, segment: int, postings: int) -> None:
        """Increase the posting count of a segment."""

    def remove_segments(self, segments: Sequence[int]) -> None:
        """Remove segments and their postings."""

    def clear(self) -> None:
        """Remove all documents, segments and postings."""

    def count_coverage(self) -> Sequence[tuple[str, int, int, int, int]]:
        """List the name of each document and four counts, equal if it is intact.

        The counts are: chunks in the range, existing chunks, lengths, and chunks of the same file.
        """

    def count_uncovered_chunks(self) -> int:
        """Count chunks that no document covers."""

    def count_unlisted_segments(self) -> int:
        """Count segments with postings that are not listed, so not searched."""

    def iter_blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the first number and content of every block of a listed segment."""


class Runs(Protocol):
    """Runs and their steps, which are removed with them."""

    def insert(self, head: RunHead) -> bool:
        """Insert a run; return False if its name exists."""

    def update_document(self, run: str, updated_at: str, document: str) -> bool:
        """Update the document of a run; return False if it does not exist."""

    def add_step(self, run: str, step: RunStep) -> bool:
        """Append a step; return False if its number exists."""

    def add_steps(self, run: str, steps: Iterable[RunStep]) -> None:
        """Append steps with new numbers to an existing run."""

    def get_head(self, run: str) -> tuple[RunHead, int] | None:
        """Return the run with the number of its steps, or None."""

    def list_newest(
        self,
        limit: int,
        offset: int,
        workflow: str | None = None,
        states: Collection[str] = (),
        text: str | None = None,
    ) -> Sequence[tuple[RunHead, int]]:
        """List the newest runs with their step counts; of a workflow, in some states, or with a text."""

    def iter_all(self) -> Iterator[RunHead]:
        """Yield all runs by creation time and name."""

    def list_steps(self, run: str, first: int = 1) -> Sequence[RunStep]:
        """List the steps of a run in order; none for an unknown run."""

    def list_first_steps(self, runs: Collection[str]) -> dict[str, RunStep]:
        """Map each existing run to its first step."""

    def count_states(self) -> dict[str, int]:
        """Count the runs of each state; one without a state counts as `open`."""

    def get_latest_change(self) -> tuple[int, str]:
        """Return the number of the runs, and the time of the latest change of one; empty without runs."""

    def count_steps(self, runs: Collection[str]) -> dict[str, int]:
        """Count the steps of the existing runs."""

    def remove(self, runs: Iterable[str]) -> None:
        """Remove runs with their steps."""

    def remove_unchanged(self, runs: Sequence[tuple[str, str]]) -> int:
        """Remove runs with their steps unless another transaction continued them; return their number.

        Args:
            runs: name and time of the last update.
        """

    def clear(self) -> None:
        """Remove all runs with their steps."""


class Meta(Protocol):
    """Metadata: `root`, `index_state`, `indexed_at` and `generation`.

    The first three describe the last indexing; `generation` counts the changes of chunks.
    """

    def get_all(self) -> dict[str, str]:
        """Return all values by key."""

    def get(self, name: str) -> str | None:
        """Return one value; None if it is not set."""

    def update(self, **facts: str) -> None:
        """Set values by key."""

    def retain(self, names: Collection[str]) -> None:
        """Remove all values but these."""

    def bump_generation(self) -> None:
        """Count a change of chunks, so that caches reload."""

    def bump_graph_generation(self) -> None:
        """Count a change of the graph, so that caches reload."""


class Sizes(Protocol):
    """Queries that count rows and bytes."""

    def count_rows(self) -> RowCounts:
        """Count files, vectors, runs and nodes."""

    def count_accesses(self) -> UsageCounts:
        """Count accesses."""

    def count_by_type(self) -> dict[str, int]:
        """Count chunks by type."""

    def count_by_language(self) -> dict[str, int]:
        """Count chunks by language, the most common first."""

    def count_by_encoding(self) -> dict[str, int]:
        """Count files that are not UTF-8 by encoding, the most common first."""

    def measure_parts(self) -> dict[str, int]:
        """Measure the bytes of each of `PART_TABLES`, of `other` and of `free` pages."""


class Damage(Protocol):
    """Queries over whole tables for a check; `most` limits the results."""

    def list_orphan_chunks(self, most: int = -1) -> Sequence[tuple[str, str]]:
        """List id and path of chunks whose file is not listed."""

    def list_garbled_chunks(self, most: int = -1) -> Sequence[str]:
        """List the ids of chunks whose metadata is not a JSON object."""

    def remove_orphan_chunks(self) -> None:
        """Remove the chunks whose file is not listed."""

    def reset_garbled_metadata(self) -> Sequence[str]:
        """Empty garbled metadata; return the ids of the affected records."""

    def count_wrong_vectors(self, size: int) -> int:
        """Count vectors without a chunk, or of a wrong type or size."""

    def remove_wrong_vectors(self, size: int) -> None:
        """Remove the vectors that `count_wrong_vectors` counts."""

    def count_unembedded_chunks(self) -> int:
        """Count chunks without a vector."""

    def list_unreadable_runs(self, most: int = -1) -> Sequence[str]:
        """List runs whose document is not a JSON object."""

    def list_unreadable_steps(self, most: int = -1) -> Sequence[tuple[str, int]]:
        """List run and number of steps whose document is not a JSON object."""

    def iter_runs(self) -> Iterator[RunHead]:
        """Yield the runs whose document is a JSON object."""

    def iter_steps(self) -> Iterator[tuple[str, int, str]]:
        """Yield run, number and document of the steps whose document is a JSON object."""

    def list_headless_runs(self, most: int = -1) -> Sequence[tuple[str, int]]:
        """List missing runs that have steps, and the number of their steps."""

    def list_run_gaps(self, most: int = -1) -> Sequence[tuple[str, int, int]]:
        """List runs with missing steps: number of steps, and last step number."""

    def get_step_numbers(self, run: str) -> set[int]:
        """Return the step numbers of a run."""

    def remove_step(self, run: str, seq: int) -> None:
        """Remove one step of a run."""

    def truncate_run(self, run: str, last: int) -> None:
        """Remove the steps of a run outside of 1 to `last`."""

    def iter_dangling(self) -> Iterator[tuple[str, int]]:
        """Yield the kind and number of rows of the code graph without an end."""


class Integrity(Protocol):
    """Integrity queries, whatever the tables contain."""

    def check_integrity(self, most: int) -> Sequence[str]:
        """Run SQLite's integrity check; return at most `most` messages."""

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables, indexes and triggers."""
