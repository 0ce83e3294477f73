"""Places in a text that match a query, for highlighting."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.text_index.tokenizer.tokens import stem_word

from .query import parse_query

if TYPE_CHECKING:
    from collections.abc import Iterator

_RUN = re.compile(r"[^\W_]+")
"""A word, or what is between the underscores of an identifier."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A part of such a run: `HTTPAdapter` has two."""


class _Sought(NamedTuple):
    words: frozenset[str]
    texts: re.Pattern[str] | None


def find_matches(text: str, query: str) -> tuple[tuple[int, int], ...]:
    """Find the parts of a text that match the words, names and phrases of a query.

    Args:
        text: a line or more.
        query: the query as typed.

    Returns:
        Start and end of each match in characters, in order, without overlap.
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(_iterate_matches(text, _read_query(query)), key=lambda one: (one[0], -one[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return tuple(found)


def _iterate_matches(text: str, sought: _Sought) -> Iterator[tuple[int, int]]:
    if sought.texts is not None:
        yield from (match.span() for match in sought.texts.finditer(text))
    for run in _RUN.finditer(text):
        if stem_word(run[0].lower()) in sought.words:
            yield run.span()
        elif run[0].isascii():
            parts = _PART.finditer(text, *run.span())
            yield from (part.span() for part in parts if stem_word(part[0].lower()) in sought.words)


@lru_cache(maxsize=1)
def _read_query(query: str) -> _Sought:
    read = parse_query(query)
    texts = "|".join(map(re.escape, sorted({*read.phrases, *read.names}, key=len, reverse=True)))
    return _Sought(frozenset(read.words), re.compile(texts, re.IGNORECASE) if texts else None)
