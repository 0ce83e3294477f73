"""Rows of chunks, vectors, accesses and the inverted index.

They are plain tuples: a class for them would cost each search more than the query.
"""

from __future__ import annotations

from collections.abc import Sequence

ChunkNames = tuple[int, str, str, Sequence[str]]
"""Number, symbol and kind of a chunk, and the other names that it defines."""

ChunkProvenance = tuple[str, str | None, str, int, int, float | None]
"""Id, path, symbol, first and last line of a chunk, and the time its file was last written, in seconds since 1970;
None without a file."""

ChunkUse = tuple[str, float]
"""Id of a chunk, and the time of an access."""

VectorRow = tuple[int, str, bytes]
"""Number, type and vector of a chunk."""

UnembeddedChunk = tuple[int, str, str | None, str, str]
"""Chunk without a vector: number, type, and the input of the embedding: path, symbol and text."""

DocumentRange = tuple[int, int, str, str | None, int, int, int, bytes]
"""Row of a document: numbers of its first and last chunk, type, path, the numbers of terms of its text, names and
path, and of each chunk's text, 16 bits each."""

PostingBlock = tuple[str, bytes]
"""First term and content of a block of postings."""
