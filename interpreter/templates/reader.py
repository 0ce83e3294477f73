"""Reader of the expressions that plain templates have: whatever has no linear bound is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .tags import Token

MAX_GROWTH = 64
"""Limit of the factor by which the filters of one expression can lengthen a value."""


Path = tuple[str, ...]
"""Names that lead from the scope to a value: `result.chunks`."""


_SHALLOW_WORDS = frozenset({"and", "or", "not", "if", "else"})

_WORDS = _SHALLOW_WORDS | {"in"}

_SIGNS = frozenset({"+", "-", "/", "//", "==", "!=", "<", "<=", ">", ">=", "~"})

_LOOP_FIELDS = frozenset({"depth", "depth0", "first", "index", "index0", "last", "length", "revindex", "revindex0"})

_OTHER_ROOTS = frozenset({"caller", "self", "super"})

_ITEM_FILTERS = frozenset({"default", "d", "list", "reverse"})
"""Filters of a list whose result has the same items."""

_SHALLOW_FILTERS = _ITEM_FILTERS | {"count", "first", "last", "length", "items"}

_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")


class NotPlainError(Exception):
    """A part of a template for which no linear bound is known; the message names it."""


@dataclass(slots=True)
class Reading:
    """An expression as far as its costs go.

    Attributes:
        operators: the number of operators, filters and tests.
        growth: the factor by which its filters can lengthen a value.
        paths: the names that it reads.
        literals: the characters of its strings, and the items of its lists.
        is_free: whether to print it is to pay for it: what it reads is printed as it is, and measured before.
        has_same_items: whether a loop over it has the items of its only path.
        is_shallow: whether its work depends on a list's items only, and not on what is inside them.
    """

    operators: int = 0
    growth: int = 1
    paths: list[Path] = field(default_factory=list)
    literals: int = 0
    is_free: bool = True
    has_same_items: bool = True
    is_shallow: bool = True

    @property
    def weight(self) -> int:
        """Limit of the work per character and node of the values that it reads."""
        return (1 + self.operators) * self.growth


def read_expression(tokens: Sequence[Token]) -> Reading:
    """Read an expression.

    Raises:
        NotPlainError: when its work may not be linear in the values that it reads.
    """
    return _Reader(tokens).read()


class _Reader:
    """Cursor over the tokens of an expression."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._brackets = 0
        self._is_after_operand = False
        self._reading = Reading()

    def read(self) -> Reading:
        """Read all tokens."""
        if not self._tokens:
            raise NotPlainError("an empty expression")
        while self._at < len(self._tokens):
            token = self._take()
            if token.kind == "name":
                self._read_name(token.text)
            elif token.kind == "sign":
                self._read_sign(token.text)
            else:
                self._read_literal(token)
        if self._brackets:
            raise NotPlainError("an open bracket")
        return self._reading

    def _take(self) -> Token:
        if self._at == len(self._tokens):
            raise NotPlainError("an incomplete expression")
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _add_operator(self, *, is_free: bool = False, keeps_items: bool = False, is_shallow: bool = False) -> None:
        self._reading.operators += 1
        self._reading.is_shallow &= is_shallow
        self._reading.is_free &= is_free
        self._reading.has_same_items &= keeps_items

    def _read_literal(self, token: Token) -> None:
        is_short = len(token.text) <= MAX_LITERAL if token.kind == "string" else _NUMBER.fullmatch(token.text)
        if not is_short:
            raise NotPlainError(token.text[:20])
        self._reading.literals += len(token.text)
        self._is_after_operand = True

    def _read_name(self, name: str) -> None:
        if name in _WORDS:
            self._add_operator(is_shallow=name in _SHALLOW_WORDS)
            self._is_after_operand = False
        elif name == "is":
            self._read_test()
        else:
            if name not in CONSTANTS:
                self._read_path(name)
            self._is_after_operand = True

    def _read_test(self) -> None:
        name = self._take().text
        if name == "not":
            name = self._take().text
        if name not in TESTS:
            raise NotPlainError(f'the test "{name[:40]}"')
        self._add_operator(is_shallow=True)
        self._is_after_operand = True

    def _read_path(self, root: str) -> None:
        names = [root]
        while self._peek() == ".":
            self._take()
            names.append(self._take_attribute())
        if not all(name.isascii() for name in names) or root in _OTHER_ROOTS:
            raise NotPlainError(f'"{root[:40]}"')
        if root == "loop":
            if names[1:2] == [] or len(names) != 2 or names[1] not in _LOOP_FIELDS:  # noqa: PLR2004 - `loop.index`
                raise NotPlainError(f'"{".".join(names)[:40]}"')
        else:
            self._reading.paths.append(tuple(names))

    def _take_attribute(self) -> str:
        token = self._take()
        if token.kind != "name":
            raise NotPlainError("a number behind a dot")
        return token.text

    def _read_sign(self, sign: str) -> None:
        if sign in _SIGNS:
            self._add_operator()
            self._is_after_operand = False
        elif sign in ("|", "[", "(", ".") and self._is_after_operand:
            self._read_suffix(sign)
        elif sign in ("(", "["):
            self._brackets += 1
            self._reading.literals += 1
            self._reading.is_free = self._reading.has_same_items = False
        elif sign in (")", "]", ",") and self._brackets:
            self._brackets -= sign != ","
            self._reading.literals += 1
            self._is_after_operand = sign != ","
        else:
            raise NotPlainError(f'"{sign}"')

    def _read_suffix(self, sign: str) -> None:
        """Read what follows an operand: a filter, a subscript or a name after a dot."""
        if sign == "|":
            self._read_filter()
        elif sign == "[":
            self._read_subscript()
        elif sign == ".":
            self._take_attribute()
            self._add_operator(is_shallow=True)
        else:
            raise NotPlainError("a call")

    def _read_filter(self) -> None:
        name = self._take().text
        arguments: list[Token] = []
        if self._peek() == "(":
            self._take()
            while self._peek() != ")":
                arguments.append(self._take())
            self._take()
        found = find_linear_filter(name, arguments)
        if found is None:
            raise NotPlainError(f'the filter "{name[:40]}"')
        self._reading.growth *= found.growth
        if self._reading.growth > MAX_GROWTH:
            raise NotPlainError("filters that lengthen a text")
        is_empty = all(token.text in ("[", "]") for token in arguments)
        self._reading.literals += sum(len(token.text) for token in arguments if not is_empty)
        self._add_operator(
            is_free=found.is_free,
            keeps_items=is_empty and name in _ITEM_FILTERS,
            is_shallow=name in _SHALLOW_FILTERS,
        )

    def _read_subscript(self) -> None:
        """Read `[0]`, `[-1]`, `["name"]` or `[:600]`."""
        inside: list[Token] = []
        while self._peek() != "]":
            inside.append(self._take())
        self._take()
        is_key = [token.kind for token in inside] == ["string"]
        if not is_key and not all(token.kind == "number" or token.text in ("-", ":") for token in inside):
            raise NotPlainError("a subscript that is computed")
        self._add_operator(keeps_items=any(token.text == ":" for token in inside), is_shallow=True)


MAX_LITERAL = 2_000
"""Characters of a string in a plain template."""


MAX_SEPARATOR = 100
"""Characters between the items of `join` in a plain template."""


TESTS = frozenset(
    {"boolean", "defined", "false", "float", "integer", "iterable", "mapping", "none", "number", "sequence", "string"}
    | {"true", "undefined"}
)
"""Tests without arguments that look at the type of a value only."""


CONSTANTS = frozenset({"true", "false", "none", "True", "False", "None"})


_MAX_DEFAULT_ARGUMENTS = 2


@dataclass(frozen=True, slots=True)
class LinearFilter:
    """A filter whose work is linear in its value.

    Attributes:
        growth: the factor by which the result can be longer than the value, in characters and items.
        is_free: whether to print its result is to pay for it: it passes on a value as it is, so that the printed value
            is measured before it becomes a text.
    """

    growth: int = 1
    is_free: bool = False


_WITHOUT_ARGUMENTS = {
    "abs": LinearFilter(),
    "capitalize": LinearFilter(3),  # three characters for one, in some languages
    "count": LinearFilter(),
    "e": LinearFilter(6),  # &#x27;
    "escape": LinearFilter(6),
    "first": LinearFilter(),
    "float": LinearFilter(),
    "int": LinearFilter(),
    "items": LinearFilter(3),  # a list of pairs
    "last": LinearFilter(),
    "length": LinearFilter(),
    "list": LinearFilter(),
    "lower": LinearFilter(3),
    "reverse": LinearFilter(),
    "round": LinearFilter(),
    "safe": LinearFilter(),
    "string": LinearFilter(4),  # quotes, commas and blanks of lists
    "title": LinearFilter(3),
    "tojson": LinearFilter(6),  # \u0027
    "trim": LinearFilter(),
    "upper": LinearFilter(3),
}


def find_linear_filter(name: str, arguments: Sequence[Token]) -> LinearFilter | None:
    """Find a filter by its name and the tokens between its brackets; None when its work may not be linear."""
    if not arguments:
        return _WITHOUT_ARGUMENTS.get(name) or (LinearFilter() if name == "join" else _find_default(name, []))
    values = _split_arguments(arguments)
    if values is None:
        return None
    if name == "replace":
        return _find_replace(values)
    if name == "join":
        is_short = len(values) == 1 and values[0].kind == "string" and len(values[0].text) <= MAX_SEPARATOR
        return LinearFilter(1 + len(values[0].text)) if is_short else None
    if name == "round":
        return LinearFilter() if len(values) == 1 and values[0].text in "0123456789" else None
    return _find_default(name, values)


def _find_default(name: str, values: Sequence[Token]) -> LinearFilter | None:
    return LinearFilter(is_free=True) if name in ("default", "d") and len(values) <= _MAX_DEFAULT_ARGUMENTS else None


def _find_replace(values: Sequence[Token]) -> LinearFilter | None:
    """Return the filter `replace` between two strings; an empty one would be found everywhere."""
    if [value.kind for value in values] != ["string", "string"]:
        return None
    old, new = (value.text[1:-1] for value in values)
    if not old:
        return None
    if "\\" in old + new:  # an escape is at least one character, and at most as long as it is written
        return LinearFilter(max(1, len(new)))
    return LinearFilter(max(1, -(-len(new) // len(old))))


def _split_arguments(tokens: Sequence[Token]) -> list[Token] | None:
    """Return the literals between commas, `[` for an empty list, `{` for an empty object; else None."""
    found: list[Token] = []
    rest = list(tokens)
    while rest:
        token = rest.pop(0)
        if token.text in ("[", "{"):
            if not rest or token.text + rest.pop(0).text not in ("[]", "{}"):
                return None
        elif not (token.kind in ("string", "number") or token.text in CONSTANTS):
            return None
        found.append(token)
        if rest and (rest.pop(0).text != "," or not rest):
            return None
    return found
