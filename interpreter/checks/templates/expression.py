"""Parser of the expressions in a template's tags: operators, filters, tests, fields and calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.templates import Token

    Span = tuple[int, int]

MAX_DEPTH = 60
"""Levels of brackets and operators that are read; what is deeper is unknown."""
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "none": None, "True": True, "False": False, "None": None}
_LEVELS = (frozenset({"+", "-"}), frozenset({"~"}), frozenset({"*", "/", "//", "%"}), frozenset({"**"}))
"""The signs of the library's grammar, from those that bind least."""
_CLOSERS = {"(": ")", "[": "]", "{": "}"}


class UnreadableError(ValueError):
    """The tokens are no expression that this parser reads."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression.

    Attributes:
        kind: `name`, `literal`, `list`, `object`, `field`, `item`, `slice`, `call`, `filter`, `test`, `unary`, `binary`
            or `choice`.
        word: its name, field, filter, test or sign; empty for other kinds.
        span: the place of that word in the template; of a literal, the whole.
        children: its operands; of a filter, call or test first the value and then the arguments without a name; of a
            choice the value, the condition and the other value if there is one.
        named: the arguments with a name.
        value: a literal's value.
    """

    kind: str
    word: str
    span: Span
    children: tuple[Node, ...] = ()
    named: tuple[tuple[str, Node], ...] = ()
    value: Any = None


def parse_expression(tokens: Sequence[Token]) -> Node:
    """Parse the tokens of an expression.

    Raises:
        UnreadableError: they are not one, or are nested more than 60 levels deep.
    """
    parser = _Parser(tokens)
    node = parser.parse_choice()
    if parser.at < len(tokens):
        raise UnreadableError
    return node


class _Parser:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self.at = 0
        self._depth = 0

    def parse_choice(self) -> Node:
        """Parse `value if condition else other`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadableError
        node = self._parse_logic(("or", "and"))
        while self._peek() == "if":
            token = self._take()
            parts = [node, self._parse_logic(("or", "and"))]
            if self._peek() == "else":
                self._take()
                parts.append(self.parse_choice())
            node = Node("choice", "if", token.span, tuple(parts))
        self._depth -= 1
        return node

    def _parse_logic(self, words: tuple[str, ...]) -> Node:
        if not words:
            return self._parse_negation()
        node = self._parse_logic(words[1:])
        while self._peek() == words[0]:
            token = self._take()
            node = Node("binary", token.text, token.span, (node, self._parse_logic(words[1:])))
        return node

    def _parse_negation(self) -> Node:
        signs = []
        while self._peek() == "not":
            signs.append(self._take())
        node = self._parse_comparison()
        for token in reversed(signs):
            node = Node("unary", "not", token.span, (node,))
        return node

    def _parse_comparison(self) -> Node:
        node = self._parse_operators(0)
        while True:
            word = self._peek()
            if word in _COMPARISONS or word == "in":
                token = self._take()
                node = Node("binary", token.text, token.span, (node, self._parse_operators(0)))
            elif word == "not" and self._peek(1) == "in":
                self._take()
                token = self._take()
                node = Node("binary", "not in", token.span, (node, self._parse_operators(0)))
            else:
                return node

    def _parse_operators(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._parse_sign()
        node = self._parse_operators(level + 1)
        while self._peek() in _LEVELS[level]:
            token = self._take()
            node = Node("binary", token.text, token.span, (node, self._parse_operators(level + 1)))
        return node

    def _parse_sign(self) -> Node:
        signs = []
        while self._peek() == "-":
            signs.append(self._take())
        node = self._parse_primary()
        for token in reversed(signs):
            node = Node("unary", "-", token.span, (node,))
        return self._parse_filters(node)

    def _parse_primary(self) -> Node:
        token = self._take()
        if token.kind == "name":
            is_constant = token.text in _CONSTANTS
            node = (
                Node("literal", "", token.span, value=_CONSTANTS[token.text])
                if is_constant
                else Node("name", token.text, token.span)
            )
        elif token.kind == "string":
            node = Node("literal", "", token.span, value=token.text[1:-1])
        elif token.kind == "number":
            text = token.text.replace("_", "")
            node = Node("literal", "", token.span, value=float(text) if "." in text else int(text[:300]))
        elif token.text == "(":
            node = self._parse_group(token)
        elif token.text in ("[", "{"):
            node = self._parse_collection(token)
        else:
            raise UnreadableError
        return self._parse_postfix(node)

    def _parse_group(self, opener: Token) -> Node:
        if self._peek() == ")":
            self._take()
            return Node("list", "", opener.span)
        parts = [self.parse_choice()]
        while self._peek() == ",":
            self._take()
            if self._peek() != ")":
                parts.append(self.parse_choice())
            else:
                break
        is_list = self._tokens[self.at - 1].text == "," or len(parts) > 1
        self._expect(")")
        return Node("list", "", opener.span, tuple(parts)) if is_list else parts[0]

    def _parse_collection(self, opener: Token) -> Node:
        closer, parts = _CLOSERS[opener.text], []
        while self._peek() != closer:
            part = self.parse_choice()
            if opener.text == "{":
                self._expect(":")
                part = self.parse_choice()
            parts.append(part)
            if self._peek() != closer:
                self._expect(",")
        self._take()
        return Node("list" if opener.text == "[" else "object", "", opener.span, tuple(parts))

    def _parse_postfix(self, node: Node) -> Node:
        while self._peek() in (".", "[", "("):
            token = self._take()
            if token.text == ".":
                name = self._take()
                if name.kind != "name":
                    raise UnreadableError
                node = Node("field", name.text, name.span, (node,))
            elif token.text == "[":
                node = self._parse_item(node, token)
            else:
                node = Node("call", "", token.span, *self._parse_arguments(node))
        return node

    def _parse_item(self, node: Node, opener: Token) -> Node:
        """Parse what stands in square brackets; a part of a list, `[1:]`, keeps the list's type."""
        inner: list[Node] = []
        is_slice = False
        while self._peek() != "]":
            if self._peek() == ":":
                self._take()
                is_slice = True
            else:
                inner.append(self.parse_choice())
        self._take()
        if is_slice:
            return Node("slice", "", opener.span, (node, *inner))
        if len(inner) != 1:
            raise UnreadableError
        if inner[0].kind == "literal" and isinstance(inner[0].value, str):
            return Node("field", inner[0].value, inner[0].span, (node,))
        return Node("item", "", opener.span, (node, inner[0]))

    def _parse_filters(self, node: Node) -> Node:
        """Parse the filters and tests behind a value: `x | first is defined`."""
        while self._peek() in ("|", "is"):
            is_filter = self._take().text == "|"
            is_negated = not is_filter and self._peek() == "not"
            if is_negated:
                self._take()
            name = self._take()
            if name.kind != "name":
                raise UnreadableError
            arguments: tuple[tuple[Node, ...], tuple[tuple[str, Node], ...]] = ((node,), ())
            if self._peek() == "(":
                self._take()
                arguments = self._parse_arguments(node)
            elif not is_filter and self._starts_value():
                arguments = ((node, self._parse_primary()), ())
            node = self._parse_postfix(Node("filter" if is_filter else "test", name.text, name.span, *arguments))
            if is_negated:
                node = Node("unary", "not", name.span, (node,))
        return node

    def _starts_value(self) -> bool:
        """Return whether a test's argument without brackets follows: `is divisibleby 2`."""
        if self.at >= len(self._tokens):
            return False
        token = self._tokens[self.at]
        words = {"and", "or", "not", "if", "else", "in", "is", "recursive"}
        return token.kind in ("number", "string") or (token.kind == "name" and token.text not in words)

    def _parse_arguments(self, first: Node) -> tuple[tuple[Node, ...], tuple[tuple[str, Node], ...]]:
        """Parse arguments up to the closing bracket; the value that is called or filtered stands before them."""
        positional, named = [first], []
        while self._peek() != ")":
            if self._peek(1) == "=":
                name = self._take()
                self._take()
                named.append((name.text, self.parse_choice()))
            else:
                positional.append(self.parse_choice())
            if self._peek() != ")":
                self._expect(",")
        self._take()
        return tuple(positional), tuple(named)

    def _peek(self, further: int = 0) -> str:
        """Return the text of a token that follows, and nothing for a string or behind the last."""
        at = self.at + further
        return self._tokens[at].text if at < len(self._tokens) and self._tokens[at].kind != "string" else ""

    def _take(self) -> Token:
        if self.at >= len(self._tokens):
            raise UnreadableError
        self.at += 1
        return self._tokens[self.at - 1]

    def _expect(self, text: str) -> None:
        if self._take().text != text:
            raise UnreadableError
