"""Secret scan: finds the places of secrets, and masks them; never reports a value."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ahocorasick_rs import AhoCorasick, Implementation

from .assignments import NAME_WORDS, find_assigned, find_vendor_keys
from .contexts import ARGUMENT_WORDS, PREFIXED, find_arguments, find_inserted, find_phrases, find_prefixed
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
        return automaton.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:  # half of a character, which no mark contains
        return automaton.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)


_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")

_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")

_BODY_LINE = re.compile(
    r"""[ \t]{0,40}(?:[#*;"'`+>|-]|//){0,3}[ \t]{0,4}["'`]?
        (?:[A-Za-z0-9+/=]{8,200}|[A-Za-z-]{3,20}:[ \t][^\n]{0,200}|)
        (?:\\n|\\r|["'`+,\\; \t]|\r){0,8}$""",
    re.VERBOSE,
)

_BODY = re.compile(r"[A-Za-z0-9+/=]{40}")

_SHORT_BODY = re.compile(r"(?:\r?\n[ \t]{0,40}[A-Za-z0-9+/=]{8,200}){1,1000}\s{0,80}")

_MAX_BLOCK = 32_768
"""Characters of a block; the largest key in use, RSA with 16,384 bits, has 13,000."""

_PUTTY = "PuTTY-User-Key-File"

_PUTTY_END = re.compile(r"Private-MAC:[^\n]{0,200}")

_SECRET_KIND = re.compile(r"^kind:[ \t]{0,4}[\"']?Secret\b", re.MULTILINE)

_DATA = re.compile(r"^(?:data|stringData):[ \t]*\r?$", re.MULTILINE)

_DATA_LINE = re.compile(r"[ \t]{1,20}[\w.\-\"']{1,120}:[ \t]{1,4}[\"']?(?P<value>[^\s\"'{}<>$|]{6,20000})")

_KUBERNETES = "a value of a Kubernetes secret"

_SAMPLE_DATA = re.compile(r"\.\.\.|^<|\$\{|\{\{|xxxx", re.IGNORECASE)


def find_private_keys(text: str) -> Iterator[Secret]:
    """Find private keys in PEM, OpenPGP and PuTTY format, whole or without their end."""
    at = text.find("-----BEGIN ")
    while at >= 0:
        found = _match_block(text, at)
        if found:
            yield found
        at = text.find("-----BEGIN ", found.end if found else at + 11)
    at = text.find(_PUTTY)
    while at >= 0:
        end = _PUTTY_END.search(text, at, at + _MAX_BLOCK)
        if _BODY.search(text, at, end.end() if end else at + _MAX_BLOCK):
            yield Secret("a private key", at, end.end() if end else min(len(text), at + _MAX_BLOCK))
        at = text.find(_PUTTY, end.end() if end else at + _MAX_BLOCK)


def _match_block(text: str, at: int) -> Secret | None:
    """Match a block that begins at `at`: code that reads or writes keys contains only the first line."""
    begin = _BEGIN.match(text, at)
    if begin is None:
        return None
    following = text.find("-----BEGIN ", begin.end(), at + _MAX_BLOCK)
    limit = following if following >= 0 else min(len(text), at + _MAX_BLOCK)
    end = _END.search(text, begin.end(), limit)
    if end:
        inside = text[begin.end() : end.start()]
        if _BODY.search(inside) or _SHORT_BODY.fullmatch(inside):
            return Secret("a private key", at, end.end())
        return None
    last = _find_last_body_line(text, begin.end(), limit)
    return Secret("a private key", at, last) if _BODY.search(text, begin.end(), last) else None


def _find_last_body_line(text: str, start: int, limit: int) -> int:
    """Return the offset, at most the limit, where the lines of a key without an end line stop."""
    stop = text.find("\n", start, limit)
    stop = limit if stop < 0 else stop
    while stop < limit:
        following = text.find("\n", stop + 1, limit)
        following = limit if following < 0 else following
        if not _BODY_LINE.fullmatch(text, stop + 1, following):
            break
        stop = following
    return stop


def find_kubernetes_values(text: str) -> Iterator[Secret]:
    """Find the values below `data` and `stringData` of a manifest with `kind: Secret`."""
    for part in (
        re.finditer(r"(?:^|\n---)(?:(?!\n---)[\s\S]){1,200000}", text)
        if "\n---" in text
        else [re.match(r"[\s\S]*", text)]
    ):
        if part and _SECRET_KIND.search(part[0]):
            yield from _find_values(text, part.start(), part.end())


def _find_values(text: str, start: int, end: int) -> Iterator[Secret]:
    for data in _DATA.finditer(text, start, end):
        at = data.end() + 1
        while at < end and (line := _DATA_LINE.match(text, at, end)):
            if not _SAMPLE_DATA.search(line["value"]):
                yield Secret(_KUBERNETES, *line.span("value"))
            at = text.find("\n", line.end()) + 1 or end
