"""Token positions in an expression, which the library's syntax tree lacks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from jmespath.lexer import Lexer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


Tree = dict[str, Any]
Span = tuple[int, int]
"""Offset and length, in characters."""


def find_path(text: str, path: Sequence[str], index: int) -> Span:
    """Find the `index`-th name of the first occurrence of a path; else the whole text."""
    tokens = _tokenize_expression(text)
    wanted = list(path[: index + 1])
    for at in range(len(tokens)):
        if at and tokens[at - 1]["type"] == "dot":
            continue
        names = tokens[at : at + 2 * len(wanted) : 2]
        if [_read_identifier(token) for token in names[: len(wanted)]] == wanted and _is_dotted(
            tokens, at, len(wanted)
        ):
            return _measure_span(text, tokens, at + 2 * index)
    return 0, len(text)


def find_literal(text: str, value: Any) -> Span:
    """Find the first literal of this value."""
    tokens = _tokenize_expression(text)
    for at, token in enumerate(tokens):
        if token["type"] == "literal" and token["value"] == value and type(token["value"]) is type(value):
            return _measure_span(text, tokens, at)
    return 0, len(text)


def find_function(text: str, name: str) -> Span:
    """Find the first call of this function."""
    tokens = _tokenize_expression(text)
    for at, (token, after) in enumerate(pairwise(tokens)):
        if _read_identifier(token) == name and after["type"] == "lparen":
            return _measure_span(text, tokens, at)
    return 0, len(text)


def find_token(text: str, kind: str) -> Span:
    """Find the first token of this kind."""
    tokens = _tokenize_expression(text)
    return next(
        (_measure_span(text, tokens, at) for at, token in enumerate(tokens) if token["type"] == kind), (0, len(text))
    )


def bracket_mixed_operators(text: str) -> str:
    """Return the text with brackets around each `&&` that is mixed with `||` without them."""
    inserted: list[tuple[int, str]] = []
    groups = [_OperatorGroup(0)]
    for token in _tokenize_expression(text):
        kind, start = token["type"], int(token["start"])
        if kind in _OPENING_TOKENS:
            groups.append(_OperatorGroup(start + len(str(token["value"]))))
        elif kind in _CLOSING_TOKENS or kind in _SEPARATORS:
            inserted += groups.pop().list_brackets(text, start)
            if kind in _SEPARATORS:
                groups.append(_OperatorGroup(start + 1))
        elif kind in ("and", "or"):
            groups[-1].operators.append((kind, start))
    # From the end, so that no bracket moves the offset of the next one.
    for offset, bracket in sorted(inserted, reverse=True):
        text = text[:offset] + bracket + text[offset:]
    return text


_OPENING_TOKENS = frozenset({"lparen", "lbracket", "lbrace", "filter"})
_CLOSING_TOKENS = frozenset({"rparen", "rbracket", "rbrace", "eof"})
_SEPARATORS = frozenset({"comma", "colon", "pipe"})


@dataclass(slots=True)
class _OperatorGroup:
    """The operators between two brackets or separators, and the offset of the first character there."""

    start: int
    operators: list[tuple[str, int]] = field(default_factory=list)

    def list_brackets(self, text: str, end: int) -> list[tuple[int, str]]:
        """List the brackets that are missing, with their offsets."""
        if len({kind for kind, _ in self.operators}) < _KINDS:
            return []
        found: list[tuple[int, str]] = []
        start, has_and = self.start, False
        for kind, offset in (*self.operators, ("or", end)):
            if kind == "and":
                has_and = True
                continue
            part = text[start:offset]
            if has_and:
                first = start + len(part) - len(part.lstrip())
                found += [(first, "("), (start + len(part.rstrip()), ")")]
            start, has_and = offset + 2, False
        return found


_KINDS = 2


def map_node_spans(text: str, tree: Tree) -> dict[int, Span]:
    """Map each named node of the tree, by `id`, to its span; empty when in doubt.

    The library parses from left to right, so nodes and tokens in the order of the text correspond.
    """
    tokens = _tokenize_expression(text)
    at = [index for index, token in enumerate(tokens) if token["type"] in _NAMED_TOKENS]
    nodes = [node for node in _iterate_in_text_order(tree) if node["type"] in _NAMED_NODES]
    # A wrong place would be worse than none: the whole expression is marked then.
    if [tokens[index]["value"] for index in at] != [node["value"] for node in nodes]:
        return {}
    # By `id`, since parts that are written alike are equal in the tree.
    return {id(node): _measure_span(text, tokens, index) for node, index in zip(nodes, at, strict=True)}


_NAMED_TOKENS = frozenset({"unquoted_identifier", "quoted_identifier", "literal"})
_NAMED_NODES = frozenset({"field", "function_expression", "key_val_pair", "literal"})


def _iterate_in_text_order(tree: Tree) -> Iterator[Tree]:
    """Iterate over the nodes in the order of the text; a filter's condition is early."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        children = [child for child in node["children"] if isinstance(child, dict)]
        if node["type"] == "filter_projection":
            children = [children[0], children[2], children[1]]
        todo.extend(reversed(children))


@lru_cache(maxsize=4096)
def _tokenize_expression(text: str) -> tuple[dict[str, Any], ...]:
    return tuple(dict(token) for token in Lexer().tokenize(text))


def _read_identifier(token: dict[str, Any]) -> str | None:
    return str(token["value"]) if token["type"] in ("unquoted_identifier", "quoted_identifier") else None


def _is_dotted(tokens: tuple[dict[str, Any], ...], at: int, length: int) -> bool:
    return all(token["type"] == "dot" for token in tokens[at + 1 : at + 2 * length - 1 : 2])


def _measure_span(text: str, tokens: tuple[dict[str, Any], ...], at: int) -> Span:
    """Measure a token up to the next one.

    The library counts the quotes of a token only at its beginning.
    """
    start, after = int(tokens[at]["start"]), int(tokens[at + 1]["start"])
    return start, len(text[start:after].rstrip())
