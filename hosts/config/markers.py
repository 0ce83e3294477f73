"""How a text of ours is known again: a block between markers in a shared file, a stamp at the end of one of our own."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from aurora.hosts.formats.errors import Broken

BEGIN = "<!-- aurora:begin (written by `aur init`; edit outside of this block) -->"
END = "<!-- aurora:end -->"
_BEGINS = re.compile(r"^<!-- aurora:begin\b[^\n]*-->[ \t]*\r?$", re.MULTILINE)
_ENDS = re.compile(r"^<!-- aurora:end -->[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_STAMP = re.compile(r"\r?\n?(?:<!-- |# )aur init (?P<digest>[0-9a-f]{8})(?: -->)?(?P<behind>.*)\Z", re.DOTALL)

Own = Literal["same", "older", "edited", "foreign"]
"""A file at our place: just what we would write, what an earlier edition wrote, ours but edited, not ours."""


def with_block(text: str, body: str) -> str:
    """The text with our block: in its place when it has one, else at the end.

    Raises:
        Broken: the markers do not belong together.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n\n{body.strip()}\n\n{END}\n".replace("\n", newline)
    span = _span(text)
    if span:
        return text[: span[0]] + block + text[span[1] :]
    if not text.strip():
        return text + block
    gap = newline if text.endswith("\n") else newline * 2
    return text + gap + block


def without_block(text: str) -> str | None:
    """The text without our block and the blank line before it; None when nothing is left.

    Raises:
        Broken: the markers do not belong together.
    """
    span = _span(text)
    if span is None:
        return text
    before = re.sub(r"(?<=\n)\r?\n\Z", "", text[: span[0]])
    left = before + text[span[1] :]
    return left if left.strip() else None


def stamped(text: str, path: str) -> str:
    """A file of our own, with the stamp by which it is known again."""
    stamp = f"aur init {_digest(text)}"
    return f"{text}# {stamp}\n" if path.endswith(".toml") else f"{text}\n<!-- {stamp} -->\n"


def whose(text: str, made: str) -> Own:
    """Whose the text is that stands where `made` would go; line endings do not count."""
    if _plain(text) == _plain(made):
        return "same"
    found = _STAMP.search(text)
    if found is None:
        return "foreign"
    pristine = found["digest"] == _digest(text[: found.start()]) and not found["behind"].strip()
    return "older" if pristine else "edited"


def _span(text: str) -> tuple[int, int] | None:
    begins, ends = list(_BEGINS.finditer(text)), list(_ENDS.finditer(text))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        odd = (begins or ends)[-1]
        raise Broken.at('"aurora:begin" and "aurora:end" do not stand there once each', text, odd.start())
    return begins[0].start(), ends[0].end()


def _digest(text: str) -> str:
    return hashlib.sha256(_plain(text).strip().encode("utf-8")).hexdigest()[:8]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
