"""The parts of an expression and what each of them is over a scope: why the whole is what it is."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .jmespath import ExpressionError, compiled, evaluated
from .unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .unparse import Tree

MOST_PARTS = 24
"""Parts told of one expression."""
MOST_VALUE = 120
"""Characters of a part's value."""
MOST_LOOKED_UP, MOST_LOOKED_UP_VALUE = 6, 60
"""Values of one expression in the decision of a response, and the characters of each."""
_SAYS_NOTHING_ITSELF = ("and_expression", "or_expression", "not_expression", "comparator")
_JOINED = ("and_expression", "or_expression")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an expression.

    Attributes:
        text: the part, as an expression.
        depth: how deep it lies in the whole, from 0.
        value: what it is, as `shortened` tells it; None when it was not looked at or failed.
        state: `known`, `skipped` (what stands before it had decided), or `failed`.
        note: why it failed, or where on its way a path ends in nothing.
    """

    text: str
    depth: int
    value: Any = None
    state: str = "known"
    note: str = ""


def parts(text: str, scope: Mapping[str, Any]) -> tuple[Part, ...]:
    """The parts of an expression, the outer before the inner, and none for what is no more than itself.

    A path or a call is looked up as a whole; what stands behind a decided `&&` or `||` is not looked at, as in the
    library. An expression that cannot be read has no parts.
    """
    try:
        tree = compiled(text).parsed
    except ExpressionError:
        return ()
    found: list[Part] = []
    try:
        for part in _inside(tree, scope, 0):
            found.append(part)
            if len(found) == MOST_PARTS:
                break
    except RecursionError:
        return tuple(found)
    return tuple(found)


def looked_up(text: str, scope: Mapping[str, Any]) -> dict[str, Any]:
    """What an expression looks up and calls, each with what it is: a few, and short, to stand in every response."""
    try:
        tree = compiled(text).parsed
    except ExpressionError:
        return {}
    found: dict[str, Any] = {}
    waiting = [tree]
    while waiting and len(found) < MOST_LOOKED_UP:
        node = waiting.pop(0)
        if node["type"] in _SAYS_NOTHING_ITSELF:
            waiting[:0] = node["children"]
        elif node["type"] not in ("literal", "expref"):
            with contextlib.suppress(ExpressionError, RecursionError):
                found[text_of(node)[:MOST_LOOKED_UP_VALUE]] = shortened(evaluated(node, scope), MOST_LOOKED_UP_VALUE)
    return found


def shortened(value: Any, most: int = MOST_VALUE) -> Any:
    """The value itself when it is short; else its JSON cut, behind how much of it there is."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= most:
        return value
    if isinstance(value, str):
        return f"{value[:most]}… ({len(value):,} characters)"
    what = f"{len(value)} items" if isinstance(value, list) else f"{len(value)} fields"
    return f"({what}) {text[:most]}…"


def _inside(tree: Tree, scope: Mapping[str, Any], depth: int) -> Iterator[Part]:
    """The parts of a node, without the node itself, unless it is the path or call that decides by itself."""
    kind = tree["type"]
    if kind in _JOINED:
        yield from _operands(tree, scope, depth)
    elif kind == "comparator":
        for child in tree["children"]:
            yield from _one(child, scope, depth)
    elif kind == "not_expression":
        yield from _one(tree["children"][0], scope, depth)
    elif kind == "function_expression":
        for child in tree["children"]:
            yield from _one(child, scope, depth)
    elif depth == 0:
        yield from _one(tree, scope, depth)


def _operands(tree: Tree, scope: Mapping[str, Any], depth: int) -> Iterator[Part]:
    """The sides of a chain of `&&` or of `||`, each looked at only while nothing before it has decided."""
    settled = False
    for operand in _chain(tree, tree["type"]):
        if settled:
            yield Part(text_of(operand), depth, state="skipped")
            continue
        yield from _one(operand, scope, depth)
        try:
            truth = _truthy(evaluated(operand, scope))
        except ExpressionError:
            settled = True
            continue
        settled = truth if tree["type"] == "or_expression" else not truth


def _chain(tree: Tree, kind: str) -> Iterator[Tree]:
    for child in tree["children"]:
        if child["type"] == kind:
            yield from _chain(child, kind)
        else:
            yield child


def _one(tree: Tree, scope: Mapping[str, Any], depth: int) -> Iterator[Part]:
    if tree["type"] in ("literal", "expref"):
        return
    text = text_of(tree)
    try:
        value = evaluated(tree, scope)
    except ExpressionError as error:
        yield Part(text, depth, state="failed", note=str(error))
    else:
        yield Part(text, depth, shortened(value), note=_where_it_ends(tree, scope) if value is None else "")
    yield from _inside(tree, scope, depth + 1)


def _where_it_ends(tree: Tree, scope: Mapping[str, Any]) -> str:
    """The first name of a path under which there is nothing; empty when it is the last, or no plain path."""
    if tree["type"] != "subexpression":
        return ""
    children = tree["children"]
    for length in range(1, len(children)):
        way = children[0] if length == 1 else {**tree, "children": children[:length]}
        try:
            if evaluated(way, scope) is None:
                return f"{text_of(way)} is null"
        except ExpressionError:
            return ""
    return ""


def _truthy(value: Any) -> bool:
    """As JMESPath has it: 0 is true, and what is empty is false."""
    return bool(value) or (isinstance(value, int | float) and not isinstance(value, bool))
