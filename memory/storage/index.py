"""Tables of the two indexes: documents, segments and blocks of postings; and the embeddings of chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .session import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import DocumentRange, PostingBlock, UnembeddedChunk, VectorRow


_DOCUMENT = "first_n, last_n, type, path, body_length, name_length, path_length, lengths"
_READABLE = """
(SELECT * FROM docs WHERE type IN ('code', 'know', 'reas') AND IS_INTEGER(first_n) AND IS_INTEGER(last_n)
    AND IS_INTEGER(body_length) AND IS_INTEGER(name_length) AND IS_INTEGER(path_length)
    AND first_n > 0 AND last_n BETWEEN first_n AND (SELECT coalesce(max(n), 0) FROM chunks)) AS readable
"""
"""Documents whose values Aurora writes. Those that a damaged page has instead are left out, and named by the check as
chunks without a document."""
_IS_NUMBER = "segments.first_n BETWEEN 0 AND 4294967295"
"""First number of a segment whose postings can be added to it."""
# The greatest term that is not above the one that is asked for: an index gives it, and the block, which is outside of
# the index, is read once.
_SELECT_BLOCKS = f"""
SELECT asked.value ->> 0, segments.first_n, postings.body
FROM json_each(?1) AS asked CROSS JOIN segments CROSS JOIN postings ON postings.segment = segments.segment
    AND postings.term = (
        SELECT max(early.term) FROM postings AS early
        WHERE early.segment = segments.segment AND early.term <= asked.value ->> 0
    )
WHERE {_IS_NUMBER} ORDER BY asked.key, segments.segment
"""
_SELECT_BLOCKS_BETWEEN = f"""
SELECT segments.first_n, postings.body FROM segments JOIN postings ON postings.segment = segments.segment
WHERE segments.segment = ANY(?1) AND {_IS_NUMBER} AND {{below}} postings.term >= coalesce(
    (SELECT max(term) FROM postings AS early WHERE early.segment = segments.segment AND early.term <= ?2), '')
ORDER BY segments.segment, postings.term
"""
_COUNT_COVERAGE = """
SELECT coalesce(docs.path, 'fact ' || first_n), last_n - first_n + 1, count(chunks.n), length(lengths) / 2,
    sum(CASE WHEN coalesce(chunks.path, '') = coalesce(docs.path, '') THEN 1 ELSE 0 END)
FROM docs LEFT JOIN chunks ON chunks.n BETWEEN first_n AND last_n
GROUP BY first_n, docs.path, last_n, lengths ORDER BY first_n
"""
_COUNT_UNCOVERED = f"""
SELECT count(*) FROM chunks WHERE coalesce(
    (SELECT last_n FROM {_READABLE} WHERE first_n <= chunks.n ORDER BY first_n DESC LIMIT 1), 0
) < chunks.n
"""
"""Uses the last document that begins before a chunk; comparing with each document would be quadratic."""
_COUNT_UNLISTED = """
SELECT count(DISTINCT segment) FROM postings WHERE segment NOT IN (SELECT segment FROM segments)
"""


class PostingTable(Table):
    """Documents are number ranges of chunks; a segment is one write of postings."""

    def list_documents(self) -> Sequence[DocumentRange]:
        """List all documents by the number of their first chunk."""
        return self._fetch_rows(f"SELECT {_DOCUMENT} FROM {_READABLE} ORDER BY first_n")

    def list_ranges(self) -> Sequence[tuple[int, int]]:
        """List the first and last chunk number of all documents, ascending."""
        return self._fetch_rows("SELECT first_n, last_n FROM docs ORDER BY first_n")

    def find_blocks(self, terms: Sequence[str]) -> Sequence[tuple[str, int, bytes]]:
        """Find the block of each segment that may contain each term.

        Each row is term, first number of the segment, and block.
        """
        return self._fetch_rows(_SELECT_BLOCKS, self._db.pack_items([(term,) for term in terms]))

    def list_segments(self, *, below: int | None = None) -> Sequence[int]:
        """List the segments, optionally with fewer postings than `below`."""
        if below is None:
            return self._fetch_column("SELECT segment FROM segments ORDER BY segment")
        return self._fetch_column("SELECT segment FROM segments WHERE postings < ?1 ORDER BY segment", below)

    def list_first_terms(self, segments: Sequence[int]) -> Sequence[str]:
        """List the first term of each block of these segments, sorted."""
        sql = "SELECT term FROM postings WHERE segment = ANY(?1) ORDER BY term"
        return self._fetch_column(sql, list(segments))

    def iter_blocks_between(self, segments: Sequence[int], low: str, high: str | None) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks of segments with terms from `low` to below `high`.

        Yields:
            The first number of the segment, and the block; by segment and term.
        """
        values = (list(segments), low) if high is None else (list(segments), low, high)
        sql = _SELECT_BLOCKS_BETWEEN.format(below="" if high is None else "postings.term < ?3 AND")
        yield from self._fetch_rows(sql, *values)

    def insert_documents(self, documents: Iterable[DocumentRange]) -> None:
        """Insert documents; their chunks may be inserted later."""
        self._insert_rows("docs", _DOCUMENT, documents)

    def begin_segment(self, first: int, postings: int) -> int:
        """Insert a segment that counts chunks from `first`; return its number."""
        number = self._take_numbers("segments")
        self._execute("INSERT INTO segments (segment, first_n, postings) VALUES (?1, ?2, ?3)", number, first, postings)
        return number

    def insert_blocks(self, segment: int, blocks: Iterable[PostingBlock]) -> None:
        """Insert blocks into a segment."""
        rows = ((segment, term, body) for term, body in blocks)
        self._insert_rows("postings", "segment, term, body", rows)

    def add_posting_count(self, segment: int, postings: int) -> None:
        """Increase the posting count of a segment."""
        self._execute("UPDATE segments SET postings = postings + ?2 WHERE segment = ?1", segment, postings)

    def remove_segments(self, segments: Sequence[int]) -> None:
        """Remove segments and their postings."""
        self._execute("DELETE FROM postings WHERE segment = ANY(?1)", list(segments))
        self._execute("DELETE FROM segments WHERE segment = ANY(?1)", list(segments))

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
        return self._iter_rows(f"SELECT first_n, body FROM postings JOIN segments USING (segment) WHERE {_IS_NUMBER}")


# Bytes and not pgvector's type: the search ranks by the same matrix in its process as with SQLite, so that answers are
# equal, and an upgrade of the extension is no upgrade of Aurora.
# Prose is a small part of most projects: it is looked up by the ranges of its documents, since the whole table of
# vectors has thirty megabytes at a hundred thousand chunks.
_FROM_PROSE = """
FROM docs CROSS JOIN vectors ON vectors.n BETWEEN docs.first_n AND docs.last_n WHERE docs.type != 'code' AND
"""
_FROM_ALL = "FROM vectors WHERE"
_SELECT_RANGES = """
SELECT n, body FROM json_each(?1) AS asked CROSS JOIN vectors
    ON n BETWEEN CAST(asked.value ->> 0 AS BIGINT) AND CAST(asked.value ->> 1 AS BIGINT)
WHERE length(body) = ?2
"""
_SELECT_UNEMBEDDED = """
SELECT n, type, path, symbol, text FROM chunks
WHERE n < ?1 AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n) ORDER BY n DESC LIMIT ?2
"""
_INSERT_VECTOR = """
INSERT INTO vectors (n, type, body) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING
"""


class VectorTable(Table):
    """Embeddings of chunks, removed with their chunks."""

    def insert(self, n: int, type_: str, body: bytes) -> None:
        """Insert the vector of a chunk, unless it has one."""
        self._execute(_INSERT_VECTOR, n, type_, body)

    def get_by_file(self, path: str) -> dict[str, bytes]:
        """Return the vectors of a file's chunks by id."""
        return dict(self._fetch_rows("SELECT id, body FROM chunks JOIN vectors USING (n) WHERE path = ?1", path))

    def list_newer(self, last: int, *, prose: bool) -> Sequence[VectorRow]:
        """List vectors with a number above `last`; `prose` leaves code out."""
        where = _FROM_PROSE if prose else _FROM_ALL
        return self._fetch_rows(f"SELECT vectors.n, vectors.type, body {where} vectors.n > ?1 ORDER BY 1", last)

    def list_numbers(self, last: int, *, prose: bool) -> Sequence[int]:
        """List the numbers up to `last` with a vector; `prose` leaves code out."""
        return self._fetch_column(
            f"SELECT vectors.n {_FROM_PROSE if prose else _FROM_ALL} vectors.n <= ?1 ORDER BY 1", last
        )

    def get_ranges(self, runs: Sequence[tuple[int, int]], size: int) -> Sequence[tuple[int, bytes]]:
        """Return the vectors of `size` bytes in ranges of numbers, by number."""
        return sorted(self._fetch_rows(_SELECT_RANGES, self._db.pack_items(runs), size))

    def count_missing(self) -> int:
        """Count chunks without a vector."""
        # A vector goes with its chunk, so the difference of two counts is enough, and no join of both tables is
        # needed.
        return int(self._fetch_value("SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)"))

    def list_unembedded(self, below: int, most: int) -> Sequence[UnembeddedChunk]:
        """List the newest chunks below `below` without a vector, newest first.

        With the number of missing vectors as the limit, it does not scan all chunks after one edit.
        """
        return self._fetch_rows(_SELECT_UNEMBEDDED, below, most)

    def get_record_vectors(self) -> dict[str, bytes]:
        """Return the non-empty vectors of records by id."""
        sql = "SELECT id, body FROM vectors JOIN chunks USING (n) WHERE path IS NULL AND length(body) > 0"
        return dict(self._fetch_rows(sql))
