"""Postings: where each term stands, packed for the table; a term's blob is read with numpy, at the price of its length.

A blob of k postings is four little-endian arrays one after the other: k chunk numbers of 32 bits, rising; k counts in
the text; k counts in what the chunk defines; k counts in the path, whose highest bit says that the term is in the
file's own name. Seven bytes a posting.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

SIZE = 7
"""Bytes of one posting."""
MOST = 255
_MOST_IN_PATH = 127
_LONGEST = 65535
OWN_NAME = 128
"""Added to the count in the path when the term is in the file's own name."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one chunk: how often each stands in its text and in what it defines, and how many the text has."""

    body: Mapping[str, int]
    name: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or a fact that no file holds: the terms of its path, those in its own name, and its chunks in order."""

    type: str
    path: str | None
    path_terms: Mapping[str, int]
    own_name: frozenset[str]
    chunks: Sequence[Terms]

    def row(self) -> DocRow:
        """What its table holds of it."""
        lengths = array("H", [min(chunk.length, _LONGEST) for chunk in self.chunks])
        names = sum(sum(chunk.name.values()) for chunk in self.chunks)
        body, path = sum(chunk.length for chunk in self.chunks), sum(self.path_terms.values())
        return DocRow(self.type, self.path, len(self.chunks), body, names, path, lengths.tobytes())


@dataclass(frozen=True, slots=True)
class DocRow:
    """A document as its table holds it: chunks, terms in all of each field and in each chunk's text."""

    type: str
    path: str | None
    chunks: int
    body_length: int
    name_length: int
    path_length: int
    lengths: bytes


@dataclass(frozen=True, slots=True)
class Packed:
    """The postings of some documents, chunks counted from 0: bytes that another process can send as they are.

    Attributes:
        docs: those with a chunk, in order.
        terms: each once, in order.
        counts: how many postings each has.
        numbers, body, name, path: of all terms, one after the other.
    """

    docs: tuple[DocRow, ...]
    terms: tuple[str, ...]
    counts: array[int]
    numbers: bytes
    body: bytes
    name: bytes
    path: bytes

    def rows(self, first: int) -> Iterator[tuple[str, bytes]]:
        """Each term with its blob, the chunks numbered from `first` on."""
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never index

        numbers = (np.frombuffer(self.numbers, "<u4") + np.uint32(first)).astype("<u4").tobytes()
        start = 0
        for term, count in zip(self.terms, self.counts, strict=True):
            end = start + count
            fields = (self.body[start:end], self.name[start:end], self.path[start:end])
            yield term, numbers[4 * start : 4 * end] + b"".join(fields)
            start = end


@dataclass(frozen=True, slots=True)
class Posting:
    """One term's postings; arrays of the same length, the chunk numbers rising."""

    n: NDArray[np.uint32]
    body: NDArray[np.uint8]
    name: NDArray[np.uint8]
    path: NDArray[np.uint8]


def pack(documents: Sequence[Document]) -> Packed:
    """The postings of these documents' chunks, numbered in their order from 0."""
    found: dict[str, tuple[array[int], bytearray, bytearray, bytearray]] = {}
    n = 0
    for document in documents:
        paths = {
            term: min(count, _MOST_IN_PATH) + (OWN_NAME if term in document.own_name else 0)
            for term, count in document.path_terms.items()
        }
        for chunk in document.chunks:
            body, name = chunk.body, chunk.name
            for term in {**body, **name, **paths}:
                lists = found.get(term)
                if lists is None:
                    lists = found[term] = (array("I"), bytearray(), bytearray(), bytearray())
                lists[0].append(n)
                lists[1].append(min(body.get(term, 0), MOST))
                lists[2].append(min(name.get(term, 0), MOST))
                lists[3].append(paths.get(term, 0))
            n += 1
    terms = tuple(sorted(found))
    lists_of = [found[term] for term in terms]
    return Packed(
        tuple(document.row() for document in documents if document.chunks),
        terms,
        array("I", [len(lists[0]) for lists in lists_of]),
        b"".join(lists[0].tobytes() for lists in lists_of),
        *(b"".join(bytes(lists[field]) for lists in lists_of) for field in (1, 2, 3)),
    )


def unpack(blobs: Sequence[bytes]) -> Posting:
    """One term's postings, out of its blobs in all segments; blobs of no whole posting are left out."""
    import numpy as np  # noqa: PLC0415 - as above

    whole = [(blob, len(blob) // SIZE) for blob in blobs if len(blob) % SIZE == 0]
    n = np.concatenate([np.frombuffer(blob, "<u4", k) for blob, k in whole] or [np.zeros(0, "<u4")])
    fields = [
        np.concatenate([np.frombuffer(blob, np.uint8, k, (4 + field) * k) for blob, k in whole] or [n.astype(np.uint8)])
        for field in range(3)
    ]
    if len(n) > 1 and not (n[1:] > n[:-1]).all():  # merged segments lie between each other
        order = np.argsort(n, kind="stable")
        n, fields = n[order], [field[order] for field in fields]
    return Posting(n, *fields)
