"""Sentences of a query, cut at full stops and list items, and the clauses of a sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_ABBREVIATED = "".join(rf"(?<!\b{short})" for short in (r"e\.g", r"i\.e", "etc", "vs", "cf", "incl", "resp", "approx"))
_END = rf"(?:{_ABBREVIATED}[.;]|\?|!(?!\s+[a-z]))+(?=\s|$)"
"""A western mark before a space; not that of an abbreviation, nor that of a name such as "reset!"."""
_WIDE_END = r"[\u3002\uff01\uff1b\uff1f\n]+"
_STOP = rf"{_END}|{_WIDE_END}"
_PAUSE = rf"{_END}|[,:]+(?=\s|$)|[\u3001\uff0c]+|{_WIDE_END}"
_SENTENCE = re.compile(rf"(?:(?!{_STOP}).)*(?:{_STOP}|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?:^|\n)[ \t]*\n((?:(?: {2}|\t)(?![ \t]*(?:[-*\u2022]|\(?\w{1,2}[.)])[ \t])[^\n]*(?:\n|$))+)")
_MARKER = re.compile(r"(?:(?<=\s)|^)\(?(?P<label>[a-z]|\d{1,2})[.)]\s+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*\u2022][ \t]+", re.MULTILINE)
_WISHES = re.compile(
    r"\b(?:wish ?list|to-?dos?|expect(?:ed|ations?)|requirements?|what (?:i|we) need|needed|wanted|tasks?)[ \t]*:\s+"
    r"(?P<items>[^.\n]*(?:\.(?!\s)[^.\n]*)*)",
    re.IGNORECASE,
)
_ITEM = "\x01"
_MIN_ITEMS = 2


class Sentence(NamedTuple):
    """Sentence of a query.

    Attributes:
        is_item: whether it begins an item of a list.
        is_lead: whether it leads to a list.
    """

    text: str
    is_item: bool
    is_lead: bool


def drop_code_blocks(query: str) -> str:
    """Drop fenced and indented blocks of code: they request nothing."""
    return _INDENTED.sub("\n", _FENCE.sub("\n", query))


def mark_lists(query: str) -> str:
    """Mark the items of lists, each of which begins a sentence: "1.", "a)", "(b)" in turn, or bullets."""
    found = list(_MARKER.finditer(query))
    labels = [one["label"] for one in found]
    for first in ("1", "a"):
        in_turn = _select_in_turn(found, labels, first)
        if len(in_turn) >= _MIN_ITEMS:
            for one in reversed(in_turn):
                query = f"{query[: one.start()]}\n{_ITEM}{query[one.end() :]}"
            return query
    if len(_BULLET.findall(query)) >= _MIN_ITEMS:
        return _BULLET.sub(_ITEM, query)
    return _WISHES.sub(lambda wishes: f"\n{_ITEM}" + wishes["items"].replace(";", f"\n{_ITEM}"), query)


def split_sentences(text: str) -> list[Sentence]:
    """Split a text, of which the items are marked, into sentences."""
    found = [one[0] for one in _SENTENCE.finditer(text) if one[0].strip().strip(_ITEM)]
    items = [one.lstrip().startswith(_ITEM) for one in found]
    return [
        Sentence(one.replace(_ITEM, ""), item, not item and items[at + 1 : at + 2] == [True])
        for at, (one, item) in enumerate(zip(found, items, strict=True))
    ]


def split_clauses(
    text: str, joiners: tuple[str, ...], reasons: tuple[str, ...], verbs: frozenset[str]
) -> Iterator[str]:
    """Split a sentence at marks, joining words, words that give a reason, and "so" before a verb."""
    return (piece for piece in _compile_splitter(joiners, reasons, verbs).split(text) if piece)


@lru_cache(maxsize=8)
def _compile_splitter(joiners: tuple[str, ...], reasons: tuple[str, ...], verbs: frozenset[str]) -> re.Pattern[str]:
    words = "".join(rf"|(?<![\w/])\b{re.escape(joiner)}\b(?![\w/])" for joiner in joiners)
    before = "".join(rf"|(?<=\s)(?={re.escape(reason)}\b)" for reason in reasons)
    requests = "|".join(map(re.escape, sorted(verbs)))
    so = rf"|\bso\b(?=\s+(?:please\s+)?(?:{requests})\b)" if verbs else ""
    return re.compile(_PAUSE + words + before + so, re.IGNORECASE)


def _select_in_turn(found: list[re.Match[str]], labels: list[str], first: str) -> list[re.Match[str]]:
    """Select the markers whose labels follow each other: 1, 2, 3 or a, b, c."""
    selected: list[re.Match[str]] = []
    due = first
    for one, label in zip(found, labels, strict=True):
        if label == due:
            selected.append(one)
            due = str(int(due) + 1) if due.isdecimal() else chr(ord(due) + 1)
    return selected
