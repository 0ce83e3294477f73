"""Explanation of an expression's value by the values of its parts."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .jmespath import ExpressionError, compile_expression, evaluate_tree
from .unparse import unparse_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .unparse import Tree

MAX_PARTS = 24
"""Limit of parts of one expression."""
MAX_VALUE_CHARACTERS = 120
"""Limit of characters of a part's value."""
MAX_LOOKUPS, MAX_LOOKUP_CHARACTERS = 6, 60
"""Limits of values of one expression in a response's decision, and of the characters of each."""
_OPERATORS = ("and_expression", "or_expression", "not_expression", "comparator")
_LOGICAL_OPERATORS = ("and_expression", "or_expression")


@dataclass(frozen=True, slots=True)
class ExpressionPart:
    """One part of an expression.

    Attributes:
        text: the part, as an expression.
        depth: its depth in the expression, from 0.
        value: its value, shortened; None if it was not evaluated or failed.
        state: `known`, `skipped` (an operand before it decided), or `failed`.
        note: why it failed, or which part of a path is null.
    """

    text: str
    depth: int
    value: Any = None
    state: str = "known"
    note: str = ""


def explain_expression(text: str, scope: Mapping[str, Any]) -> tuple[ExpressionPart, ...]:
    """List the parts of an expression with their values, the outer before the inner.

    A path or a call is evaluated as a unit; operands after a decided `&&` or `||` are skipped, as in the library. An
    expression that cannot be parsed has no parts.
    """
    try:
        tree = compile_expression(text).parsed
    except ExpressionError:
        return ()
    found: list[ExpressionPart] = []
    try:
        for part in _explain_children(tree, scope, 0):
            found.append(part)
            if len(found) == MAX_PARTS:
                break
    except RecursionError:
        return tuple(found)
    return tuple(found)


def collect_lookups(text: str, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the paths and calls of an expression with their values, few and short."""
    try:
        tree = compile_expression(text).parsed
    except ExpressionError:
        return {}
    found: dict[str, Any] = {}
    waiting = [tree]
    while waiting and len(found) < MAX_LOOKUPS:
        node = waiting.pop(0)
        if node["type"] in _OPERATORS:
            waiting[:0] = node["children"]
        elif node["type"] not in ("literal", "expref"):
            with contextlib.suppress(ExpressionError, RecursionError):
                found[unparse_tree(node)[:MAX_LOOKUP_CHARACTERS]] = shorten_value(
                    evaluate_tree(node, scope), MAX_LOOKUP_CHARACTERS
                )
    return found


def shorten_value(value: Any, most: int = MAX_VALUE_CHARACTERS) -> Any:
    """Return a short value unchanged, else its size and the start of its JSON."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= most:
        return value
    if isinstance(value, str):
        return f"{value[:most]}… ({len(value):,} characters)"
    what = f"{len(value)} items" if isinstance(value, list) else f"{len(value)} fields"
    return f"({what}) {text[:most]}…"


def _explain_children(tree: Tree, scope: Mapping[str, Any], depth: int) -> Iterator[ExpressionPart]:
    """Yield the parts of a node without itself, unless it is a single path or call."""
    kind = tree["type"]
    if kind in _LOGICAL_OPERATORS:
        yield from _explain_operands(tree, scope, depth)
    elif kind == "comparator":
        for child in tree["children"]:
            yield from _explain_node(child, scope, depth)
    elif kind == "not_expression":
        yield from _explain_node(tree["children"][0], scope, depth)
    elif kind == "function_expression":
        for child in tree["children"]:
            yield from _explain_node(child, scope, depth)
    elif depth == 0:
        yield from _explain_node(tree, scope, depth)


def _explain_operands(tree: Tree, scope: Mapping[str, Any], depth: int) -> Iterator[ExpressionPart]:
    """Yield the operands of a chain of `&&` or `||`, evaluated until one decides it."""
    settled = False
    for operand in _flatten_chain(tree, tree["type"]):
        if settled:
            yield ExpressionPart(unparse_tree(operand), depth, state="skipped")
            continue
        yield from _explain_node(operand, scope, depth)
        try:
            truth = _is_truthy(evaluate_tree(operand, scope))
        except ExpressionError:
            settled = True
            continue
        settled = truth if tree["type"] == "or_expression" else not truth


def _flatten_chain(tree: Tree, kind: str) -> Iterator[Tree]:
    for child in tree["children"]:
        if child["type"] == kind:
            yield from _flatten_chain(child, kind)
        else:
            yield child


def _explain_node(tree: Tree, scope: Mapping[str, Any], depth: int) -> Iterator[ExpressionPart]:
    if tree["type"] in ("literal", "expref"):
        return
    text = unparse_tree(tree)
    try:
        value = evaluate_tree(tree, scope)
    except ExpressionError as error:
        yield ExpressionPart(text, depth, state="failed", note=str(error))
    else:
        yield ExpressionPart(
            text, depth, shorten_value(value), note=_find_null_segment(tree, scope) if value is None else ""
        )
    yield from _explain_children(tree, scope, depth + 1)


def _find_null_segment(tree: Tree, scope: Mapping[str, Any]) -> str:
    """Find the first segment of a path that is null, unless it is the last."""
    if tree["type"] != "subexpression":
        return ""
    children = tree["children"]
    for length in range(1, len(children)):
        prefix = children[0] if length == 1 else {**tree, "children": children[:length]}
        try:
            if evaluate_tree(prefix, scope) is None:
                return f"{unparse_tree(prefix)} is null"
        except ExpressionError:
            return ""
    return ""


def _is_truthy(value: Any) -> bool:
    """Return the truth value by JMESPath: 0 is true, and an empty value is false."""
    return bool(value) or (isinstance(value, int | float) and not isinstance(value, bool))
