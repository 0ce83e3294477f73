"""Tables of the inverted index: documents, segments, posting blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import DocumentRange, PostingBlock


_DOCUMENT = "first_n, last_n, type, path, body_length, name_length, path_length, lengths"
_INSERT_DOCUMENTS = f"""
INSERT INTO docs ({_DOCUMENT}) SELECT * FROM unnest(
    $1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[]
)
"""
_INSERT_BLOCKS = """
INSERT INTO postings (segment, term, body)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[])
"""
_SELECT_BLOCKS = """
SELECT asked.term, segments.first_n, block.body
FROM unnest($1::text[]) WITH ORDINALITY AS asked (term, place) CROSS JOIN segments
CROSS JOIN LATERAL (
    SELECT body FROM postings AS early WHERE early.segment = segments.segment AND early.term <= asked.term
    ORDER BY early.term DESC LIMIT 1
) AS block ORDER BY asked.place, segments.segment
"""
_SELECT_BLOCKS_BETWEEN = """
SELECT segments.first_n, postings.body FROM segments JOIN postings ON postings.segment = segments.segment
WHERE segments.segment = ANY($1::bigint[]) AND ($3::text IS NULL OR postings.term < $3::text)
AND postings.term >= coalesce(
    (SELECT max(term) FROM postings AS before WHERE before.segment = segments.segment AND before.term <= $2), '')
ORDER BY segments.segment, postings.term
"""
_COUNT_COVERAGE = """
SELECT coalesce(docs.path, 'fact ' || first_n), last_n - first_n + 1, count(chunks.n), length(lengths) / 2,
    sum((coalesce(chunks.path, '') = coalesce(docs.path, ''))::int)
FROM docs LEFT JOIN chunks ON chunks.n BETWEEN first_n AND last_n
GROUP BY first_n, docs.path, last_n, lengths ORDER BY first_n
"""
_COUNT_UNCOVERED = """
SELECT count(*) FROM chunks WHERE NOT coalesce(
    (SELECT last_n >= chunks.n FROM docs WHERE first_n <= chunks.n ORDER BY first_n DESC LIMIT 1), false)
"""
_COUNT_UNLISTED = """
SELECT count(DISTINCT segment) FROM postings WHERE segment NOT IN (SELECT segment FROM segments)
"""


class PostingTable(Table):
    """Documents are number ranges of chunks; a segment is one write of postings."""

    def list_documents(self) -> Sequence[DocumentRange]:
        """List all documents by the number of their first chunk."""
        return self._fetch_rows(f"SELECT {_DOCUMENT} FROM docs ORDER BY first_n")

    def list_ranges(self) -> Sequence[tuple[int, int]]:
        """List the first and last chunk number of all documents, ascending."""
        return self._fetch_rows("SELECT first_n, last_n FROM docs ORDER BY first_n")

    def find_blocks(self, terms: Sequence[str]) -> Sequence[tuple[str, int, bytes]]:
        """Find the block of each segment that may contain each term.

        Each row is term, first number of the segment, and block.
        """
        return self._fetch_rows(_SELECT_BLOCKS, list(terms))

    def list_segments(self, *, below: int | None = None) -> Sequence[int]:
        """List the segments, optionally with fewer postings than `below`."""
        sql = "SELECT segment FROM segments WHERE coalesce(size < $1, true) ORDER BY segment"
        return self._fetch_column(sql, below)

    def list_first_terms(self, segments: Sequence[int]) -> Sequence[str]:
        """List the first term of each block of these segments, sorted."""
        sql = "SELECT term FROM postings WHERE segment = ANY($1::bigint[]) ORDER BY term"
        return self._fetch_column(sql, list(segments))

    def iter_blocks_between(self, segments: Sequence[int], low: str, high: str | None) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks of segments with terms from `low` to below `high`.

        Yields:
            The first number of the segment, and the block; by segment and term.
        """
        yield from self._fetch_rows(_SELECT_BLOCKS_BETWEEN, list(segments), low, high)

    def insert_documents(self, documents: Iterable[DocumentRange]) -> None:
        """Insert documents; their chunks may be inserted later."""
        self._write_rows(_INSERT_DOCUMENTS, documents)

    def begin_segment(self, first: int, postings: int) -> int:
        """Insert a segment that counts chunks from `first`; return its number."""
        number = self._take_numbers("segments")
        self._execute("INSERT INTO segments (segment, first_n, size) VALUES ($1, $2, $3)", number, first, postings)
        return number

    def insert_blocks(self, segment: int, blocks: Iterable[PostingBlock]) -> None:
        """Insert blocks into a segment."""
        self._write_rows(_INSERT_BLOCKS, ((segment, term, body) for term, body in blocks))

    def add_posting_count(self, segment: int, postings: int) -> None:
        """Increase the posting count of a segment."""
        self._execute("UPDATE segments SET size = size + $2 WHERE segment = $1", segment, postings)

    def remove_segments(self, segments: Sequence[int]) -> None:
        """Remove segments and their postings."""
        self._execute("DELETE FROM postings WHERE segment = ANY($1::bigint[])", list(segments))
        self._execute("DELETE FROM segments WHERE segment = ANY($1::bigint[])", list(segments))

    def clear(self) -> None:
        """Remove all documents, segments and postings."""
        for table in ("docs", "segments", "postings"):
            self._execute(f"DELETE FROM {table}")

    def count_coverage(self) -> Sequence[tuple[str, int, int, int, int]]:
        """List the name of each document and four counts, equal if it is intact.

        The counts are: chunks in the range, existing chunks, lengths, and chunks of the same file.
        """
        return self._fetch_rows(_COUNT_COVERAGE)

    def count_uncovered_chunks(self) -> int:
        """Count chunks that no document covers."""
        return int(self._fetch_value(_COUNT_UNCOVERED))

    def count_unlisted_segments(self) -> int:
        """Count segments with postings that are not listed, so not searched."""
        return int(self._fetch_value(_COUNT_UNLISTED))

    def iter_blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the first number and content of every block of a listed segment."""
        return self._iter_rows(
            "SELECT first_n, body FROM postings JOIN segments USING (segment) ORDER BY segment, term"
        )
