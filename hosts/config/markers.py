"""Markers of Aurora's text: a block in a shared file, a stamp in its own."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from aurora.hosts.formats import ConfigFileError

BEGIN_MARKER = "<!-- aurora:begin (written by `aur init`; edit outside of this block) -->"
END_MARKER = "<!-- aurora:end -->"
_BEGIN_LINE = re.compile(r"^<!-- aurora:begin\b[^\n]*-->[ \t]*\r?$", re.MULTILINE)
_END_LINE = re.compile(r"^<!-- aurora:end -->[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_STAMP = re.compile(r"\r?\n?(?:<!-- |# )aur init (?P<digest>[0-9a-f]{8})(?: -->)?(?P<behind>.*)\Z", re.DOTALL)

Ownership = Literal["same", "older", "edited", "foreign"]
"""Owner of a file: the current text, the text of an earlier version, an edited text of Aurora's, another text."""


def insert_block(text: str, body: str) -> str:
    """Replace Aurora's block, or append it to the text.

    Raises:
        ConfigFileError: the markers are not one pair.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN_MARKER}\n\n{body.strip()}\n\n{END_MARKER}\n".replace("\n", newline)
    span = _find_block(text)
    if span:
        return text[: span[0]] + block + text[span[1] :]
    if not text.strip():
        return text + block
    gap = newline if text.endswith("\n") else newline * 2
    return text + gap + block


def remove_block(text: str) -> str | None:
    """Remove Aurora's block and the blank line before it; None if nothing is left.

    Raises:
        ConfigFileError: the markers are not one pair.
    """
    span = _find_block(text)
    if span is None:
        return text
    before = re.sub(r"(?<=\n)\r?\n\Z", "", text[: span[0]])
    left = before + text[span[1] :]
    return left if left.strip() else None


def add_stamp(text: str, path: str) -> str:
    """Append the stamp that identifies Aurora's own file."""
    stamp = f"aur init {_compute_digest(text)}"
    return f"{text}# {stamp}\n" if path.endswith(".toml") else f"{text}\n<!-- {stamp} -->\n"


def classify_owner(text: str, current: str) -> Ownership:
    """Classify who wrote a text; line endings do not count."""
    if _normalize_newlines(text) == _normalize_newlines(current):
        return "same"
    found = _STAMP.search(text)
    if found is None:
        return "foreign"
    pristine = found["digest"] == _compute_digest(text[: found.start()]) and not found["behind"].strip()
    return "older" if pristine else "edited"


def _find_block(text: str) -> tuple[int, int] | None:
    begins, ends = list(_BEGIN_LINE.finditer(text)), list(_END_LINE.finditer(text))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        odd = (begins or ends)[-1]
        raise ConfigFileError.from_offset(
            '"aurora:begin" and "aurora:end" must each occur once, in this order', text, odd.start()
        )
    return begins[0].start(), ends[0].end()


def _compute_digest(text: str) -> str:
    return hashlib.sha256(_normalize_newlines(text).strip().encode("utf-8")).hexdigest()[:8]


def _normalize_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")
