"""Finds secrets, so that a file with one never enters the memory; it names the rule and the line, never the value."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET_NAMES = (
    "access-key",
    "access_key",
    "accesskey",
    "api-key",
    "api_key",
    "apikey",
    "auth_key",
    "credential",
    "encryption_key",
    "passwd",
    "password",
    "private_key",
    "privatekey",
    "pwd",
    "secret",
    "signing_key",
    "token",
)
_ASSIGNED = re.compile(
    r"""(?:password|passwd|pwd|secret(?:[_-]?key)?|token|credentials?|(?:api|access|private|auth|encryption|signing)[_-]?key)["']?\]?\s*
        (?::\s*[A-Za-z_.]+\s*=|:=|=>|[:=])\s*
        (?:[rbu]?(?P<quote>["'])(?P<quoted>[^"'\s]{12,200})(?P=quote)|(?P<bare>[A-Za-z0-9+/=_-]{20,200})[ \t]*$)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_PLACEHOLDER = re.compile(
    r"example|sample|dummy|fake|test|placeholder|change.?me|your|redacted|secret|password|token|abcdef|xxxx|1234|0000|\.\.\.|"
    r"[<>{}$%()\[\]\\]",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"(.)\1{4}")
_WORDS = re.compile(r"[A-Za-z]+(?:[_./:-][A-Za-z]+)*[0-9]{0,3}")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://|^[./~]")
_BITS = 3.5
"""Shannon entropy per character; random base64 of 20 characters has about 4, English words about 3."""

_HEX_BITS = 3.0


def secret_by_name(path: str) -> str | None:
    """Why a file is taken to hold secrets before anybody opens it; None when its name is harmless."""
    name = path.rsplit("/", 1)[-1].lower()
    if any(fnmatchcase(name, pattern) for pattern in HARMLESS_NAMES):
        return None
    pattern = next((pattern for pattern in SECRET_NAMES if fnmatchcase(name, pattern)), None)
    return f'its name fits "{pattern}"' if pattern else None


def secret_in(text: str) -> Found | None:
    """The first secret of a text, by the order of the rules."""
    for token in TOKENS:
        if any(mark in text for mark in token.marks):
            for match in token.pattern.finditer(text):
                if (not token.random or _is_random(match[0])) and not _is_allowed(text, match.start()):
                    return Found(_line(text, match.start()), token.rule)
    for match in _assignments(text):
        if _is_random(match["quoted"] or match["bare"]) and not _is_allowed(text, match.start()):
            return Found(_line(text, match.start()), "a password, key or token written out")
    return None


def _assignments(text: str) -> Iterator[re.Match[str]]:
    """The places where something called a secret is given a value; lines without such a name are never matched."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text  # a letter that grows in lower case would shift every place; such a text is read as it is
    for name in _NAMES:
        at = lowered.find(name)
        while at >= 0:
            if not lowered.endswith("publickey", 0, at) and (match := _ASSIGNED.match(text, at)):
                yield match  # .NET's PublicKeyToken is the one word of this shape that is public
            at = lowered.find(name, at + len(name))


def _is_random(value: str) -> bool:
    """Whether a value looks drawn by a machine: no placeholder, words or address; letters and digits in disorder."""
    if _PLACEHOLDER.search(value) or _REPEATED.search(value) or _WORDS.fullmatch(value) or _URL.search(value):
        return False
    if not (any(char.isdigit() for char in value) and any(char.isalpha() for char in value)):
        return value.startswith("hf_") and _bits(value) > _BITS
    is_hex = re.fullmatch(r"[0-9a-f-]+|[0-9A-F-]+", value) is not None
    return _bits(value) > (_HEX_BITS if is_hex else _BITS)


def _bits(value: str) -> float:
    """Shannon entropy in bits per character: H = -Σ p·log2 p over the characters' shares."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())


def _is_allowed(text: str, at: int) -> bool:
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return ALLOWED.search(text, start, end if end >= 0 else len(text)) is not None


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
