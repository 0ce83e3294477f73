"""Secrets in tables: below a heading in CSV or Markdown, and in the rows that SQL inserts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .values import Secret, is_chosen, is_key, is_strong

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECRET_COLUMN = re.compile(
    r"(?:\w+[ _.-])?"
    r"(?P<word>pass(?:wor[dt]|wd|phrase|code)?|kennwort|pwd?|pin|secret|(?:api|access|private)[ _-]?key|token)",
    re.IGNORECASE,
)
_COLUMN_NAME = re.compile(r"[\w .-]{1,40}")
_DELIMITERS = ",;\t|"
_INSERT = re.compile(
    r"insert\s{1,4}into\s{1,4}[\w.`\"]{1,80}\s{0,4}\((?P<names>[^()]{1,400})\)\s{0,4}values\s{0,4}", re.IGNORECASE
)
_ROW = re.compile(r"[\s,]{0,8}\((?P<cells>[^\n]{1,2000}?)\)(?=\s{0,4}[,;]|\s{0,4}$)", re.MULTILINE)
_MAX_HEADER, _MIN_PLAIN, _COLUMNS = 400, 12, range(2, 61)
_RULE = re.compile(r"[\s|:+-]+")


def find_in_columns(text: str, at: int) -> tuple[list[Secret], int]:
    """Find the cells below the heading of a secret in a table of text, as CSV or Markdown.

    Args:
        text: the text.
        at: a place in the first line of the table.

    Returns:
        The secrets, and the end of the table; without one, the end of the line.
    """
    start = text.rfind("\n", max(0, at - _MAX_HEADER), at) + 1
    end = text.find("\n", at, at + _MAX_HEADER)
    columns = _find_secret_columns(text[start:end]) if end >= 0 else None
    found: list[Secret] = []
    if columns is None:
        return found, end if end >= 0 else at + _MAX_HEADER
    delimiter, count, wanted = columns
    while end >= 0:
        start, end = end + 1, text.find("\n", end + 1, end + 10 * _MAX_HEADER)
        line = text[start : end if end >= 0 else start + 10 * _MAX_HEADER]
        if line.count(delimiter) < count - 1:
            break
        found += _find_cells(line, start, delimiter, wanted)
    return found, start


def _find_secret_columns(line: str) -> tuple[str, int, dict[int, str]] | None:
    """Return delimiter, number of columns and those of secrets; None for no heading."""
    if not 0 < len(line) < _MAX_HEADER:
        return None
    for delimiter in _DELIMITERS:
        names = [name.strip(" \t\r\"'`*") for name in line.split(delimiter)]
        if len(names) not in _COLUMNS or (delimiter == "," and line.rstrip("\r").endswith((",", " "))):
            continue
        found = {
            at: match["word"].lower() for at, name in enumerate(names) if (match := _SECRET_COLUMN.fullmatch(name))
        }
        if found and all(not name or _COLUMN_NAME.fullmatch(name) for name in names):
            return delimiter, len(names), found
    return None


def _find_cells(line: str, at: int, delimiter: str, wanted: dict[int, str]) -> Iterator[Secret]:
    if _RULE.fullmatch(line):
        return
    start = at
    for number, cell in enumerate(line.split(delimiter)):
        if number in wanted:
            value = cell.strip(" \t\r\"'`*")
            if _is_cell_secret(value, wanted[number], plain=delimiter != "|"):
                offset = start + cell.index(value)
                yield Secret(
                    "a password" if "key" not in wanted[number] else "a key or token", offset, offset + len(value)
                )
        start += len(cell) + 1


def _is_cell_secret(value: str, word: str, *, plain: bool) -> bool:
    if word == "token" or "key" in word or word == "secret":
        return " " not in value and (is_key(value) or is_strong(value))
    is_plain = plain and value.isalpha() and value.islower() and len(value) >= _MIN_PLAIN
    return is_strong(value) or is_chosen(value) or is_plain


def find_inserted(text: str, lowered: str) -> Iterator[Secret]:
    """Find the secrets among the rows that a statement inserts into a column of secrets."""
    at = lowered.find("insert into")
    while at >= 0:
        statement = _INSERT.match(text, at)
        at = lowered.find("insert into", statement.end() if statement else at + 1)
        if statement is None:
            continue
        names = [name.strip(" \t\r\n\"'`[]") for name in statement["names"].split(",")]
        wanted = {
            at: match["word"].lower() for at, name in enumerate(names) if (match := _SECRET_COLUMN.fullmatch(name))
        }
        row = _ROW.match(text, statement.end()) if wanted else None
        while row:
            yield from _find_cells(row["cells"], row.start("cells"), ",", wanted)
            row = _ROW.match(text, row.end())
