"""Limits of an expression's length and nesting.

The parser of the library, and every walk over its tree, is recursive; nothing here is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .error import ExpressionError

if TYPE_CHECKING:
    from .unparse import Tree

MAX_CHARACTERS = 10_000
"""Characters of an expression; the rules of the shipped workflows have up to some 200."""
MAX_DEPTH = 100
"""Levels of the syntax tree: operators in a row, and brackets inside each other."""
MAX_BRACKETS = 50
"""Brackets inside each other, those of a literal included."""

TOO_DEEP = f"the expression is nested too deeply: at most {MAX_DEPTH} operators in a row are allowed"

_PIECE = re.compile(
    r"""
      '[^'\\]*+(?:\\.[^'\\]*+)*+'
    | "[^"\\]*+(?:\\.[^"\\]*+)*+"
    | (?P<literal>`[^`\\]*+(?:\\.[^`\\]*+)*+`)
    | (?P<opening>[\[({])
    | (?P<closing>[\])}])
    """,
    re.VERBOSE | re.DOTALL,
)
_JSON_PIECE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|(?P<opening>[\[{])|(?P<closing>[\]}])', re.DOTALL)


def check_text(text: str) -> None:
    """Check the length of an expression and its brackets, before it is parsed.

    Raises:
        ExpressionError: there are too many.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"the expression has {len(text):,} characters; at most {MAX_CHARACTERS:,} are allowed"
        raise ExpressionError(message, MAX_CHARACTERS, 1, "compute the value in a tool")
    offset = _find_deep_bracket(text, _PIECE, 0)
    if offset is not None:
        message = f"the expression is nested too deeply: at most {MAX_BRACKETS} brackets inside each other are allowed"
        raise ExpressionError(message, offset)


def _find_deep_bracket(text: str, pieces: re.Pattern[str], depth: int) -> int | None:
    """Find the bracket that is nested too deeply."""
    for piece in pieces.finditer(text):
        if piece.lastgroup == "opening":
            depth += 1
            if depth > MAX_BRACKETS:
                return piece.start()
        elif piece.lastgroup == "closing":
            depth -= 1
        elif piece.lastgroup == "literal" and _find_deep_bracket(piece[0], _JSON_PIECE, depth) is not None:
            return piece.start()
    return None


def check_depth(tree: Tree) -> None:
    """Check the depth of a syntax tree.

    Raises:
        ExpressionError: it is too deep.
    """
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in node["children"] if isinstance(child, dict)]
        if not level:
            return
    raise ExpressionError(TOO_DEEP, remedy="write `contains(LIST, VALUE)` for a long chain of ||")
