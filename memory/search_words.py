"""The words' opinion: BM25 over the full-text index of one type, at a bounded cost."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .store_rows import ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw

    from .search_filter import Filter
    from .search_query import Query

POOL = 100
"""Candidates that the words may bring forward for each type."""

BUDGET = 4000
"""Postings that may be ranked, about half a microsecond each: the rarest words of the query are taken first, and a
word that half the project contains is asked only for its part in the coverage."""

# symbol, path, text: a word in the name of a thing says more than one in its body
_WEIGHTS = "bm25(8.0, 3.0, 1.0)"
_TABLE = {"code": "code_words", "know": "prose_words", "reas": "prose_words"}


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query: how to ask for it, in how many chunks it is, and how much it tells (idf, nats)."""

    word: str
    match: str
    count: int
    idf: float


def weigh(db: apsw.Connection, type_: str, words: Iterable[str], total: int) -> list[Term]:
    """Each word with its inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)), as BM25 has it.

    Args:
        db: an open read transaction.
        type_: which index to look into.
        words: in lower case.
        total: N, the chunks in that index.
    """
    table = _TABLE[type_]
    out = []
    for word in words:
        match = f'"{word}"'
        count = _count(db, table, match)
        if not count and len(word) > 3:  # noqa: PLR2004 - shorter beginnings fit everything
            # A word that is nowhere may be the beginning of one that is, or its plural.
            match = f'"{word.removesuffix("s")}" *'
            count = _count(db, table, match)
        rest = max(total - count, 0)
        out.append(Term(word, match, count, math.log(1 + (rest + 0.5) / (count + 0.5))))
    return out


def pool(
    db: apsw.Connection, type_: str, terms: Sequence[Term], phrases: Sequence[str], allowed: Filter
) -> dict[int, float]:
    """The best chunks by BM25, best first.

    Returns:
        Chunk numbers, and BM25 scores above 0 (SQLite's are negative; here more is better).
    """
    match = _match(terms)
    if not match:
        return {}
    table = _TABLE[type_]
    required = " AND instr(lower(chunks.symbol || ' ' || chunks.text), ?)" * len(phrases)
    rows = ask(
        db,
        f"SELECT {table}.rowid, {table}.rank FROM {table} CROSS JOIN chunks ON chunks.n = {table}.rowid "  # noqa: S608
        f"WHERE {table} MATCH ? AND {table}.rank MATCH ? AND chunks.type = ?{required}{allowed.sql} "
        f"ORDER BY {table}.rank LIMIT ?",
        (match, _WEIGHTS, type_, *phrases, *allowed.bindings, POOL),
    )
    return {n: -rank for n, rank in rows}


def named(db: apsw.Connection, type_: str, query: Query, allowed: Filter) -> dict[int, float]:
    """The chunks whose symbol is a name in the query: 1 for the whole qualified name, less for its last part."""
    if not query.names:
        return {}
    # The plus keeps SQLite from walking all chunks of the type: the index of names is the one to use.
    last = {name.rpartition(".")[2] for name in query.names}
    rows = ask(
        db,
        "SELECT chunks.n, chunks.symbol, chunks.name FROM chunks WHERE name != '' AND +type = ? "  # noqa: S608
        f"AND name IN (SELECT value FROM json_each(?)){allowed.sql} LIMIT ?",
        (type_, json.dumps(sorted(last)), *allowed.bindings, 4 * POOL),
    )
    return {n: value for n, symbol, name in rows if (value := _likeness(symbol, name, query.names))}


def _likeness(symbol: str, name: str, asked: Sequence[str]) -> float:
    whole = symbol.replace("::", ".").replace("#", ".").casefold()
    if whole in asked:
        return 1.0
    if any("." in one and (whole.endswith(f".{one}") or one.endswith(f".{whole}")) for one in asked):
        return 0.95
    return 0.9 if name in asked else 0.0


def _match(terms: Sequence[Term]) -> str:
    spent = 0
    chosen: list[str] = []
    for term in sorted(terms, key=lambda term: term.count):
        if not term.count:
            continue
        spent += term.count
        if chosen and spent > BUDGET:
            break
        chosen.append(term.match)
    return " OR ".join(chosen)


def _count(db: apsw.Connection, table: str, match: str) -> int:
    ((count,),) = ask(db, f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (match,))  # noqa: S608 - a constant
    return int(count)
