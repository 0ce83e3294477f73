"""Tags of a template and their tokens, read in linear time, and their limits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .engine import PromptError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARACTERS = 100_000
"""Characters of a template; the rendered text must fit into a response of 19,000."""
MAX_TAGS = 5_000
"""Prints and statements of a template."""
MAX_OPERATORS = 200
"""Operators and opening brackets of a tag, commas aside.

It bounds the depth of the library's syntax tree. The library needs some 400 bytes of stack for each level, so that 200
fit into the smallest stack of a thread many times.
"""
MAX_BLOCKS = 100
"""Blocks inside each other; each `elif` is one inside its `if`. The library allows 150 without the `elif`."""

_OPERATORS = frozenset("// ** == != >= <= - + * / % . | ~ < > = ( [ { and or not in is if else".split())  # noqa: SIM905 - read as a line
_BLOCKS = {"if", "for", "with", "set", "filter", "macro", "call", "block", "autoescape"}

PRINT, STATEMENT, COMMENT = "{{", "{%", "{#"

_MARK = re.compile(r"\{[{%#]")
_END = {PRINT: re.compile(r"[-+]?\}\}"), STATEMENT: re.compile(r"[-+]?%\}")}
# Quantifiers are possessive, so that a match takes time linear in what it reads.
_TOKEN = re.compile(
    r"""
      (?P<space>[ \t\n\r\f]++)
    | (?P<name>[^\W\d]\w*+)
    | (?P<number>\d[\d_]*+(?:\.\d[\d_]*+)?)
    | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')
    | (?P<sign>//|\*\*|==|!=|>=|<=|[-+*/%.,:~|=<>()\[\]{}])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_END_STARTS = frozenset({"-", "+", "}", "%"})
_RAW_END = re.compile(r"\{%[-+]?[ \t\n\r\f]*+endraw[ \t\n\r\f]*+[-+]?%\}")
_BALANCE = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class Token(NamedTuple):
    """One token of a tag.

    Attributes:
        kind: `name`, `number`, `string`, `sign` or `other`.
        text: its characters; a string includes its quotes.
        start: its offset in the template.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Offset behind its last character."""
        return self.start + len(self.text)

    @property
    def span(self) -> tuple[int, int]:
        """Range of characters of the template."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag.

    Attributes:
        mark: its two opening characters: `PRINT`, `STATEMENT` or `COMMENT`.
        tokens: its tokens without blanks and delimiters; a comment has none.
        start: the offset of its first character in the template.
        end: the offset behind its last.
        is_closed: False when the template ends inside the tag.
    """

    mark: str
    tokens: tuple[Token, ...]
    start: int
    end: int
    is_closed: bool = True

    @property
    def word(self) -> str:
        """The first word of a statement, such as `for`; else empty."""
        return self.tokens[0].text if self.tokens and self.mark == STATEMENT else ""


@lru_cache(maxsize=32)
def list_tags(template: str) -> tuple[Tag, ...]:
    """List the prints and statements of a template; what a `raw` block contains is text.

    A tag that is not closed is the last.
    """
    return tuple(tag for tag in _scan_tags(template) if tag.mark != COMMENT)


def strip_tags(template: str) -> str:
    """Return the template without its tags and comments."""
    kept: list[str] = []
    at = 0
    for tag in _scan_tags(template):
        kept.append(template[at : tag.start])
        at = tag.end
    kept.append(template[at:])
    return "".join(kept)


def check_limits(template: str) -> None:
    """Check the size and nesting of a template, before the library reads it.

    Raises:
        PromptError: when a limit is exceeded, with the place where it is.
    """
    if len(template) > MAX_CHARACTERS:
        raise PromptError(f"it has {len(template):,} characters; a prompt has at most {MAX_CHARACTERS:,}")
    tags = list_tags(template)
    if len(tags) > MAX_TAGS:
        message = f"it has {len(tags):,} tags; a prompt has at most {MAX_TAGS:,}"
        raise _make_error(template, tags[MAX_TAGS], message)
    for tag in tags:
        operators = [token for token in tag.tokens if token.text in _OPERATORS]
        if len(operators) > MAX_OPERATORS:
            message = f"this tag has more than {MAX_OPERATORS} operators and brackets; split it into parts"
            raise _make_error(template, operators[MAX_OPERATORS], message)
    deep = _find_deep_block(tags)
    if deep is not None:
        message = f"blocks are nested more than {MAX_BLOCKS} deep here; each `elif` counts as one"
        raise _make_error(template, deep, message)


def _find_deep_block(tags: tuple[Tag, ...]) -> Tag | None:
    """Find the first block that is nested too deeply."""
    blocks: list[str] = []
    for tag in tags:
        word = tag.word
        if word == "elif" or (word in _BLOCKS and not _is_assignment(tag)):
            blocks.append(word)
            if len(blocks) > MAX_BLOCKS:
                return tag
        elif word.startswith("end"):
            while blocks and blocks.pop() == "elif":
                pass
    return None


def _is_assignment(tag: Tag) -> bool:
    """Recognize `{% set x = … %}`, which opens no block."""
    return tag.word == "set" and any(token.text == "=" for token in tag.tokens)


def _make_error(template: str, place: Tag | Token, message: str) -> PromptError:
    return PromptError(message, template.count("\n", 0, place.start) + 1, (place.start, place.end))


def _scan_tags(template: str) -> Iterator[Tag]:
    """Yield the tags and comments in their order, up to one that is not closed."""
    at = 0
    while (mark := _MARK.search(template, at)) is not None:
        tag = _read_comment(template, mark) if mark[0] == COMMENT else _read_tag(template, mark)
        yield tag
        at = tag.end
        if tag.word == "raw" and len(tag.tokens) == 1:
            closing = _RAW_END.search(template, at)
            if closing is None:
                return
            at = closing.end()


def _read_comment(template: str, mark: re.Match[str]) -> Tag:
    end = template.find("#}", mark.end())
    is_closed = end >= 0
    return Tag(COMMENT, (), mark.start(), end + 2 if is_closed else len(template), is_closed)


def _read_tag(template: str, mark: re.Match[str]) -> Tag:
    """Read the tag that begins here; as in the library, its end is not seen while a bracket is open."""
    tokens: list[Token] = []
    start, balance = mark.end(), 0
    if template[start : start + 1] in ("-", "+"):  # the sign belongs to the delimiter
        start += 1
    for found in _TOKEN.finditer(template, start):
        kind, text = found.lastgroup, found[0]
        if text in _END_STARTS and balance == 0:
            end = _END[mark[0]].match(template, found.start())
            if end is not None:
                return Tag(mark[0], tuple(tokens), mark.start(), end.end())
        if kind == "other" and text in ('"', "'"):  # a string that is not closed: what follows has no tokens
            break
        if kind != "space":
            tokens.append(Token(str(kind), text, found.start()))
            balance += _BALANCE.get(text, 0)
    return Tag(mark[0], tuple(tokens), mark.start(), len(template), is_closed=False)
