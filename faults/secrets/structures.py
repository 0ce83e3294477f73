"""Secrets recognized by the structure around them: web tokens, headers, addresses."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from .randomness import has_mixed_kinds, is_chosen, is_key, is_password, is_varied
from .secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator

_WEB_TOKEN = re.compile(r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,8000}\.[\w-]{0,2000}={0,2}")
_ENCODED_WEB_TOKEN = re.compile(r"(?<![\w+/-])ZXlK[A-Za-z0-9+/_-]{60,12000}={0,2}")
_DISCORD = re.compile(r"\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])")
_DISCORD_ID = re.compile(r"(?<![\w-])[MNO][A-Za-z0-9_-]{23,27}$")
_TELEGRAM = re.compile(r":[A-Za-z0-9_-]{35}(?![\w-])")
_TELEGRAM_ID = re.compile(r"(?<!\w)[0-9]{8,10}$")
_HEADER = re.compile(r"(?:bearer|basic)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,2000})", re.IGNORECASE)
_KEY_HEADER = re.compile(
    r"""authorization["'\]]{0,2}\s{0,2}[:=,]\s{0,2}["'`]?(?:[A-Za-z]{3,12}[ ]{1,2})?"""
    r"""(?P<value>[A-Za-z0-9._~+/=-]{16,2000})""",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"sig=(?P<value>[A-Za-z0-9%+/=_-]{30,200})")
_ADDRESS_KEY = re.compile(r"://(?P<value>[A-Za-z0-9_-]{20,200})@(?=[\w\[])")
_ADDRESS = re.compile(
    r"""://(?P<user>[^\s:/@"'<>`?\#{}|]{0,80}):(?P<value>(?![0-9]{1,5}/)[^\s"'<>`]{4,200})@(?=[\w\[$%{])"""
)
_NETRC = re.compile(r"""\b(?:login|user)\s{1,4}\S{1,80}\s{1,4}password\s{1,4}(?P<value>[^\s"'\\]{4,200})""")
_CURL_USER = re.compile(
    r"""(?:\s-[uU]|\s--user)(?:=|\s{0,3})["']?(?P<user>[^\s:%"']{1,80})[:%](?P<value>[^\s"']{4,200})"""
)
_IDENTIFIED = re.compile(r"""identified\s{1,4}by\s{1,4}["']?(?P<value>[^"'`<>\s;]{6,128})["';\s]""", re.IGNORECASE)
_NUGET = re.compile(
    r"""key\s{0,2}=\s{0,2}["']\w{0,40}password["']\s{1,4}value\s{0,2}=\s{0,2}["'](?P<value>[^"'\n]{6,200})["']""",
    re.IGNORECASE,
)
_NPM_AUTH = re.compile(r"""_(?:authToken|auth|password)\s{0,2}=\s{0,2}["']?(?P<value>[A-Za-z0-9+/=_.-]{16,400})""")
_MIN_BEARER, _MIN_NUMBER, _MIN_PASSWORD = 16, 8, 6


def find_web_tokens(text: str) -> Iterator[Secret]:
    """Find JSON Web Tokens (RFC 7519), plain or encoded in base64."""
    for match in _iter_at(_WEB_TOKEN, text, "eyJ"):
        yield Secret("a JSON Web Token", *match.span())
    for match in _iter_at(_ENCODED_WEB_TOKEN, text, "ZXlK"):
        if is_varied(match[0]):
            yield Secret("a JSON Web Token", *match.span())


def find_bot_tokens(text: str) -> Iterator[Secret]:
    """Find tokens of bots of Discord and Telegram, which have no literal part."""
    for match in _DISCORD.finditer(text):
        head = _DISCORD_ID.search(text, max(0, match.start() - 28), match.start())
        if head and is_key(head[0] + match[0]):
            yield Secret("a Discord token", head.start(), match.end())
    for match in _TELEGRAM.finditer(text):
        head = _TELEGRAM_ID.search(text, max(0, match.start() - 11), match.start())
        if head and is_key(match[0][1:]):
            yield Secret("a Telegram token", head.start(), match.end())


def find_headers(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find the credentials of HTTP headers (RFC 7617, RFC 6750) and of `.npmrc`."""
    for mark in {"bearer", "basic"} & possible:
        for match in _iter_at(_HEADER, text, mark, lowered):
            value = match["value"]
            if _is_basic(value) if mark == "basic" else len(value) >= _MIN_BEARER and is_key(value):
                yield Secret(f"a {mark.capitalize()} header", *match.span("value"))
    for match in _iter_at(_KEY_HEADER, text, "authorization", lowered) if "authorization" in possible else ():
        if is_key(match["value"]) and not match["value"].isidentifier():
            yield Secret("an authorization header", *match.span("value"))
    for match in _iter_at(_NPM_AUTH, text, "_auth", lowered) if "_auth" in possible else ():
        yield from _check(match, "an npm token")


def _check(match: re.Match[str], kind: str) -> Iterator[Secret]:
    if is_key(match["value"]) or _is_basic(match["value"]):
        yield Secret(kind, *match.span("value"))


def _is_basic(value: str) -> bool:
    """Return True for `user:password` in base64 with a password that is no sample."""
    try:
        decoded = base64.b64decode(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and decoded.isprintable() and user != password and is_password(password)


def find_in_addresses(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find the passwords of addresses, of `.netrc`, and of commands and statements that create users."""
    for match in _iter_at(_ADDRESS, text, "://") if "://" in possible and "@" in text else ():
        if match["user"].lower() != match["value"].lower() and _is_address_password(match["value"]):
            yield Secret("a password in an address", *match.span("value"))
    yield from _find_address_keys(text, lowered, possible)
    for mark, pattern in _PASSWORD_STATEMENTS:
        for match in _iter_at(pattern, text, mark, lowered) if mark in possible else ():
            value = match["value"]
            if is_password(value) or (is_chosen(value) and has_mixed_kinds(value)):
                yield Secret("a password", *match.span("value"))


def _find_address_keys(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    for mark, pattern in (("://", _ADDRESS_KEY), ("sig=", _SIGNATURE)):
        for match in _iter_at(pattern, text, mark, lowered) if mark in possible else ():
            if is_key(unquote(match["value"])):
                yield Secret("a key in an address", *match.span("value"))


def _is_address_password(value: str) -> bool:
    value = unquote(value)
    if not value.isascii() or not value.isprintable():
        return False
    return (len(value) >= _MIN_PASSWORD and (is_password(value) or is_chosen(value))) or (
        len(value) >= _MIN_NUMBER and value.isdigit() and is_varied(value)
    )


_PASSWORD_STATEMENTS = (
    ("login", _NETRC),
    (" -u", _CURL_USER),
    (" --user", _CURL_USER),
    ("identified", _IDENTIFIED),
    ("key=", _NUGET),
)
STRUCTURE_MARKS = ("eyJ", "ZXlK", "PRIVATE KEY", "PuTTY-User-Key-File")
"""Marks, with their case, of which one must occur in such a text."""

STRUCTURE_WORDS = (
    "bearer",
    "basic",
    "authorization",
    "_auth",
    "://",
    "login",
    " -u",
    " --user",
    "identified",
    "key=",
    "sig=",
)
"""Words in lower case of which one must occur."""


def _iter_at(pattern: re.Pattern[str], text: str, mark: str, searched: str | None = None) -> Iterator[re.Match[str]]:
    """Match a pattern at each occurrence of a mark; continue after a match."""
    searched = text if searched is None else searched
    at = searched.find(mark)
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield match
        at = searched.find(mark, match.end() if match else at + len(mark))
