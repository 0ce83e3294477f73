"""Splitter of a query at commas, full stops and joining words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.tools.text import QUOTED_NAME, Terms, extract_terms

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAUSE = r"[.,;:?!]+(?=\s|$)|[\u3001\u3002\uff01\uff0c\uff1b\uff1f\n]+"
"""Pause: western marks before a space, Chinese and Japanese ones anywhere."""


def split_query(query: str, joiners: tuple[str, ...], ignore: frozenset[str], least: int) -> list[Terms]:
    """Split a query into parts, and extract the terms of each.

    Args:
        query: the person's words; a quotation is never split.
        joiners: joining words in lower case.
        ignore: words that are no terms.
        least: a part with fewer terms is merged into the part before it.
    """
    quotes: list[str] = []

    def store_quote(quote: re.Match[str]) -> str:
        quotes.append(quote[0])
        return f"\0{len(quotes) - 1}\0"

    pieces = _compile_splitter(joiners).split(QUOTED_NAME.sub(store_quote, query.replace("\0", " ")))
    whole = (re.sub("\0(\\d+)\0", lambda mark: quotes[int(mark[1])], piece) for piece in pieces)
    return _merge_small((extract_terms(piece, ignore) for piece in whole), least)


def _merge_small(pieces: Iterable[Terms], least: int) -> list[Terms]:
    made: list[Terms] = []
    for piece in pieces:
        if made and (_count_terms(piece) < least or _count_terms(made[-1]) < least):
            before = made.pop()
            made.append(Terms({**before.words, **piece.words}, (*before.names, *piece.names)))
        else:
            made.append(piece)
    return [piece for piece in made if _count_terms(piece)]


def _count_terms(piece: Terms) -> int:
    return len(piece.words) + len(piece.names)


@lru_cache(maxsize=8)
def _compile_splitter(joiners: tuple[str, ...]) -> re.Pattern[str]:
    words = "".join(rf"|\b{re.escape(joiner)}\b" for joiner in joiners)
    return re.compile(_PAUSE + words, re.IGNORECASE)
