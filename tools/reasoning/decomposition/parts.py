"""A query in its parts: what commas, full stops and joining words string together."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.tools.text.stems import QUOTED, Terms, terms

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAUSE = r"[.,;:?!]+(?=\s|$)|[\u3001\u3002\uff01\uff0c\uff1b\uff1f\n]+"
"""Western marks before a space, Chinese and Japanese ones anywhere."""


def parts(query: str, joiners: tuple[str, ...], ignore: frozenset[str], least: int) -> list[Terms]:
    """What each part of a query names.

    Args:
        query: the person's words; a quotation in them is never parted.
        joiners: words that join, in lower case.
        ignore: words that name nothing.
        least: a part that names fewer things belongs to the part before it.
    """
    quotes: list[str] = []

    def keep(quote: re.Match[str]) -> str:
        quotes.append(quote[0])
        return f"\0{len(quotes) - 1}\0"

    pieces = _splitter(joiners).split(QUOTED.sub(keep, query.replace("\0", " ")))
    whole = (re.sub("\0(\\d+)\0", lambda mark: quotes[int(mark[1])], piece) for piece in pieces)
    return _joined((terms(piece, ignore) for piece in whole), least)


def _joined(pieces: Iterable[Terms], least: int) -> list[Terms]:
    made: list[Terms] = []
    for piece in pieces:
        if made and (_size(piece) < least or _size(made[-1]) < least):
            before = made.pop()
            made.append(Terms({**before.words, **piece.words}, (*before.names, *piece.names)))
        else:
            made.append(piece)
    return [piece for piece in made if _size(piece)]


def _size(piece: Terms) -> int:
    return len(piece.words) + len(piece.names)


@lru_cache(maxsize=8)
def _splitter(joiners: tuple[str, ...]) -> re.Pattern[str]:
    words = "".join(rf"|\b{re.escape(joiner)}\b" for joiner in joiners)
    return re.compile(_PAUSE + words, re.IGNORECASE)
