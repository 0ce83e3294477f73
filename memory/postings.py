"""Postings: where each term stands, packed for the table; `postings_read` takes a term's blob apart.

A blob of k postings is four little-endian arrays one after the other: k chunk numbers of 32 bits, rising; k counts in
the text; k counts in what the chunk defines; k counts in the path, whose highest bit says that the term is in the
file's own name. Seven bytes a posting.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

from .vocabulary import identifiers_in, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .vocabulary import Vocabulary

    Numbers = NDArray[np.int64]

MOST = 255
_MOST_IN_PATH = 127
OWN_NAME = 128
"""Added to the count in the path when the term is in the file's own name."""
_LONGEST = 65535


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or a fact that no file holds.

    Attributes:
        type: of all its chunks.
        path: None for a fact.
        chunks: of each its text, and the names that it defines.
    """

    type: str
    path: str | None
    chunks: Sequence[tuple[str, str]]

    @property
    def own_name(self) -> str:
        """The file's own name, without its endings."""
        return self.path.rpartition("/")[2].partition(".")[0] if self.path else ""


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
        ends: where the postings of each end.
        numbers, body, name, path: of all terms, one after the other.
    """

    docs: tuple[DocRow, ...]
    terms: tuple[str, ...]
    ends: tuple[int, ...]
    numbers: bytes
    body: bytes
    name: bytes
    path: bytes

    def rows(self, first: int) -> Iterator[tuple[str, bytes]]:
        """Each term with its blob, the chunks numbered from `first` on."""
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never index

        numbers = (np.frombuffer(self.numbers, "<u4") + np.uint32(first)).astype("<u4").tobytes()
        for term, (start, end) in zip(self.terms, pairwise((0, *self.ends)), strict=True):
            fields = (self.body[start:end], self.name[start:end], self.path[start:end])
            yield term, numbers[4 * start : 4 * end] + b"".join(fields)


def pack(documents: Sequence[Document]) -> Packed:
    """The postings of these documents' chunks, numbered in their order from 0.

    Nothing is counted one by one: identifiers become numbers, numbers are sorted, and equal ones stand together.
    """
    import numpy as np  # noqa: PLC0415 - as above

    documents = [document for document in documents if document.chunks]
    counts = [len(document.chunks) for document in documents]
    chunks = sum(counts)
    with vocabulary() as known:
        body = _Field.of(known, [text for document in documents for text, _ in document.chunks])
        name = _Field.of(known, [names for document in documents for _, names in document.chunks])
        paths = _Field.of(known, [document.path or "" for document in documents])
        own = _Field.of(known, [document.own_name for document in documents])
        spelt = known.terms  # only grows
    keys = [
        body.keys(chunks),
        name.keys(chunks),
        paths.repeated(counts).keys(chunks),
        own.repeated(counts).keys(chunks),
    ]
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    marks = np.cumsum([len(key) for key in keys])[:-1]
    in_body, in_name, in_path, in_own = (
        np.bincount(part, minlength=len(every)) for part in np.split(place.reshape(-1), marks)
    )
    used, starts, sizes = np.unique(every // max(chunks, 1), return_index=True, return_counts=True)
    terms = [spelt[term] for term in used.tolist()]
    order = np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)
    starts, sizes = starts[order], sizes[order]
    ends = np.cumsum(sizes)
    by_spelling = np.arange(len(every)) + np.repeat(starts - (ends - sizes), sizes)
    fields = (
        (every % max(chunks, 1)).astype("<u4"),
        np.minimum(in_body, MOST).astype(np.uint8),
        np.minimum(in_name, MOST).astype(np.uint8),
        (np.minimum(in_path, _MOST_IN_PATH) + OWN_NAME * (in_own > 0)).astype(np.uint8),
    )
    return Packed(
        _rows(documents, counts, body, name, paths),
        tuple(terms[place] for place in order.tolist()),
        tuple(ends.tolist()),
        *(field[by_spelling].tobytes() for field in fields),
    )


@dataclass(frozen=True, slots=True)
class _Field:
    """The terms of some texts: each term as often as it occurs, and the position of its text."""

    terms: Numbers
    texts: Numbers
    lengths: Numbers
    """How many terms each text has."""

    @classmethod
    def of(cls, known: Vocabulary, texts: Sequence[str]) -> _Field:
        import numpy as np  # noqa: PLC0415 - as above

        found = [list(map(known.number, identifiers_in(text))) for text in texts]
        sizes = np.fromiter(map(len, found), np.int64, len(found))
        identifiers = np.fromiter(chain.from_iterable(found), np.int64, int(sizes.sum()))
        first, count, terms = known.arrays()
        counts = count[identifiers]
        ends = np.cumsum(counts)
        inside = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
        spread = terms[np.repeat(first[identifiers], counts) + inside]
        of_text = np.repeat(np.repeat(np.arange(len(texts)), sizes), counts)
        return cls(spread, of_text, np.bincount(of_text, minlength=len(texts)))

    def repeated(self, counts: Sequence[int]) -> _Field:
        """What each of a document's chunks has of it, for documents with as many chunks."""
        import numpy as np  # noqa: PLC0415 - as above

        times = np.asarray(counts, np.int64)[self.texts]
        firsts = (np.cumsum(counts) - counts)[self.texts]
        ends = np.cumsum(times)
        inside = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - times, times)
        texts = (np.repeat(firsts, times) + inside).astype(np.int64)
        return _Field(np.repeat(self.terms, times), texts, np.zeros(0, np.int64))

    def keys(self, texts: int) -> Numbers:
        """One number for each occurrence, which tells its term and then its text."""
        return self.terms * max(texts, 1) + self.texts


def _rows(
    documents: Sequence[Document], counts: Sequence[int], body: _Field, name: _Field, path: _Field
) -> tuple[DocRow, ...]:
    import numpy as np  # noqa: PLC0415 - as above

    lengths = np.minimum(body.lengths, _LONGEST).astype("<u2")
    out = []
    for place, (document, (start, end)) in enumerate(zip(documents, pairwise((0, *accumulate(counts))), strict=True)):
        sums = (int(body.lengths[start:end].sum()), int(name.lengths[start:end].sum()), int(path.lengths[place]))
        out.append(DocRow(document.type, document.path, end - start, *sums, lengths[start:end].tobytes()))
    return tuple(out)
