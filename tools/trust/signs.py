"""Warning signs in a text that an assistant will read: where a person should look first.

They are signs, not proof: a harmless text may have one, and a harmful one none. The rules are few and general on
purpose, since whoever writes a hostile text can read them here.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import show_hidden
from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SIGNS = 50
"""Signs of a file that are named; a file with more is one to read as a whole."""
_MAX_EXCERPT = 100
_BEFORE = 20
_WINDOW, _OVERLAP = 2_000, 300
_FAR_BLANKS, _FAR_LINES, _LONG_LINE = 40, 15, 1_000
_RULES = tuple(
    (name, re.compile(pattern, re.IGNORECASE | re.VERBOSE))
    for name, pattern in (
        (
            "a download that is run",
            r"""
            \b(curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch)\b .*
            \|\s*(sudo\s+)? \S*\b((ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|iex|pwsh|powershell)\b
            | (\b(ba|z|da)?sh|\beval|\biex|\bsource)\b .* \b(curl|wget|iwr|irm)\b
            """,
        ),
        (
            "a request to keep something from the person",
            r"""
            \b(do\ not|don.t|never|without|must\ not|avoid|not)\s+(\w+\s+){0,2}?
            (tell|mention|show|inform|report|reveal|disclos|ask|notify)(e|ing)?\b
            | \b(secretly|silently|covertly|hide\ (this|it|that)\ from)\b
            """,
        ),
        (
            "a request to set other instructions aside",
            r"""
            \b(ignore|disregard|forget|override|bypass)\b [^.]{0,40}
            \b(instruction|rule|polic(y|ie)|prompt|guardrail|restriction|permission)s?\b
            """,
        ),
        (
            "a command that deletes or sends",
            r"""
            \brm\s+-\w*[rf] | \bgit\s+(push|clean|reset\s+--hard)\b | \b(scp|rsync|ncat|netcat|shred|mkfs\S*|sftp)\s
            | \bnc\s+\S+\s+\d | \bdd\s+if= | \bcurl\b.*\s(-[dFT]|--data\S*|--form|--upload-file|-X\s*(POST|PUT))\b
            | \bremove-item\b | \bdrop\s+(table|database)\b | \bchmod\s+777\b | >\s*/dev/(tcp|sd)
            """,
        ),
        ("an address", r"""\b(https?|ftp|wss?|data)://?[^\s"'<>)]{3,}"""),
        (
            "a long encoded text",
            r"""
            (?<![\w+/-]) (?=[\w+/-]*\d) (?=[\w+/-]*[a-z]) [A-Za-z0-9+/_-]{80,} ={0,2}
            | (\\x[0-9a-f]{2}){12,}
            """,
        ),
    )
)


class Sign(StrictModel):
    """Warning sign at a line of a file."""

    line: int
    sign: str
    excerpt: str = Field(description="The text around it, with hidden characters as escapes.")


def find_signs(text: str) -> tuple[Sign, ...]:
    """Find the first warning signs of a text, by line."""
    return tuple(islice(_iter_signs(text), MAX_SIGNS))


def _iter_signs(text: str) -> Iterator[Sign]:
    blank_lines = 0
    # only line ends of YAML and Markdown: a character that other programs break at must not hide the rest of its line
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            blank_lines += 1
            continue
        if blank_lines >= _FAR_LINES:
            yield _make_sign(number, f"text after {blank_lines:,} empty lines", line, 0)
        blank_lines = 0
        yield from _iter_line_signs(number, line)


def _iter_line_signs(number: int, line: str) -> Iterator[Sign]:
    shown = show_hidden(line.replace("\r", "\\x0d"))
    if shown != line:
        place = next((at for at, (one, other) in enumerate(zip(line, shown, strict=False)) if one != other), len(line))
        yield _make_sign(number, "invisible or reordering characters", line, place)
    blanks = re.search(rf"\S\s{{{_FAR_BLANKS},}}(?=\S)", line)
    if blanks or len(line) > _LONG_LINE:
        what = (
            f"text after {blanks.end() - blanks.start() - 1:,} blanks"
            if blanks
            else f"a line of {len(line):,} characters"
        )
        yield _make_sign(number, what, line, blanks.end() if blanks else _LONG_LINE)
    # what is invisible must not keep a rule from matching
    plain = "".join(char for char in line if char == "\t" or char.isprintable())
    for begin in range(0, len(plain), _WINDOW - _OVERLAP):
        window = plain[begin : begin + _WINDOW]  # the time of a rule grows with the square of the length
        for name, rule in _RULES:
            if found := rule.search(window):
                yield _make_sign(number, name, plain, begin + found.start())


def _make_sign(number: int, sign: str, line: str, at: int) -> Sign:
    begin = max(0, at - _BEFORE)
    excerpt = line[begin : begin + _MAX_EXCERPT]
    cut = ("…" if begin else "") + excerpt.strip() + ("…" if begin + _MAX_EXCERPT < len(line) else "")
    return Sign(line=number, sign=sign, excerpt=show_hidden(cut.replace("\r", "\\x0d")))
