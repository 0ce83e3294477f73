"""Tokenizer: terms of code and prose, for indexing and queries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

IDENTIFIER = re.compile(r"\w+")


# parseHTTPRequest2 -> parse HTTP Request 2
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


# Compiled at the first non-ASCII word; the second takes a millisecond, and few searches need it.
_FOREIGN_PART = r"[^\W\d_]+|\d+"


# Chinese, Japanese and Korean are written without spaces: there bigrams of characters are the terms.
_UNSPACED = r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+"


MAX_LENGTH = 64
"""Maximum length of a word; longer runs of letters are data (base64, hashes)."""


def find_identifiers(text: str) -> list[str]:
    """Find the runs of letters, digits and underscores up to `MAX_LENGTH`."""
    return [found for found in IDENTIFIER.findall(text) if len(found) <= MAX_LENGTH]


def split_identifier(identifier: str) -> list[str]:
    """Split an identifier in lower case: `readHTTP_v2` -> `read`, `http`, `v`, `2`."""
    if identifier.isascii():
        found: list[str] = _PART.findall(identifier)
        return found if identifier.islower() else [part.lower() for part in found]
    out: list[str] = []
    for part in re.findall(_FOREIGN_PART, identifier.lower()):
        runs = re.findall(_UNSPACED, part)
        out += [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))] if runs else [part]
    return out


def expand_identifier(identifier: str) -> list[str]:
    """Expand an identifier to itself in lower case, and its parts if it has several."""
    whole = identifier.lower().strip("_")
    if not whole or len(whole) > MAX_LENGTH:
        return []
    if whole == identifier and whole.isascii() and whole.isalpha():  # it has no parts
        return [whole]
    # A single letter is in too many identifiers to tell them apart.
    parts = [part for part in split_identifier(identifier) if len(part) > 1]
    return [whole] if not parts or parts == [whole] else [whole, *parts]


def extract_terms(text: str) -> list[str]:
    """Extract the index terms of code, prose or a path, in order, with repetitions."""
    out: list[str] = []
    for identifier in IDENTIFIER.findall(text):
        out += extract_identifier_terms(identifier)
    return out


def extract_identifier_terms(identifier: str) -> tuple[str, ...]:
    """Extract the terms of one identifier; none when it is too long."""
    return tuple(map(stem_word, expand_identifier(identifier)))


_ENDINGS = (
    *("ations", "ation", "ating", "ators", "ator", "ates", "ated", "ate"),
    *("ings", "ions", "ing", "ion", "ers", "ed", "er", "or", "es", "s", "e"),
)


def _group_by_last_character(endings: Iterable[str]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for ending in endings:
        groups[ending[-1]] = (*groups.get(ending[-1], ()), ending)
    return groups


_ENDINGS_BY_SIGN = _group_by_last_character(_ENDINGS)
"""Endings by last character, for speed: most words have none of these."""

_PROTECTED_PAIRS = frozenset({"ea", "ss"})
"""No ending begins between these two letters: `repeated` ends in "ed", and `class` has no ending."""

_MIN_STEM = 4


def stem_word(word: str) -> str:
    """Stem a word by removing its ending, as far as four letters remain.

    `serialize`, `serializer` and `serialization` share a stem. Lighter than Porter's, which conflates `generic`,
    `general` and `generate`: in code those differ. A word of four letters loses a plural only. The stem is respelled as
    without an ending: `copied`, `cookies`, `stopped` and `aliases` are `copy`, `cookie`, `stop` and `alias`.
    """
    # The endings are English.
    if not word.isascii():
        return word
    if len(word) <= _MIN_STEM:
        return word[:-1] if len(word) == _MIN_STEM and word[-1] == "s" and word[-2] != "s" else word
    return _respell_stem(_remove_ending(word))


def _remove_ending(word: str) -> str:
    for end in _ENDINGS_BY_SIGN.get(word[-1], ()):
        if (
            word.endswith(end)
            and len(word) >= _MIN_STEM + len(end)
            and word[-len(end) - 1 :][:2] not in _PROTECTED_PAIRS
        ):
            return word[: -len(end)]
    return word


def _respell_stem(stem: str) -> str:
    """Respell a stem as without an ending: `copi` is `copy` and `stopp` is `stop`."""
    last, before, is_long = stem[-1], stem[-2], len(stem) > _MIN_STEM
    if last in "iy" and before not in "aeou":
        return stem[:-1] if is_long else f"{stem[:-1]}y"
    if last == before:
        return stem[:-1] if is_long and last not in "aeiouls" else stem
    return stem[:-1] if last == "s" and is_long else stem
