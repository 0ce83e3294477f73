"""Secret scan: finds the places of secrets, and masks them; never reports a value."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from .allow import is_allowed
from .assignments import NAME_WORDS, find_assigned, find_vendor_keys
from .blocks import find_kubernetes_values, find_private_keys
from .contexts import ARGUMENT_WORDS, PREFIXED, find_arguments, find_inserted, find_phrases, find_prefixed
from .prefilter import SecretPrefilter
from .randomness import is_random
from .rules import TOKEN_RULES, VENDORS
from .secret import Secret
from .structures import (
    STRUCTURE_MARKS,
    STRUCTURE_WORDS,
    find_bot_tokens,
    find_headers,
    find_in_addresses,
    find_web_tokens,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .rules import TokenRule

RULES_VERSION = "4"
"""Version of the rules; a memory that was made with others is indexed again."""

_TAIL = re.compile(r"[A-Za-z0-9_+/=-]{1,20000}")


@cache
def _build_prefilter() -> SecretPrefilter:
    exact = {mark for rule in TOKEN_RULES for mark in rule.marks} | set(STRUCTURE_MARKS)
    return SecretPrefilter(exact, _list_words())


@cache
def _list_words() -> frozenset[str]:
    return frozenset({*NAME_WORDS, *STRUCTURE_WORDS, *ARGUMENT_WORDS, *(vendor.name for vendor in VENDORS)})


@cache
def _map_marks() -> dict[str, list[TokenRule]]:
    rules: dict[str, list[TokenRule]] = {}
    for rule in TOKEN_RULES:
        for mark in rule.marks:
            rules.setdefault(mark, []).append(rule)
    return rules


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
        by_mark = _map_marks()
        for mark in possible & by_mark.keys():
            for rule in by_mark[mark]:
                yield from _match_tokens(text, rule, mark)
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
    yield from find_vendor_keys(text, lowered, [vendor for vendor in VENDORS if vendor.name in possible])
    yield from find_headers(text, lowered, possible)
    yield from find_in_addresses(text, lowered, possible)


def _match_tokens(text: str, rule: TokenRule, mark: str) -> Iterator[Secret]:
    """Match a rule at each occurrence of one of its marks."""
    at = text.find(mark)
    while at >= 0:
        match = _match_around(text, rule, at)
        end = match.end() if match else at + len(mark)
        if match and _is_token(text, rule, match):
            end = _extend(text, end)
            yield Secret(rule.kind, match.start(), end)
        at = text.find(mark, max(end, at + 1))


def _is_token(text: str, rule: TokenRule, match: re.Match[str]) -> bool:
    """Return True for a token that is no placeholder, nor a word in a longer name: `x_sk-…`, `MY_ASIA…`."""
    is_inside = text.startswith("_", match.start() - 1) if match.start() else False
    return rule.check(match[0]) and (not is_inside or is_random(match[0]))


def _match_around(text: str, rule: TokenRule, at: int) -> re.Match[str] | None:
    """Match a rule that begins at `at` or, with a lookback, up to so many characters before."""
    for start in range(max(0, at - rule.lookback), max(at, at - rule.lookback) + 1):
        if match := rule.pattern.match(text, start):
            return match
    return None


def _extend(text: str, end: int) -> int:
    """Extend a token to the end of its run of characters, when it is longer than usual."""
    tail = _TAIL.match(text, end)
    return tail.end() if tail else end


def _merge(found: Iterable[Secret]) -> list[Secret]:
    """Sort secrets by place, and merge those that overlap; the first rule names the kind."""
    merged: list[Secret] = []
    for one in sorted(found, key=lambda secret: (secret.start, -secret.end, secret.kind == PREFIXED, secret.kind)):
        if merged and one.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, one.end))
        else:
            merged.append(one)
    return merged


def mask_secrets(text: str) -> str:
    """Replace each secret by `[secret: KIND]`; the number of lines stays."""
    return mask_found(text, find_secrets(text))


def mask_found(text: str, found: Iterable[Secret]) -> str:
    """Replace these secrets by masks, with as many lines as before."""
    parts: list[str] = []
    at = 0
    for one in found:
        parts += [text[at : one.start], f"[secret: {one.kind}]", "\n" * text.count("\n", one.start, one.end)]
        at = one.end
    return "".join([*parts, text[at:]]) if parts else text
