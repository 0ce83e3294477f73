"""Exact symbols: which chunks define a name of the query, whether or not it is the only thing in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.text_index.tokenizer import extract_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.search.query import Query
    from aurora.memory.sqlite.tables import Tables
    from aurora.memory.text_index import PostingList

_MAX_CHUNKS = 400
"""Chunks that may define a name; more define it only where the name says nothing."""
_FEW_DEFINITIONS = 3
"""Definitions of a name that still tell which one is meant."""
_AMBIGUITY_PENALTY = 0.6
_KIND_PENALTIES = {"module": 0.7, "section": 0.7, "text": 0.7}
"""A section called so speaks of the thing, and is not the thing."""
_UNPARSED_SCORE = 0.9
"""Without a grammar a file is cut into windows, which define nothing: what its lines seem to define is in the graph."""


def extract_name_terms(names: Sequence[str]) -> dict[str, str]:
    """The word that each name's last part is indexed by, by name."""
    last = {name: extract_terms(name.rpartition(".")[2]) for name in names}
    return {name: words[0] for name, words in last.items() if words}


def find_definitions(db: Tables, query: Query, found: Mapping[str, PostingList]) -> dict[int, float]:
    """The chunks that define one of these names, or hold one of these places.

    Args:
        db: an open read transaction.
        query: taken apart.
        found: the postings of the words in `asked_words`.

    Returns:
        By chunk number: 1 for a place and for the whole qualified name, 0.95 for its end, 0.9 for its last part; less
        for prose, and, in a question that says more than names, for one of many definitions.
    """
    names = query.names
    if not names and not query.places:
        return {}
    numbers = db.chunks.find_by_name([name.rpartition(".")[2] for name in names], _MAX_CHUNKS)
    for word in dict.fromkeys(extract_name_terms(names).values()):
        if (posting := found.get(word)) is not None:
            numbers += posting.n[posting.name > 0][:_MAX_CHUNKS].tolist()
    looks = [(name.rpartition(".")[2], name) for name in query.spelt]
    out = dict.fromkeys(db.chunks.find_text_definitions(looks, _MAX_CHUNKS), _UNPARSED_SCORE)
    for n, symbol, kind, defines in db.chunks.iter_names(numbers):
        own = _score_symbol(symbol, names) * _KIND_PENALTIES.get(kind, 1.0)
        value = max([own, *(_score_symbol(one, names) for one in defines)])
        if value:
            out[n] = value
    if len(out) > _FEW_DEFINITIONS and not query.only_names:
        out = {n: value * _AMBIGUITY_PENALTY for n, value in out.items()}
    return out | dict.fromkeys(db.chunks.find_at_lines(query.places, _MAX_CHUNKS), 1.0)


def _score_symbol(symbol: str, asked: Sequence[str]) -> float:
    whole = symbol.replace("::", ".").replace("#", ".").casefold()
    if whole in asked:
        return 1.0
    if any("." in one and (whole.endswith(f".{one}") or one.endswith(f".{whole}")) for one in asked):
        return 0.95
    return 0.9 if whole.rpartition(".")[2] in asked else 0.0
