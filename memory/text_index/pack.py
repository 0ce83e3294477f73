"""Encoding of documents as postings for the table; `read` decodes them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .read import OWN_NAME_BIT, DocumentRow, build_blocks
from .runs import find_runs
from .vocabulary import borrow_vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .read import Document

    Numbers = NDArray[np.int64]

MAX_COUNT = 255


# The highest bit of the byte says that the term is in the file's own name.
_MAX_PATH_COUNT = 127

_MAX_LENGTH = 65535


@dataclass(frozen=True, slots=True)
class PackedPostings:
    """Encoded postings of documents, with chunks counted from 0; cheap to pickle.

    Attributes:
        docs: the documents with chunks, in order.
        postings: their number.
        blocks: in order, each with its first term.
    """

    docs: tuple[DocumentRow, ...]
    postings: int
    blocks: tuple[tuple[str, bytes], ...]


def pack_documents(documents: Sequence[Document]) -> PackedPostings:
    """Encode the postings of these documents' chunks, numbered from 0."""
    # A document is a range of chunk numbers, which one without chunks does not have.
    documents = [document for document in documents if document.chunks]
    counts = np.array([len(document.chunks) for document in documents], np.int64)
    found = count_terms(documents, counts)
    postings = (
        found.chunks.astype("<u4").tobytes(),
        np.minimum(found.body, MAX_COUNT).astype(np.uint8).tobytes(),
        np.minimum(found.name, MAX_COUNT).astype(np.uint8).tobytes(),
        (np.minimum(found.path, _MAX_PATH_COUNT) + OWN_NAME_BIT * (found.own_name > 0)).astype(np.uint8).tobytes(),
    )
    rows = _build_rows(documents, counts, found.lengths)
    return PackedPostings(rows, len(found.chunks), tuple(build_blocks(found.terms, found.ends, postings)))


def _build_rows(documents: Sequence[Document], counts: Numbers, lengths: FieldLengths) -> tuple[DocumentRow, ...]:
    of_chunks = np.minimum(lengths.body, _MAX_LENGTH).astype("<u2").tobytes()
    ends = np.cumsum(counts).tolist()
    out = []
    for place, (document, (start, end)) in enumerate(zip(documents, pairwise((0, *ends)), strict=True)):
        sums = (int(lengths.body[start:end].sum()), int(lengths.name[start:end].sum()), int(lengths.path[place]))
        out.append(DocumentRow(document.type, document.path, end - start, *sums, of_chunks[2 * start : 2 * end]))
    return tuple(out)


_FIELD_BITS = 2

_FIELDS = 1 << _FIELD_BITS


class FieldLengths(NamedTuple):
    """Lengths in terms: text and names of each chunk, path of each document."""

    body: Numbers
    name: Numbers
    path: Numbers


class TermCounts(NamedTuple):
    """Postings of documents as columns, term by term, with chunks counted from 0.

    Attributes:
        terms: distinct, in UTF-8, sorted.
        ends: end of the postings of each term.
        chunks: chunk of each posting, rising within a term.
        body, name, path, own_name: counts of the term in the chunk's text, in its names, in its document's path, and in
            the file's own name.
        lengths: lengths of the fields.
    """

    terms: list[bytes]
    ends: Numbers
    chunks: Numbers
    body: Numbers
    name: Numbers
    path: Numbers
    own_name: Numbers
    lengths: FieldLengths


def count_terms(documents: Sequence[Document], chunks: Numbers) -> TermCounts:
    """Count the terms of documents with these numbers of chunks."""
    runs = find_runs(
        [
            *(text for document in documents for text, _ in document.chunks),
            *(names for document in documents for _, names in document.chunks),
            *(document.path or "" for document in documents),
            *(document.own_name for document in documents),
        ]
    )
    terms, of_run, sizes = _resolve_terms(runs.spelt)
    total = int(chunks.sum())
    lengths = np.bincount(runs.texts, sizes[runs.which], 2 * (total + len(documents))).astype(np.int64)
    which, places = _assign_chunks(runs.which, runs.texts, chunks)
    at, inside = _repeat_positions(sizes[which])
    firsts = np.cumsum(sizes) - sizes
    keys = (of_run[firsts[which][at] + inside] * (total * _FIELDS)) + places[at]
    # One number holds term, chunk and field, so a single sort orders all occurrences, and equal ones are counted.
    keys.sort()
    parts = FieldLengths(*np.split(lengths, (total, 2 * total, 2 * total + len(documents)))[:3])
    return _collect_postings(terms, keys, max(total, 1), parts)


def _resolve_terms(runs: Sequence[bytes]) -> tuple[list[bytes], Numbers, Numbers]:
    """Return the sorted terms in UTF-8, the term positions run by run, the count per run."""
    with borrow_vocabulary() as known:
        numbers_of_runs = [known[run] for run in runs]
        spelt = known.terms  # only grows
    sizes = np.fromiter(map(len, numbers_of_runs), np.int64, len(numbers_of_runs))
    numbers = np.fromiter(chain.from_iterable(numbers_of_runs), np.int64, int(sizes.sum()))
    used, place = np.unique(numbers, return_inverse=True)
    # Only the terms of these documents are sorted, and by their bytes, as the blocks have them.
    terms = [spelt[number].encode() for number in used.tolist()]
    order = sorted(range(len(terms)), key=terms.__getitem__)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return [terms[number] for number in order], rank[place], sizes


def _assign_chunks(which: Numbers, texts: Numbers, chunks: Numbers) -> tuple[Numbers, Numbers]:
    """Assign occurrences to chunks; those in a path count for all chunks of the document.

    Returns:
        The run of each occurrence, and its place: four times the chunk, plus the field.
    """
    total, documents = int(chunks.sum()), len(chunks)
    of_chunk = texts < 2 * total
    field, chunk = np.divmod(texts[of_chunk], max(total, 1))
    of_document = ~of_chunk
    beyond, document = np.divmod(texts[of_document] - 2 * total, max(documents, 1))
    at, inside = _repeat_positions(chunks[document])
    # A term of the path is found in each chunk of the file.
    spread = (np.cumsum(chunks) - chunks)[document][at] + inside
    return (
        np.concatenate([which[of_chunk], which[of_document][at]]),
        np.concatenate([chunk * _FIELDS + field, spread * _FIELDS + 2 + beyond[at]]),
    )


def _collect_postings(terms: list[bytes], keys: Numbers, total: int, lengths: FieldLengths) -> TermCounts:
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    times = np.diff(first, append=len(keys))
    places, fields = keys[first] >> _FIELD_BITS, keys[first] & (_FIELDS - 1)
    fresh = np.diff(places, prepend=-1) != 0
    counts = np.zeros((_FIELDS, int(fresh.sum())), np.int64)
    counts[fields, np.cumsum(fresh) - 1] = times
    term, chunk = np.divmod(places[fresh], total)
    body, name, path, own_name = counts
    ends = np.searchsorted(term, np.arange(len(terms)), "right")
    return TermCounts(terms, ends, chunk, body, name, path, own_name, lengths)


def _repeat_positions(times: Numbers) -> tuple[Numbers, Numbers]:
    """Repeat positions, and number the copies: 2, 0, 1 gives 0 0 2 and 0 1 0."""
    at = np.repeat(np.arange(len(times)), times)
    return at, np.arange(len(at)) - (np.cumsum(times) - times)[at]
