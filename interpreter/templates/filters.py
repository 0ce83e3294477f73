"""Filters and tests whose work is linear in their value: the ones that plain templates use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .tags import Token

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
