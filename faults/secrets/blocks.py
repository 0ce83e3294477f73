"""Secrets of several lines: private key blocks, and the data of a Kubernetes secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator

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
