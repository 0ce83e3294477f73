"""Terms of a query: their occurrences and idf in the visible chunks, and exact symbols."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.text_index import OWN_NAME_BIT
from aurora.memory.text_index.tokens import extract_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from aurora.memory.storage.store import Tables
    from aurora.memory.text_index import PostingList, TextIndex

    from .query import Query

    Numbers = NDArray[np.int64]
    Floats = NDArray[np.float32]


class TermOccurrences(NamedTuple):
    """Occurrences of one term in one chunk type; one element per chunk.

    Attributes:
        chunk: positions among the chunk numbers, rising.
        doc: position of each chunk's document.
        body, name, path: counts in the text, in the defined names, and in the path.
        stem: True when the term is in the file's own name.
        chunk_idf, doc_idf: ln(1 + (N - n + 0.5) / (n + 0.5)) among the chunks, and among the documents, of the type.
    """

    chunk: Numbers
    doc: Numbers
    body: Floats
    name: Floats
    path: Floats
    stem: NDArray[np.bool_]
    chunk_idf: float
    doc_idf: float


class VisibleScope(NamedTuple):
    """Visible documents by position, and rising chunk numbers; None means all."""

    documents: NDArray[np.bool_] | None = None
    chunks: Numbers | None = None


def find_occurrences(
    index: TextIndex,
    postings: Mapping[str, PostingList],
    terms: Sequence[str],
    type_: int,
    visible: VisibleScope,
) -> list[TermOccurrences]:
    """Find the occurrences of each term in the live chunks of one type.

    Args:
        index: the current text index.
        postings: posting lists by term; a term without one has the highest idf, and covers nothing.
        terms: the query's terms, in order.
        type_: position in `index.types`.
        visible: the visible chunks; idf counts all chunks.
    """
    return [_find_term_occurrences(index, postings.get(term), type_, visible) for term in terms]


def weigh_occurrences(
    occurrences: Sequence[TermOccurrences], terms: Sequence[str], weights: Mapping[str, float]
) -> list[TermOccurrences]:
    """Multiply the idf of each term by its weight in the query; 1 for a term without one."""
    return [
        one._replace(chunk_idf=one.chunk_idf * weights.get(term, 1.0), doc_idf=one.doc_idf * weights.get(term, 1.0))
        for term, one in zip(terms, occurrences, strict=True)
    ]


def _find_term_occurrences(
    index: TextIndex, posting: PostingList | None, type_: int, visible: VisibleScope
) -> TermOccurrences:
    docs = index.docs
    chunks, documents = index.totals[type_]
    if posting is None or not len(docs.first_n):
        none, nothing = np.zeros(0, np.int64), np.zeros(0, np.float32)
        empty = np.zeros(0, np.bool_)
        return TermOccurrences(
            none, none, nothing, nothing, nothing, empty, _compute_idf(chunks, 0), _compute_idf(documents, 0)
        )
    n = posting.n.astype(np.int64)
    # a writer that began after this read may have added higher numbers
    doc = index.doc_at[np.minimum(n, len(index.doc_at) - 1)]
    live = (doc >= 0) & (docs.type[doc] == type_)
    live_docs = doc[live]
    chunk_idf, doc_idf = _compute_idf(chunks, int(live.sum())), _compute_idf(documents, _count_distinct(live_docs))
    if visible.documents is not None:
        live &= visible.documents[doc]
    if visible.chunks is not None:
        live &= np.isin(n, visible.chunks)
    paths = posting.path[live]
    return TermOccurrences(
        chunk=n[live],
        doc=doc[live],
        body=posting.body[live].astype(np.float32),
        name=posting.name[live].astype(np.float32),
        path=(paths & (OWN_NAME_BIT - 1)).astype(np.float32),
        stem=paths >= OWN_NAME_BIT,
        chunk_idf=chunk_idf,
        doc_idf=doc_idf,
    )


def _count_distinct(rising: Numbers) -> int:
    return int(np.count_nonzero(np.diff(rising))) + 1 if len(rising) else 0


def _compute_idf(total: int, count: int) -> float:
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


_MAX_CHUNKS = 400
"""Candidate chunks per name; more would define it only where the name is not specific."""

_FEW_DEFINITIONS = 3
"""Definitions of a name up to which it is not ambiguous."""

_AMBIGUITY_PENALTY = 0.6

_OTHER_CASE_PENALTY = 0.9

_KIND_PENALTIES = dict.fromkeys(("module", "section", "text", "fact", "pattern"), 0.7)
"""A section with this title describes the thing, as a record about it does, and is not its definition."""

_UNPARSED_SCORE = 0.9
"""Without a grammar a file is split into windows without symbols; the graph has the likely definitions of its lines."""


def extract_name_terms(names: Sequence[str]) -> dict[str, str]:
    """Map each name to the index term of its last part."""
    last = {name: extract_terms(name.rpartition(".")[2]) for name in names}
    return {name: words[0] for name, words in last.items() if words}


def confirm_name(db: Tables, query: Query, found: Mapping[str, PostingList]) -> Query:
    """Make the possible name of a question a name of the query, when the memory has a definition of it.

    One that is spelt as asked counts, else one in another case.

    Args:
        db: an open read transaction.
        query: the parsed query.
        found: the postings of its terms.
    """
    name = query.possible_name
    if not name:
        return query
    symbols = _find_defining_symbols(db, name, found)
    as_spelt = {symbol for symbol in symbols if _read_last_part(symbol) == name}
    if not symbols and not db.chunks.find_text_definitions([(name.casefold(), name)], 1):
        return query
    is_clear = len(as_spelt or symbols) <= _FEW_DEFINITIONS
    return query._replace(spelt=(name,), names=(name.casefold(),), only_names=is_clear)


def _find_defining_symbols(db: Tables, name: str, found: Mapping[str, PostingList]) -> set[str]:
    """Find the symbols of code whose last part is a name, in any case."""
    symbols: set[str] = set()
    for _, symbol, kind, defines in db.chunks.iter_names(_find_candidates(db, [name.casefold()], found)):
        defined = defines if kind in _KIND_PENALTIES else (symbol, *defines)
        symbols |= {each for each in defined if _read_last_part(each).casefold() == name.casefold()}
    return symbols


def find_definitions(db: Tables, query: Query, found: Mapping[str, PostingList]) -> dict[int, float]:
    """Find the chunks that define a name of the query, or contain one of its locations.

    Args:
        db: an open read transaction.
        query: the parsed query.
        found: the postings of the terms of `extract_name_terms`.

    Returns:
        By chunk number: 1 for a location and for the whole qualified name, 0.95 for its end, 0.9 for its last part;
        less for prose and, in a query with further words, for one of many definitions.
    """
    names = query.names
    if not names and not query.places:
        return {}
    numbers = _find_candidates(db, names, found)
    spellings = [(name.rpartition(".")[2], name) for name in query.spelt]
    out = dict.fromkeys(db.chunks.find_text_definitions(spellings, _MAX_CHUNKS), _UNPARSED_SCORE)
    as_spelt, last_parts = set(out), {last for last, _ in spellings}
    for n, symbol, kind, defines in db.chunks.iter_names(numbers):
        if score := _score_names(symbol, kind, defines, names):
            out[n] = score
            if not last_parts.isdisjoint(map(_read_last_part, (symbol, *defines))):
                as_spelt.add(n)
    out = _prefer_spelling(out, as_spelt)
    if len(out) > _FEW_DEFINITIONS and not query.only_names:
        out = {n: value * _AMBIGUITY_PENALTY for n, value in out.items()}
    return out | dict.fromkeys(db.chunks.find_at_lines(query.places, _MAX_CHUNKS), 1.0)


def _prefer_spelling(scores: dict[int, float], as_spelt: AbstractSet[int]) -> dict[int, float]:
    """Lower the other chunks where some are spelt as asked: `FETCH_INDEX` is not `fetch_index`."""
    if not as_spelt:
        return scores
    return {n: value if n in as_spelt else value * _OTHER_CASE_PENALTY for n, value in scores.items()}


def _score_names(symbol: str, kind: str, defines: Sequence[str], names: Sequence[str]) -> float:
    """Return the best score of a chunk's symbol and of the names that it defines."""
    scores = [_score_symbol(symbol, names) * _KIND_PENALTIES.get(kind, 1.0)]
    return max(scores + [_score_symbol(defined, names) for defined in defines])


def _find_candidates(db: Tables, names: Sequence[str], found: Mapping[str, PostingList]) -> list[int]:
    """Find the numbers of the chunks that may define one of the names."""
    numbers = db.chunks.find_by_name([name.rpartition(".")[2] for name in names], _MAX_CHUNKS)
    for word in dict.fromkeys(extract_name_terms(names).values()):
        if (posting := found.get(word)) is not None:
            numbers += posting.n[posting.name > 0][:_MAX_CHUNKS].tolist()
    return numbers


def _read_last_part(symbol: str) -> str:
    return _join_with_dots(symbol).rpartition(".")[2]


def _join_with_dots(symbol: str) -> str:
    return symbol.replace("::", ".").replace("#", ".")


def _score_symbol(symbol: str, names: Sequence[str]) -> float:
    whole = _join_with_dots(symbol).casefold()
    if whole in names:
        return 1.0
    for name in names:
        if "." in name and (whole.endswith(f".{name}") or name.endswith(f".{whole}")):
            return 0.95
    return 0.9 if whole.rpartition(".")[2] in names else 0.0
