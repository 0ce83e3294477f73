"""Errors of expressions, in the words of a person; and the limits of their text."""

from __future__ import annotations

import re
from typing import Any

Tree = dict[str, Any]
"""A syntax tree of the library: its `type`, `value` and `children`."""


class ExpressionError(ValueError):
    """An expression that cannot be parsed or evaluated.

    Attributes:
        offset: the character in its text where it fails, or None.
        length: the number of wrong characters.
        help: what to write instead; may be empty.
        replacement: a safe replacement of those characters, or empty.
    """

    def __init__(
        self, message: str, offset: int | None = None, length: int = 1, remedy: str = "", instead: str = ""
    ) -> None:
        super().__init__(message)
        self.replacement = instead
        self.offset = offset
        self.length = length
        self.help = remedy


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
    # Before the parse, because the parser calls itself for each
    # bracket: deep nesting would end in a RecursionError.
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


_WORD_OPERATORS = {"and": "&&", "or": "||", "not": "!", "AND": "&&", "OR": "||", "NOT": "!"}

_WORD_RELATIONS = {
    "in": "write `contains(LIST, VALUE)`",
    "is": "write ==, or != for what is not so",
    "like": "write `contains(TEXT, 'part')`, or starts_with, or ends_with",
    "matches": "there are no patterns here; write `contains(TEXT, 'part')`",
}

_FOREIGN_SIGNS = (
    ("===", "==", ""),
    ("!==", "!=", ""),
    ("<>", "!=", ""),
    ("=!", "!=", ""),
    ("=>", ">=", ""),
    ("=<", "<=", ""),
    ("??", "||", ""),
    ("?.", ".", "what is not there is null, and no error"),
    ("=", "==", ""),
    ("&", "&&", ""),
    ("?", "", "write a rule for each case"),
    *((sign, "", "there is no arithmetic in expressions; compute it in the tool or the prompt") for sign in "+-*/%"),
)
"""Operators of other languages, the operator here, and the help without one; longest first."""

_KEY_LIKE = re.compile(r"[^\W\d](?:[\w-]*\w)?")
"""Text that a person takes for a key."""

_QUOTED_TEXT = re.compile(r"""'([^'"\\]*)'""")

_BRACES = re.compile(r"\$?\{\{-?\s*(?P<inner>.*?)\s*-?\}\}|\$\{\s*(?P<shell>[^{}]*?)\s*\}")
"""A variable of a template or a shell."""

_CURVED_QUOTES = "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb"


def _explain_braces(text: str) -> ExpressionError | None:
    """Explain the braces of templates, which an expression does not have."""
    found = _BRACES.search(text)
    if found is None:
        return None
    meant = _BRACES.sub(lambda one: one["inner"] or one["shell"] or "", text)
    sign = found[0][: found[0].index("{") + 1 + found[0].startswith(("{{", "${{"))]
    message = f'"{sign}" is for prompts; an expression is written without it'
    instead = meant if found[0] == text.strip() else ""
    return ExpressionError(message, found.start(), len(found[0]), f"write `{meant}`", instead)


def _explain_curved_quotes(text: str, position: int) -> ExpressionError | None:
    """Explain a text in typographic quotes."""
    if text[position] not in _CURVED_QUOTES:
        return None
    found = re.compile(rf"[{_CURVED_QUOTES}]([^{_CURVED_QUOTES}]*)[{_CURVED_QUOTES}]").match(text, position)
    written = found[0] if found else text[position]
    help_, instead = (f"write '{found[1]}'", f"'{found[1]}'") if found else ("write '", "")
    return ExpressionError("a text is in straight single quotes", position, len(written), help_, instead)


def explain_syntax_error(text: str, error: Any) -> ExpressionError:
    """Explain an error of the library's parser: where it is, and what to write instead."""
    braces = _explain_braces(text)
    if braces is not None:
        return braces
    position = getattr(error, "lex_position", None)
    if position is None or position >= len(text.rstrip()):
        return _explain_unfinished(text)
    rest = text[position:]
    token = (rest.split(maxsplit=1) or [""])[0][:40]
    words = text[:position].split()
    before = words[-1] if words else ""
    if token in _WORD_OPERATORS:
        return _explain_word_operator(token, position)
    if token in _WORD_RELATIONS:
        return ExpressionError(f'"{token}" is not a word of JMESPath', position, len(token), _WORD_RELATIONS[token])
    if before in _WORD_OPERATORS:
        at = text.rindex(before, 0, position)
        return _explain_word_operator(before, at)
    return _explain_character(text, position, rest, token)


def _explain_word_operator(word: str, at: int) -> ExpressionError:
    sign = _WORD_OPERATORS[word]
    # only the author knows the operand of a `not`
    instead = "" if sign == "!" else sign
    return ExpressionError(f'"{word}" is written {sign} here', at, len(word), instead=instead)


def _explain_character(text: str, position: int, rest: str, token: str) -> ExpressionError:
    number = "".join(char for char in token if char in "-0123456789.")
    if rest[0].isdigit() and text[:position].endswith("."):
        key = re.match(r"\w+", rest)
        quoted = f'"{key[0]}"' if key is not None else ""
        message = "a key that begins with a digit must be in double quotes"
        return ExpressionError(message, position, len(quoted) - 2, f"write {quoted[:80]}", quoted)
    if rest[0].isdigit() or (rest[0] == "-" and rest[1:2].isdigit()):
        return ExpressionError(
            "a number must be in backticks", position, len(number), f"write `{number}`", f"`{number}`"
        )
    if rest.startswith("$"):
        return ExpressionError('"$" is not needed: the scope is the root', position, 1, "leave it out")
    # An odd number of quotes means that one of them opens what nothing closes.
    if rest[0] in "'\"`" and text.count(rest[0]) % 2:
        return ExpressionError("the quoted text that begins here never ends", position, 1, f"close it with {rest[0]}")
    known = (
        _explain_curved_quotes(text, position)
        or _explain_unquoted_key(text, position)
        or _explain_single_quotes(text, position)
        or _explain_foreign_sign(text, position)
    )
    return known or ExpressionError(f'"{token}" is not allowed here', position, len(token))


def _explain_unquoted_key(text: str, position: int) -> ExpressionError | None:
    """Explain a key that needs quotes, such as `größe` or `content-type`."""
    for found in _KEY_LIKE.finditer(text):
        if found.start() <= position < found.end() and not (found[0].isascii() and found[0].isidentifier()):
            quoted = f'"{found[0]}"'
            minus = "; there is no arithmetic in expressions" if "-" in found[0] else ""
            message, remedy = "a key with this character must be in double quotes", f"write {quoted[:80]}{minus}"
            return ExpressionError(message, found.start(), len(found[0]), remedy, "" if minus else quoted)
    return None


def _explain_single_quotes(text: str, position: int) -> ExpressionError | None:
    """Explain a key in single quotes, as in `answer.'content-type'`."""
    found = _QUOTED_TEXT.match(text, position)
    if found is None or not text[:position].endswith("."):
        return None
    message, wanted = "a key must be in double quotes; single quotes make a text", f'"{found[1]}"'
    return ExpressionError(message, position, len(found[0]), f"write {wanted[:80]}", wanted)


def _explain_foreign_sign(text: str, position: int) -> ExpressionError | None:
    """Explain an operator of another language at the position or across it."""
    for sign, here, remedy in _FOREIGN_SIGNS:
        # The parser may stop in the middle of an operator, such as at the second sign of `=!`.
        for at in range(position, max(position - len(sign), -1), -1):
            if text.startswith(sign, at):
                message = f'"{sign}" is written {here} here' if here else f'there is no "{sign}" here'
                return ExpressionError(message, at, len(sign), remedy, here)
    return None


def _explain_unfinished(text: str) -> ExpressionError:
    for opening, closing in ("()", "[]", "{}"):
        if text.count(opening) > text.count(closing):
            at = text.rindex(opening)
            return ExpressionError(f'this "{opening}" is never closed', at, 1, f'add the missing "{closing}"')
    return ExpressionError("the expression ends too early", max(len(text.rstrip()) - 1, 0))
