"""Exact symbols: which chunks define a name of the query, whether or not it is the only thing in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.text_index.tokenizer.tokens import terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.search.query import Query
    from aurora.memory.sqlite.tables.all import Tables
    from aurora.memory.text_index.read import Posting

_MOST = 400
"""Chunks that may define a name; more define it only where the name says nothing."""
_FEW = 3
"""Definitions of a name that still tell which one is meant."""
_ONE_OF_MANY = 0.6
_PARTIAL = {"module": 0.7, "section": 0.7, "text": 0.7}
"""A section called so speaks of the thing, and is not the thing."""
_SEEMS = 0.9
"""Without a grammar a file is cut into windows, which define nothing: what its lines seem to define is in the graph."""


def asked_words(names: Sequence[str]) -> dict[str, str]:
    """The word that each name's last part is indexed by, by name."""
    last = {name: terms_of(name.rpartition(".")[2]) for name in names}
    return {name: words[0] for name, words in last.items() if words}


def defining(db: Tables, query: Query, found: Mapping[str, Posting]) -> dict[int, float]:
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
    numbers = db.chunks.called([name.rpartition(".")[2] for name in names], _MOST)
    for word in dict.fromkeys(asked_words(names).values()):
        if (posting := found.get(word)) is not None:
            numbers += posting.n[posting.name > 0][:_MOST].tolist()
    looks = [(name.rpartition(".")[2], name) for name in query.spelt]
    out = dict.fromkeys(db.chunks.seeming_to_define(looks, _MOST), _SEEMS)
    for n, symbol, kind, defines in db.chunks.named(numbers):
        own = _likeness(symbol, names) * _PARTIAL.get(kind, 1.0)
        value = max([own, *(_likeness(one, names) for one in defines)])
        if value:
            out[n] = value
    if len(out) > _FEW and not query.only_names:
        out = {n: value * _ONE_OF_MANY for n, value in out.items()}
    return out | dict.fromkeys(db.chunks.standing_at(query.places, _MOST), 1.0)


def _likeness(symbol: str, asked: Sequence[str]) -> float:
    whole = symbol.replace("::", ".").replace("#", ".").casefold()
    if whole in asked:
        return 1.0
    if any("." in one and (whole.endswith(f".{one}") or one.endswith(f".{whole}")) for one in asked):
        return 0.95
    return 0.9 if whole.rpartition(".")[2] in asked else 0.0
