"""Headings of a document, and the fenced blocks in which no line is a heading."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAX_TITLE_CHARS = 120
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r"^ {0,3}(#{1,6})(?![^ \t])")
_HTML = re.compile(r"^\s*<h([1-6])\b[^>]*>(.+?)</h\1>", re.IGNORECASE)
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_NO_TITLE = re.compile(r"^\s*(?:[|>+*-]|\d+[.)]\s|$|`{3}|~{3})|^(?: {4}|\t)")
_UNDERLINE = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}\s*$")
# A repetition below stops where the same markup begins again, or each of many beginnings would read to the end.
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^\[\]]*\])")
_IMAGE = re.compile(rf"!{_LINK.pattern}")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|\{#[^{}]*\}|:[a-z]+:(?=`)|[`*]")
_MAX_FRONT_MATTER_LINES = 200


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its first and last row from 0, its level from 1, and its title without markup."""

    row: int
    last: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The headings of a document in order, and the last row of each fence by its first."""

    headings: Sequence[Heading]
    fences: Mapping[int, int]


def parse_layout(lines: Sequence[str], language: str) -> Layout:
    """Parse the layout of Markdown, reStructuredText or plain text with underlined titles."""
    return _parse_markdown(lines) if language == "markdown" else Layout(_parse_underlined(lines), {})


def _parse_markdown(lines: Sequence[str]) -> Layout:
    headings: list[Heading] = []
    fences: dict[int, int] = {}
    row = _skip_front_matter(lines)
    while row < len(lines):
        if match := _FENCE.match(lines[row]):
            fences[row] = row = _find_fence_end(lines, row, match[1])
        elif heading := _match_heading(lines, row):
            headings.append(heading)
            row = heading.last
        row += 1
    return Layout(headings, fences)


def _skip_front_matter(lines: Sequence[str]) -> int:
    """Return the row after the front matter, the settings between two `---` at the start of a file."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for row in range(1, min(len(lines), _MAX_FRONT_MATTER_LINES)):
        if lines[row].rstrip() in {"---", "..."}:
            return row + 1
    return 0


def _find_fence_end(lines: Sequence[str], row: int, mark: str) -> int:
    """Find the row that closes a fence, or the last row of the file."""
    closing = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
    return next((below for below in range(row + 1, len(lines)) if closing.match(lines[below])), len(lines) - 1)


def _match_heading(lines: Sequence[str], row: int) -> Heading | None:
    """Match a heading with `#` signs, in HTML, or underlined."""
    line = lines[row]
    if match := _ATX.match(line):
        return Heading(row, row, len(match[1]), _clean_title(_drop_closing_signs(line[match.end() :])))
    if match := _HTML.match(line):
        return Heading(row, row, int(match[1]), _clean_title(match[2]))
    if row + 1 < len(lines) and (match := _SETEXT.match(lines[row + 1])):
        is_separate = row == 0 or not lines[row - 1].strip()
        if is_separate and not _NO_TITLE.match(line):
            return Heading(row, row + 1, 1 if match[1][0] == "=" else 2, _clean_title(line))
    return None


def _drop_closing_signs(title: str) -> str:
    """Drop the `#` signs that close a title, after a space."""
    title = title.strip(" \t")
    bare = title.rstrip("#")
    return bare if bare.endswith((" ", "\t")) else title


def _parse_underlined(lines: Sequence[str]) -> list[Heading]:
    """Parse titles underlined with one sign, and maybe overlined.

    The first style in the file is the highest level.
    """
    headings: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    for row in range(1, len(lines)):
        rule, title = _UNDERLINE.match(lines[row]), lines[row - 1]
        text = title.strip()
        if not rule or not text or _UNDERLINE.match(title) or len(lines[row].rstrip()) < len(text) - 1:
            continue
        over = row > 1 and lines[row - 2].rstrip() == lines[row].rstrip()
        if not over and (title[0].isspace() or (row > 1 and lines[row - 2].strip())):
            continue
        style = (rule[1], over)
        if style not in styles:
            styles.append(style)
        headings.append(Heading(row - 2 if over else row - 1, row, styles.index(style) + 1, _clean_title(text)))
    return headings


def _clean_title(raw: str) -> str:
    """Clean a title: keep the words of links, remove markup and tags.

    The words of images remain when nothing else is left.
    """
    return _strip_markup(_IMAGE.sub("", raw)) or _strip_markup(_IMAGE.sub(r"\1", raw)) or "…"


def _strip_markup(raw: str) -> str:
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", raw)).split())[:_MAX_TITLE_CHARS]
