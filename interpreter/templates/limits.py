"""Limits of a template's size and nesting, checked before the library parses it.

The library parses and drops expressions and `elif` recursively, without a limit: 20,000 `+` end the process. The checks
here use an explicit stack and take time linear in the template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .error import PromptError
from .tags import list_tags, locate_line

if TYPE_CHECKING:
    from .tags import Tag, Token

MAX_CHARACTERS = 100_000
"""Characters of a template; the rendered text must fit into a response of 19,000."""
MAX_TAGS = 5_000
"""Prints and statements of a template."""
MAX_OPERATORS = 200
"""Operators of an expression, those of the brackets around and inside them included, along one branch.

It bounds the depth of the library's syntax tree. The library needs some 400 bytes of stack for each level, so that 200
fit into the smallest stack of a thread many times.
"""
MAX_BRACKETS = 50
"""Brackets inside each other."""
MAX_BLOCKS = 100
"""Blocks inside each other; each `elif` is one inside its `if`. The library allows 150 without the `elif`."""

_OPENING = {"(", "[", "{"}
_CLOSING = {")", "]", "}"}
_SEPARATORS = {",", ":"}
_WORD_OPERATORS = {"and", "or", "not", "in", "is", "if", "else"}
_BLOCKS = {"if", "for", "with", "set", "filter", "macro", "call", "block", "autoescape"}


def check_limits(template: str, name: str) -> None:
    """Check the size and nesting of a template.

    Raises:
        PromptError: when a limit is exceeded, with the place where it is.
    """
    if len(template) > MAX_CHARACTERS:
        raise PromptError(name, f"it has {len(template):,} characters; a prompt has at most {MAX_CHARACTERS:,}")
    tags = list_tags(template)
    if len(tags) > MAX_TAGS:
        first = tags[MAX_TAGS]
        detail = f"it has {len(tags):,} tags; a prompt has at most {MAX_TAGS:,}"
        raise _make_error(template, name, (first.start, first.end), detail)
    for tag in tags:
        _check_expressions(template, name, tag)
    deep = _find_deep_block(tags)
    if deep is not None:
        detail = f"blocks are nested more than {MAX_BLOCKS} deep here; each `elif` counts as one"
        raise _make_error(template, name, (deep.start, deep.end), detail)


class _Depth:
    """Depth of the syntax tree inside one bracket: operators of an item, on top of its deepest bracket."""

    __slots__ = ("deepest", "inner", "operators")

    def __init__(self) -> None:
        self.operators = 0
        self.inner = 0
        self.deepest = 0

    def measure_item(self) -> int:
        return self.operators + self.inner

    def end_item(self) -> None:
        self.deepest = max(self.deepest, self.measure_item())
        self.operators = self.inner = 0


def _check_expressions(template: str, name: str, tag: Tag) -> None:
    """Check the depth of a tag's expressions; a syntax error counts as if it were none."""
    depths = [_Depth()]
    for token in tag.tokens:
        _count_token(depths, token)
        if len(depths) > MAX_BRACKETS + 1:
            detail = f"brackets are nested more than {MAX_BRACKETS} deep here"
            raise _make_error(template, name, (token.start, token.end), detail)
        if depths[-1].measure_item() > MAX_OPERATORS:
            detail = f"an expression has more than {MAX_OPERATORS} operators in a row here; split it into parts"
            raise _make_error(template, name, (token.start, token.end), detail)
    while len(depths) > 1:  # brackets that are not closed
        _close_bracket(depths)
    if depths[0].measure_item() > MAX_OPERATORS:
        detail = f"an expression has more than {MAX_OPERATORS} operators inside each other; split it into parts"
        raise _make_error(template, name, (tag.start, tag.end), detail)


def _count_token(depths: list[_Depth], token: Token) -> None:
    text = token.text
    if text in _OPENING:
        depths[-1].operators += 1  # a call or a subscript; for a list it is one too many
        depths.append(_Depth())
    elif text in _CLOSING:
        _close_bracket(depths)
    elif text in _SEPARATORS:
        depths[-1].end_item()
    elif token.kind == "sign" or text in _WORD_OPERATORS:
        depths[-1].operators += 1


def _close_bracket(depths: list[_Depth]) -> None:
    if len(depths) > 1:
        closed = depths.pop()
        closed.end_item()
        depths[-1].inner = max(depths[-1].inner, closed.deepest)


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


def _make_error(template: str, name: str, span: tuple[int, int], detail: str) -> PromptError:
    return PromptError(name, detail, locate_line(template, span[0]), span)
