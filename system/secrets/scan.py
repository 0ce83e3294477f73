"""Secret scan: finds the places of secrets, and masks them; never reports a value."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ahocorasick_rs import AhoCorasick, Implementation

from .assignments import NAME_WORDS, find_assigned
from .rules import find_tokens, find_vendor_keys, map_marks
from .structures import (
    ARGUMENT_WORDS,
    PREFIXED,
    STRUCTURE_MARKS,
    STRUCTURE_WORDS,
    find_arguments,
    find_bot_tokens,
    find_headers,
    find_in_addresses,
    find_kubernetes_values,
    find_phrases,
    find_prefixed,
    find_private_keys,
    find_web_tokens,
)
from .tables import find_inserted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .values import Secret

# Own rules and no library: of 1,619 generated secrets these find 99 to 100 %, betterleaks 71 to 97 %, kingfisher 6 to
# 87 %, with 12 alarms against 9 and none in 1,500 files of libraries. Each is a native program of 23 or 36 MB.
RULES_VERSION = "4"
"""Version of the rules; a memory that was made with others is indexed again."""


@cache
def _build_prefilter() -> SecretPrefilter:
    return SecretPrefilter({*map_marks("token"), *STRUCTURE_MARKS}, _list_words())


@cache
def _list_words() -> frozenset[str]:
    return frozenset({*NAME_WORDS, *STRUCTURE_WORDS, *ARGUMENT_WORDS, *map_marks("vendor")})


def find_marks(text: str) -> frozenset[str]:
    """Find the marks of secrets that may occur in a text; a secret without any is a bot's token."""
    return _build_prefilter().find_possible(text)


def find_secrets(text: str, marks: frozenset[str] | None = None) -> list[Secret]:
    """Find the secrets of a text, in their order and without overlaps.

    Args:
        text: the text.
        marks: those of `find_marks` for a larger text that contains it, which saves looking for them again.
    """
    found = [one for one in _iter_candidates(text, marks) if not is_allowed(text, one.start, one.end)]
    return _merge(found)


def may_have_secret(text: str, marks: frozenset[str]) -> bool:
    """Return False when no part of a text that ends at a line's end has a secret, whatever comments allow.

    Args:
        text: the text.
        marks: those that `find_marks` found in it.
    """
    # Where lower case changes the length of the whole text, it may not do so in a part, which is then searched better.
    return len(text.lower()) != len(text) or next(_iter_candidates(text, marks), None) is not None


def has_secret(text: str) -> bool:
    """Return True when a text contains a secret."""
    return any(not is_allowed(text, one.start, one.end) for one in _iter_candidates(text))


def _iter_candidates(text: str, marks: frozenset[str] | None = None) -> Iterator[Secret]:
    possible = find_marks(text) if marks is None else marks
    if possible:
        yield from find_tokens(text, possible)
        if "PRIVATE KEY" in possible or "PuTTY-User-Key-File" in possible:
            yield from find_private_keys(text)
        if "eyJ" in possible or "ZXlK" in possible:
            yield from find_web_tokens(text)
        yield from _find_by_words(text, possible)
    yield from find_bot_tokens(text)
    yield from find_prefixed(text)
    yield from find_phrases(text)


def _find_by_words(text: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find the secrets that words without case announce."""
    if possible.isdisjoint(_list_words()):
        return
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text  # a letter that grows in lower case would shift every offset; keep the original text
    words = [word for word in NAME_WORDS if word in possible]
    if words:
        yield from find_assigned(text, lowered, words)
        yield from find_inserted(text, lowered)
        if "kind: secret" in lowered:
            yield from find_kubernetes_values(text)
    yield from find_arguments(text, lowered, possible)
    yield from find_vendor_keys(text, lowered, possible)
    yield from find_headers(text, lowered, possible)
    yield from find_in_addresses(text, lowered, possible)


def _merge(found: Iterable[Secret]) -> list[Secret]:
    """Sort secrets by place, and merge those that overlap; the first rule names the kind."""
    merged: list[Secret] = []
    # The longest first, and a kind of unknown make last: the first one names the kind.
    for one in sorted(found, key=lambda secret: (secret.start, -secret.end, secret.kind == PREFIXED, secret.kind)):
        if merged and one.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, one.end))
        else:
            merged.append(one)
    return merged


ALLOW_COMMENT = re.compile(
    r"pragma:\s{0,4}allowlist secret|gitleaks:\s{0,4}allow|aurora:\s{0,4}allow[ -]secret|noqa:?\s{0,4}secret",
    re.IGNORECASE,
)
"""Comment on the line of a secret, or where it begins."""


_ALLOW_WORDS = ("allowlist secret", "gitleaks:", "aurora:", "noqa")

MAX_COMMENT_DISTANCE = 4_000
"""Characters on each side of a secret in which the comment must be."""


def is_allowed(text: str, start: int, end: int) -> bool:
    """Return True when the line of a secret has such a comment."""
    first = text.rfind("\n", max(0, start - MAX_COMMENT_DISTANCE), start) + 1 or max(0, start - MAX_COMMENT_DISTANCE)
    last = text.find("\n", start, end + MAX_COMMENT_DISTANCE)
    line = text[first : last if last >= 0 else end + MAX_COMMENT_DISTANCE]
    lowered = line.lower()
    return any(word in lowered for word in _ALLOW_WORDS) and ALLOW_COMMENT.search(line) is not None


_PART_CHARS = 1 << 16
"""Characters searched at once: the matches of a part are a list, at worst of some 10 MB."""


class SecretPrefilter:
    """Prefilter for a set of marks: an Aho-Corasick automaton for those with case, and one for the others.

    Args:
        exact: case-sensitive marks.
        folded: case-insensitive marks in lower case; one that is in both is case-insensitive.
    """

    def __init__(self, exact: Iterable[str], folded: Iterable[str]) -> None:
        folded = tuple(folded)
        exact = tuple(mark for mark in exact if mark not in folded)
        self._exact = _MarkFinder(exact)
        self._folded = _MarkFinder(folded)

    def find_possible(self, text: str) -> frozenset[str]:
        """Find the marks that the text contains."""
        return frozenset({*self._exact.iter_marks(text), *self._folded.iter_marks(text.lower())})


class _MarkFinder:
    """Automaton of some marks."""

    def __init__(self, marks: tuple[str, ...]) -> None:
        self._marks = marks
        self._overlap = max(map(len, marks), default=1) - 1
        self._automaton = AhoCorasick(marks, implementation=Implementation.DFA, store_patterns=False)

    def iter_marks(self, text: str) -> Iterator[str]:
        """Yield the marks that occur in the text, some of them more than once."""
        for start in range(0, len(text), _PART_CHARS):
            part = text[start : start + _PART_CHARS + self._overlap]
            for number in {found[0] for found in _find_matches(self._automaton, part)}:
                yield self._marks[number]


def _find_matches(automaton: AhoCorasick, text: str) -> list[tuple[int, int, int]]:
    try:
        # Overlapping, since marks contain each other: `pw` would hide `pwd`.
        return automaton.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:  # half of a character, which no mark contains
        return automaton.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)
