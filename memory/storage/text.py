"""Protocol of the stored inverted index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model import DocumentRange, PostingBlock


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
