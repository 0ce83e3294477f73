"""Tables of the inverted index: documents, segments, posting blocks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import DocumentRange, PostingBlock


_INSERT_DOCUMENT = """
INSERT INTO docs (first_n, last_n, type, path, body_length, name_length, path_length, lengths)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_READABLE = """
(SELECT * FROM docs WHERE type IN ('code', 'know', 'reas')
    AND typeof(first_n) || typeof(last_n) || typeof(body_length) || typeof(name_length) || typeof(path_length)
        = 'integerintegerintegerintegerinteger'
    AND first_n > 0 AND last_n BETWEEN first_n AND (SELECT coalesce(max(n), 0) FROM chunks))
"""
"""Documents whose values Aurora writes. Those that a damaged page has instead are left out, and named by the check as
chunks without a document."""
_IS_NUMBER = "segments.first_n BETWEEN 0 AND 4294967295"
"""First number of a segment whose postings can be added to it."""
_SELECT_DOCUMENTS = f"""
SELECT first_n, last_n, type, path, body_length, name_length, path_length, lengths FROM {_READABLE} ORDER BY first_n
"""
_SELECT_BLOCKS = f"""
SELECT asked.value, segments.first_n, postings.body FROM json_each(?) AS asked CROSS JOIN segments ON {_IS_NUMBER}
JOIN postings ON postings.n = (
    SELECT n FROM postings AS early WHERE early.segment = segments.segment AND early.term <= asked.value
    ORDER BY early.term DESC LIMIT 1
) ORDER BY asked.key, segments.segment
"""
_SELECT_FIRST_TERMS = "SELECT term FROM postings WHERE segment IN (SELECT value FROM json_each(?)) ORDER BY term"
_SELECT_BLOCKS_BETWEEN = f"""
SELECT segments.first_n, postings.body FROM json_each(?) AS merged
JOIN segments ON segments.segment = merged.value AND {_IS_NUMBER} JOIN postings ON postings.segment = segments.segment
WHERE (?3 IS NULL OR postings.term < ?3) AND postings.term >= coalesce(
    (SELECT max(term) FROM postings AS before WHERE before.segment = merged.value AND before.term <= ?2), '')
ORDER BY segments.segment, postings.term
"""
_COUNT_COVERAGE = """
SELECT coalesce(docs.path, 'fact ' || first_n), last_n - first_n + 1, count(chunks.n), length(lengths) / 2,
    sum(coalesce(chunks.path, '') = coalesce(docs.path, ''))
FROM docs LEFT JOIN chunks ON chunks.n BETWEEN first_n AND last_n GROUP BY first_n
"""
_COUNT_UNCOVERED = f"""
SELECT count(*) FROM chunks WHERE NOT coalesce(
    (SELECT last_n >= chunks.n FROM {_READABLE} WHERE first_n <= chunks.n ORDER BY first_n DESC LIMIT 1), 0)
"""
"""Uses the last document that begins before a chunk; comparing with each document would be quadratic."""


class PostingTable(Table):
    """Documents are number ranges of chunks; a segment is one write of postings."""

    def list_documents(self) -> Sequence[DocumentRange]:
        """List all documents by the number of their first chunk."""
        return self._fetch_rows(_SELECT_DOCUMENTS)

    def list_ranges(self) -> Sequence[tuple[int, int]]:
        """List the first and last chunk number of all documents, ascending."""
        return self._fetch_rows("SELECT first_n, last_n FROM docs ORDER BY first_n")

    def find_blocks(self, terms: Sequence[str]) -> Sequence[tuple[str, int, bytes]]:
        """Find the block of each segment that may contain each term.

        Each row is term, first number of the segment, and block.
        """
        return self._fetch_rows(_SELECT_BLOCKS, json.dumps(terms))

    def list_segments(self, *, below: int | None = None) -> Sequence[int]:
        """List the segments, optionally with fewer postings than `below`."""
        condition = "" if below is None else " WHERE postings < ?"
        return self._fetch_column(f"SELECT segment FROM segments{condition}", *(() if below is None else (below,)))

    def list_first_terms(self, segments: Sequence[int]) -> Sequence[str]:
        """List the first term of each block of these segments, sorted."""
        return self._fetch_column(_SELECT_FIRST_TERMS, json.dumps(segments))

    def iter_blocks_between(self, segments: Sequence[int], low: str, high: str | None) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks of segments with terms from `low` to below `high`.

        Yields:
            The first number of the segment, and the block; by segment and term.
        """
        yield from self._fetch_rows(_SELECT_BLOCKS_BETWEEN, json.dumps(segments), low, high)

    def insert_documents(self, documents: Iterable[DocumentRange]) -> None:
        """Insert documents; their chunks may be inserted later."""
        self._db.executemany(_INSERT_DOCUMENT, documents)

    def begin_segment(self, first: int, postings: int) -> int:
        """Insert a segment that counts chunks from `first`; return its number."""
        sql = "INSERT INTO segments (first_n, postings) VALUES (?, ?) RETURNING segment"
        return int(self._fetch_value(sql, first, postings))

    def insert_blocks(self, segment: int, blocks: Iterable[PostingBlock]) -> None:
        """Insert blocks into a segment."""
        sql = "INSERT INTO postings (segment, term, body) VALUES (?, ?, ?)"
        self._db.executemany(sql, ((segment, term, body) for term, body in blocks))

    def add_posting_count(self, segment: int, postings: int) -> None:
        """Increase the posting count of a segment."""
        self._db.execute("UPDATE segments SET postings = postings + ? WHERE segment = ?", (postings, segment))

    def remove_segments(self, segments: Sequence[int]) -> None:
        """Remove segments and their postings."""
        self._db.executemany("DELETE FROM postings WHERE segment = ?", ((segment,) for segment in segments))
        self._db.executemany("DELETE FROM segments WHERE segment = ?", ((segment,) for segment in segments))

    def clear(self) -> None:
        """Remove all documents, segments and postings."""
        for table in ("docs", "segments", "postings"):
            self._db.execute(f"DELETE FROM {table}")

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
        sql = "SELECT count(DISTINCT segment) FROM postings WHERE segment NOT IN (SELECT segment FROM segments)"
        return int(self._fetch_value(sql))

    def iter_blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the first number and content of every block of a listed segment."""
        yield from self._db.execute(
            f"SELECT first_n, body FROM postings JOIN segments USING (segment) WHERE {_IS_NUMBER}"
        )
