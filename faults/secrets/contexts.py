"""Secrets recognized by what is around them: columns, sentences, options, prefixes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .randomness import has_mixed_kinds, is_chosen, is_key, is_strong
from .secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIXED = "a token with a prefix"
_PASSWORD, _KEY = "a password", "a key or token"

_ARGUMENT = re.compile(
    r"""\s-[pPaw](?:\s{1,2}(?:"(?P<double>[^"\n]{6,64})"|'(?P<single>[^'\n]{6,64})'|(?P<apart>[^\s"'`;|<>-][^\s"'`;|<>]{5,63}))
        |"(?P<double2>[^"\n]{6,64})"|'(?P<single2>[^'\n]{6,64})'|(?P<joined>[^\s"'`;|<>-][^\s"'`;|<>]{5,63}))""",
    re.VERBOSE,
)
_NOT_ARGUMENT = re.compile(r"[/=:,\\(){}\[\]]|^[\d.]+$")
_SENTENCE = re.compile(
    r"""[`"'*]{0,3}(?:\ [^\n.;:=(`"'<>]{0,60}?\ (?:is|was|to|now|ist|war|lautet)|,?\ (?:is|was|to)
            |\ ?(?:->|=>|:)|\ \d{1,2}(?=\ ))?
        (?:\ (?:now|is|was)|:|,\ the\ former\ one\ was)?[ ]{1,2}[(`"'*]{0,3}(?P<value>[^\s`"'*()<>]{7,100})""",
    re.IGNORECASE | re.VERBOSE,
)
_TYPE = re.compile(r"[A-Z][A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z]*|\w+(?:\.\w+)+")
_PAIR = re.compile(r"""[^\n/]{0,40}/[`"' ]{0,3}(?P<value>[^\s`"'/()<>]{8,64})(?=[`"'\s])""")
_PREFIXED = re.compile(r"[-_](?P<tail>[A-Za-z0-9]{16,200})(?![\w-])")
_PREFIX = re.compile(
    r"(?<![\w./@#+-])(?<!sha256=)(?<!sha512=)"
    r"(?P<prefix>(?:[a-z][a-z0-9]{1,11}|[A-Z][A-Z0-9]{1,11})(?:[-_](?:[a-z0-9]{1,8}|[A-Z0-9]{1,8})){0,3})$"
)
_DIGEST = re.compile(
    r"sha|md\d|hash|blake|digest|chunk|commit|build|asset|bundle|v\d|cache|etag|uuid|guid|id$", re.IGNORECASE
)
_WORDS = re.compile(
    r"""[\n"'`=][ \t]{0,16}(?P<value>(?:[a-z]{3,8}\ ){11}[a-z]{3,8}(?:(?:\ [a-z]{3,8}){3}){0,4})
        (?=["'`\n]|[ \t\r]{1,8}\n|\Z)""",
    re.VERBOSE,
)
_FUNCTION_WORD = re.compile(
    r"\b(?:the|and|for|are|was|were|not|but|has|had|have|from|its|our|which|their|been|his|her|does|did|also|into|may|must|"
    r"could|should|would|these|those|with|without|when|what|than|then|per|via|yet|nor|how|who|why|because|using|used)\b"
)
_LEADS = re.compile(r"mnemonic|seed|phrase|wallet|recovery", re.IGNORECASE)


ARGUMENT_WORDS = (" -p", " -a ", " -w ")
"""Options of one letter by which programs take passwords."""


def find_arguments(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find passwords after the options of one letter that programs take them by."""
    for mark in ARGUMENT_WORDS:
        at = lowered.find(mark) if mark in possible else -1
        while at >= 0:
            match = _ARGUMENT.match(text, at)
            if match and (found := _judge_argument(match)):
                yield found
            at = lowered.find(mark, at + 2)


def _judge_argument(match: re.Match[str]) -> Secret | None:
    group = match.lastgroup or ""
    value = match[group]
    if _NOT_ARGUMENT.search(value) or " " in value or not (is_strong(value) and has_mixed_kinds(value)):
        return None
    return Secret(_PASSWORD, *match.span(group))


def match_sentence(text: str, at: int) -> Secret | None:
    """Find what a sentence calls a password or a key: `the password for staging is …`, `with password …`.

    Args:
        text: the text.
        at: the end of the word for the secret.
    """
    for pattern in (_SENTENCE, _PAIR):
        match = pattern.match(text, at)
        if match is None:
            continue
        value = match["value"].rstrip(".,;:!?") if match["value"][-1] in ".,;:" else match["value"]
        if _NOT_ARGUMENT.search(value) or _TYPE.fullmatch(value):
            continue
        if (is_strong(value) or is_chosen(value)) and has_mixed_kinds(value):
            return Secret(_PASSWORD, match.start("value"), match.start("value") + len(value))
    return None


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
                yield Secret(_PASSWORD if "key" not in wanted[number] else _KEY, offset, offset + len(value))
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


def find_prefixed(text: str) -> Iterator[Secret]:
    """Find tokens with the name of their maker or kind before them: `acme_live_…`, `tvly-dev-…`."""
    for match in _PREFIXED.finditer(text):
        head = _PREFIX.search(text, max(0, match.start() - 44), match.start())
        if head is None or _DIGEST.search(head["prefix"]) or not _is_tail(match["tail"], head["prefix"]):
            continue
        if is_key(match["tail"]):
            yield Secret(PREFIXED, head.start(), match.end())


def _is_tail(tail: str, prefix: str) -> bool:
    """Return whether a tail has the mix of a generated token, or is hexadecimal behind `sk` or `key`."""
    kinds = sum(any(test(char) for char in tail) for test in (str.islower, str.isupper, str.isdigit))
    return kinds > 2 or (len(tail) > 31 and prefix[:3].lower() in {"sk", "sk_", "sk-", "key"})  # noqa: PLR2004 - of all three


def find_phrases(text: str) -> Iterator[Secret]:
    """Find the words of a wallet's seed (BIP 39): 12 to 24 words on a line of their own, or in quotes."""
    for match in _WORDS.finditer("\n" + text):
        if _FUNCTION_WORD.search(match["value"]) and not _LEADS.search(text, max(0, match.start() - 40), match.start()):
            continue
        yield Secret("a seed phrase", match.start("value") - 1, match.end("value") - 1)
