"""The words' index as a search sees it: the documents in memory, the postings of a term from the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from .cache import PostingsCache
from .read import decode_postings, encode_term_line, find_postings

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from aurora.memory.model import ChunkType
    from aurora.memory.sqlite.tables import DocumentRange, Tables

    from .read import PackedFields, PostingList

    Numbers = NDArray[np.int64]

ResultT = TypeVar("ResultT")


class DocumentTable(NamedTuple):
    """All documents, files and facts, in the order of their chunk numbers; arrays as long as there are documents.

    Attributes:
        first_n, last_n: the numbers of their first and last chunk.
        type: positions in `Lexicon.types`.
        paths: None for a fact.
        body_length, name_length, path_length: in terms.
        offset: where each one's chunks begin in `lengths`.
        lengths: the terms in each chunk's text, at most 65,535.
    """

    first_n: Numbers
    last_n: Numbers
    type: Numbers
    paths: tuple[str | None, ...]
    body_length: Numbers
    name_length: Numbers
    path_length: Numbers
    offset: Numbers
    lengths: NDArray[np.uint16]


class TextIndex:
    """The words' index at one moment; it never changes, and a later one is made by `following`."""

    types: ClassVar[tuple[ChunkType, ...]] = ("code", "know", "reas")

    def __init__(self, generation: int = -1, docs: DocumentTable | None = None) -> None:
        self.generation = generation
        self.docs = docs or _build_documents([])
        self._cache = PostingsCache()
        self._memo: dict[Hashable, Any] = {}
        self.doc_at = _map_chunks(self.docs)
        """Chunk number -> the position of its document; -1 for a number whose chunk is gone."""
        self.totals = tuple(self._count_type(type_) for type_ in range(len(self.types)))
        """Of each type the number of chunks, and of documents."""

    def refresh(self, db: Tables, generation: int) -> TextIndex:
        """This one, or a newer one when the store has moved on."""
        if generation <= self.generation:  # a reader that began earlier must not turn the clock back
            return self
        return TextIndex(generation, _build_documents(db.postings.list_documents()))

    def read_postings(self, db: Tables, terms: Sequence[str], *, generation: int = -1) -> dict[str, PostingList]:
        """The postings of those of these terms that stand anywhere; some may be of chunks that are gone.

        Args:
            db: a read transaction.
            terms: as `words.terms_of` gives them.
            generation: the store's in that transaction. Where it is this lexicon's, what was read is kept for the next
                search; a reader that began earlier is asked about and told what it sees itself.
        """
        kept = self._cache if generation == self.generation else PostingsCache()
        found = {term: kept.get(term) for term in sorted(set(terms))}
        missing = [term for term, posting in found.items() if posting is None]
        if missing:
            parts: dict[str, list[tuple[int, PackedFields]]] = {term: [] for term in missing}
            lines = {term: encode_term_line(term) for term in missing}
            for term, first, block in db.postings.find_blocks(missing):
                if fields := find_postings(block, lines[term]):
                    parts[term].append((first, fields))
            for term in missing:
                found[term] = posting = decode_postings(parts[term])
                kept.put(term, posting)
        return {term: posting for term, posting in found.items() if posting is not None and len(posting.n)}

    def get_or_compute(self, what: Hashable, work: Callable[[], ResultT]) -> ResultT:
        """What follows from the documents alone, worked out once; a name always stands for the same work."""
        if what not in self._memo:
            self._memo[what] = work()
        found: ResultT = self._memo[what]
        return found

    def find_document(self, n: int) -> int | None:
        """The position of the document that has the chunk number `n`; None when it is gone."""
        place = int(self.doc_at[n]) if 0 <= n < len(self.doc_at) else -1
        return place if place >= 0 else None

    def get_lengths(self, numbers: Numbers) -> NDArray[np.uint16]:
        """The terms in the text of each of these chunks, which must be live."""
        docs = self.docs
        place = self.doc_at[numbers]
        lengths: NDArray[np.uint16] = docs.lengths[docs.offset[place] + numbers - docs.first_n[place]]
        return lengths

    def compute_mean_length(self, type_: int) -> float:
        """The mean of the terms in the text of a chunk of one type; 0 when there is none."""
        chunks = self.totals[type_][0]
        return float(self.docs.body_length[self.docs.type == type_].sum()) / chunks if chunks else 0.0

    def _count_type(self, type_: int) -> tuple[int, int]:
        held = self.docs.type == type_
        chunks = (self.docs.last_n[held] - self.docs.first_n[held] + 1).sum()
        return int(chunks), int(held.sum())


def _build_documents(rows: Sequence[DocumentRange]) -> DocumentTable:
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never search

    columns = list(zip(*rows, strict=True)) if rows else [()] * 8
    first, last = np.array(columns[0], np.int64), np.array(columns[1], np.int64)
    sizes = last - first + 1
    lengths = b"".join(map(_fit_blob, columns[7], (2 * sizes).tolist()))
    place_of = {type_: place for place, type_ in enumerate(TextIndex.types)}
    types = np.array([place_of[type_] for type_ in columns[2]], np.int64)
    body, name, path = (np.array(columns[place], np.int64) for place in (4, 5, 6))
    offset = np.cumsum(sizes) - sizes
    return DocumentTable(first, last, types, tuple(columns[3]), body, name, path, offset, np.frombuffer(lengths, "<u2"))


def _map_chunks(docs: DocumentTable) -> NDArray[np.int32]:
    import numpy as np  # noqa: PLC0415 - as above

    out = np.full(int(docs.last_n[-1]) + 2 if len(docs.last_n) else 1, -1, np.int32)
    sizes = docs.last_n - docs.first_n + 1
    numbers = np.repeat(docs.first_n - docs.offset, sizes) + np.arange(len(docs.lengths))
    out[numbers] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return out


def _fit_blob(blob: object, size: int) -> bytes:
    """A blob of as many bytes, whatever was written."""
    if isinstance(blob, bytes):
        return blob if len(blob) == size else blob[:size].ljust(size, b"\0")
    return bytes(size)
