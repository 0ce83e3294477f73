"""Subjects of stated goals: a sentence of a comparison or a quotation may state another project's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory.model import Chunk

_NAMED = re.compile(
    r"(?i:\b(?:goal|aim|objective|purpose|mission|philosophy|idea|intention|vision)s? of )(?P<of>\w[\w.+-]*)"
    r"|\b(?P<subject>[A-Za-z][\w.+-]*) "
    r"(?:(?:aim|strive|intend)s?|(?:is|was) (?:designed|intended|meant|built)) (?:to|for)\b"
)
"""What is named by "the aim of X is", "X aims to" and "X is designed to"."""
_OWN = frozenset({"a", "an", "i", "it", "its", "our", "ours", "that", "the", "these", "this", "those", "we"})
"""Words that name no project."""
_DETERMINER = re.compile(r"(?i)\b(?:a|an|our|that|the|these|this|those)\s$")
_PAGE = re.compile(
    r"(?i)\b(?:why|alternatives?|compar(?:ed|isons?)|versus|vs|"
    r"(?:similar|other|related) (?:projects?|tools?|librar(?:y|ies)))\b"
)
_CONTRAST = re.compile(r"(?i)^\W*(?:whereas|while|unlike|in contrast|by contrast|on the other hand)\b")
_QUOTE = re.compile('["\N{LEFT DOUBLE QUOTATION MARK}\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}]')
_README = re.compile(r"(?i)^readme[^/]*$")
_WORD = re.compile(r"\w+")


def find_names(chunks: Iterable[Chunk], names: Iterable[str] = ()) -> frozenset[str]:
    """Find the words of the project's names, in lower case: the given ones, and its README's title."""
    titles = [chunk.symbol.partition(" > ")[0] for chunk in chunks if _README.match(chunk.path or "")]
    return frozenset(word.strip("_") for text in (*names, *titles) for word in _WORD.findall(text.lower()))


def is_comparison(chunk: Chunk) -> bool:
    """Return True for a page or a section that compares projects, by its file name and its headings."""
    name = re.sub(r"[_-]", " ", (chunk.path or "").rpartition("/")[2].partition(".")[0])
    return bool(_PAGE.search(name) or _PAGE.search(chunk.symbol))


def is_of_another(sentence: str, names: frozenset[str], *, is_doubtful: bool) -> bool:
    """Return whether a sentence states the goal of a named project that is not this one.

    Elsewhere than in a comparison or a quotation, a name counts as the project's own: names are known by the folder and
    the README only, and a project has parts with names. "docopt's aim is" and "it aims to" after a sentence about
    another project are not recognized.

    Args:
        sentence: the sentence.
        names: words of the project's names, in lower case.
        is_doubtful: the sentence is part of a comparison or a block quotation.
    """
    found = _NAMED.search(sentence)
    if not found:
        return False
    name = (found["of"] or found["subject"]).lower()
    is_described = found["subject"] is not None and _DETERMINER.search(sentence[: found.start()])
    if name in _OWN or name in names or is_described:
        return False
    return is_doubtful or bool(_CONTRAST.match(sentence) or _QUOTE.search(sentence[: found.start()]))
