"""Documents of the text index, and the decoding of a term's postings from blocks."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

BLOCK_BYTES = 1150
"""Approximate size of a block, so that three share a page; a search reads one block per term and segment."""


def build_blocks(terms: Sequence[bytes], ends: Numbers, fields: PackedFields) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of these postings, each with its first term.

    Args:
        terms: in UTF-8 and in order.
        ends: end of the postings of each term; each term has at least one.
        fields: all postings, term by term.
    """
    marks = np.concatenate([np.zeros(1, np.int64), ends])
    sizes = POSTING_BYTES * np.diff(marks) + np.fromiter(map(len, terms), np.int64, len(terms))
    before = np.cumsum(sizes) - sizes
    first = np.flatnonzero((np.diff(before // BLOCK_BYTES, prepend=-1) > 0) | (sizes >= BLOCK_BYTES))
    for start, end in pairwise([*first.tolist(), len(terms)]):
        of_block = marks[start : end + 1]
        low, high = int(of_block[0]), int(of_block[-1])
        # A line end on both sides of each: one search finds a term, and never inside another one.
        head = b"\n%b\n" % b"\n".join(terms[start:end])
        parts = (
            UINT32_PAIR.pack(len(head), end - start),
            head,
            (of_block - low).astype("<u4").tobytes(),
            fields[0][4 * low : 4 * high],
            *(field[low:high] for field in fields[1:]),
        )
        yield terms[start].decode(), b"".join(parts)


OWN_NAME_BIT = 128
"""Bit in the path count for a term in the file's own name."""


POSTING_BYTES = 7
"""Bytes of one posting."""


UINT32_PAIR = struct.Struct("<II")
"""Two 32-bit numbers."""


PackedFields: TypeAlias = tuple[bytes, bytes, bytes, bytes]
"""Encoded postings by field: chunks; counts in the text, in the names, in the path."""


class PostingList(NamedTuple):
    """Posting list of a term; arrays of the same length, chunk numbers rising."""

    n: NDArray[np.uint32]
    body: NDArray[np.uint8]
    name: NDArray[np.uint8]
    path: NDArray[np.uint8]


class PostingBlock(NamedTuple):
    """Decoded block.

    Attributes:
        terms: sorted.
        counts: number of postings of each.
        fields: the postings of all terms.
    """

    terms: list[bytes]
    counts: NDArray[np.int64]
    fields: PackedFields


def encode_term_line(term: str) -> bytes:
    """Encode a term as the line that `find_postings` looks for."""
    # A query may hold half of a surrogate pair, which no term has.
    return b"\n%b\n" % term.encode("utf-8", "surrogatepass")


def find_postings(block: bytes, line: bytes) -> PackedFields | None:
    """Find the postings of a term in a block; None when missing or invalid."""
    if len(block) < UINT32_PAIR.size:
        return None
    spelt, terms = UINT32_PAIR.unpack_from(block)
    marks = UINT32_PAIR.size + spelt
    at = block.find(line, UINT32_PAIR.size, marks)
    if at < 0:
        return None
    # The line breaks before it are the position of the term, since the block begins with one.
    place = block.count(b"\n", UINT32_PAIR.size, at)
    begin = marks + 4 * (terms + 1)
    whole, cut = divmod(len(block) - begin, POSTING_BYTES)
    # A damaged page gives any bytes: what does not fit together counts as absent, and the check names it.
    if cut or whole < 0 or place >= terms:
        return None
    start, end = UINT32_PAIR.unpack_from(block, marks + 4 * place)
    if not start <= end <= whole:
        return None
    body = begin + 4 * whole
    name, path = body + whole, body + 2 * whole
    return (
        block[begin + 4 * start : begin + 4 * end],
        block[body + start : body + end],
        block[name + start : name + end],
        block[path + start : path + end],
    )


def decode_block(block: bytes) -> PostingBlock | None:
    """Decode a block; None when it is invalid."""
    if len(block) < UINT32_PAIR.size:
        return None
    spelt, count = UINT32_PAIR.unpack_from(block)
    marks = UINT32_PAIR.size + spelt
    begin = marks + 4 * (count + 1)
    whole, cut = divmod(len(block) - begin, POSTING_BYTES)
    terms = block[UINT32_PAIR.size : marks].split(b"\n")[1:-1]
    if cut or whole < 0 or not count or len(terms) != count:
        return None
    ends = np.frombuffer(block[marks:begin], "<u4").astype(np.int64)
    counts = np.diff(ends)
    if ends[0] or ends[-1] != whole or (counts < 0).any():
        return None
    numbers, body, name, path, end = (begin + part * whole for part in (0, 4, 5, 6, 7))
    return PostingBlock(terms, counts, (block[numbers:body], block[body:name], block[name:path], block[path:end]))


def decode_postings(found: Sequence[tuple[int, PackedFields]]) -> PostingList:
    """Decode and merge a term's postings of all segments, each with its first number."""
    numbers, *counts = (b"".join(fields[part] for _, fields in found) for part in range(4))
    firsts = np.array([first for first, _ in found], np.uint32)
    n = np.frombuffer(numbers, "<u4") + np.repeat(firsts, [len(fields[1]) for _, fields in found])
    parts = [np.frombuffer(part, np.uint8) for part in counts]
    if len(n) > 1 and not (n[1:] > n[:-1]).all():  # merged segments interleave
        order = np.argsort(n, kind="stable")
        n, parts = n[order], [part[order] for part in parts]
    return PostingList(n, *parts)


@dataclass(frozen=True, slots=True)
class Document:
    """Document of the index: a file, or a record without a file.

    Attributes:
        type: the type of all its chunks.
        path: None for a record.
        chunks: text and defined names of each chunk.
    """

    type: str
    path: str | None
    chunks: Sequence[tuple[str, str]]

    @property
    def own_name(self) -> str:
        """The file's own name without extensions."""
        return self.path.rpartition("/")[2].partition(".")[0] if self.path else ""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """Row of a document: number of chunks, terms per field and per chunk."""

    type: str
    path: str | None
    chunks: int
    body_length: int
    name_length: int
    path_length: int
    lengths: bytes
