"""Paths in the tokens of a template: `hits[0].title`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.templates import Token

ITEM = "[]"
"""The part of a path that takes an item of a list."""
_WORDS = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None", "recursive"}
)


@dataclass(frozen=True, slots=True)
class TemplatePath:
    """A path in a tag.

    Attributes:
        parts: its names, and `ITEM` for each subscript that is a number.
        tokens: the last token of each part.
        start, end: the places of its first and behind its last token in the tag.
        is_called: whether a call follows, so that the last part is a method.
        is_dotted: whether it has only names with dots between them.
    """

    parts: tuple[str, ...]
    tokens: tuple[Token, ...]
    start: int
    end: int
    is_called: bool
    is_dotted: bool


def find_paths(tokens: Sequence[Token]) -> Iterator[TemplatePath]:
    """Find the paths of a tag that begin with a variable."""
    at = 0
    while at < len(tokens):
        if not _is_variable(tokens, at):
            at += 1
            continue
        path = read_path(tokens, at)
        if not (path.is_called and len(path.parts) == 1):  # `range(3)` is a function
            yield path
        at = path.end


def read_path(tokens: Sequence[Token], at: int) -> TemplatePath:
    """Read the path that begins at a name."""
    start, parts, last = at, [tokens[at].text], [tokens[at]]
    at += 1
    while at < len(tokens):
        following = [token.text for token in tokens[at : at + 4]]
        kinds = [token.kind for token in tokens[at : at + 4]]
        if following[0] == "." and kinds[1:2] == ["name"]:
            parts.append(following[1])
            last.append(tokens[at + 1])
            at += 2
        elif kinds[:2] == ["sign", "number"] and following[0] == "[" and following[2:3] == ["]"]:
            at = _add_item(parts, last, tokens, at + 2)
        elif following[:2] == ["[", "-"] and kinds[2:3] == ["number"] and following[3:4] == ["]"]:
            at = _add_item(parts, last, tokens, at + 3)
        elif kinds[:2] == ["sign", "string"] and following[0] == "[" and following[2:3] == ["]"]:
            parts.append(following[1][1:-1])
            last.append(tokens[at + 1])
            at += 3
        else:
            break
    called = at < len(tokens) and tokens[at].text == "("
    dotted = at - start == 2 * len(parts) - 1
    return TemplatePath(tuple(parts), tuple(last), start, at, called, dotted)


def _add_item(parts: list[str], last: list[Token], tokens: Sequence[Token], closing: int) -> int:
    parts.append(ITEM)
    last.append(tokens[closing - 1])
    return closing + 1


def _is_variable(tokens: Sequence[Token], at: int) -> bool:
    """Return whether the name is a variable: no word, field, filter, test or keyword argument."""
    token = tokens[at]
    if token.kind != "name" or token.text in _WORDS:
        return False
    before = [one.text for one in tokens[max(at - 2, 0) : at]]
    after = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if before[-1:] in (["."], ["|"], ["is"]) or before == ["is", "not"]:
        return False
    return not (after == "=" and before[-1:] in (["("], [","]))
