"""Normal form of conditions: order, brackets and negations do not matter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions import ExpressionError, compile_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = dict[str, Any]

_DUAL_OPERATORS = {"and_expression": "or_expression", "or_expression": "and_expression"}
_MIRRORED_OPERATORS = {"eq": "eq", "ne": "ne", "lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
_NEGATED_OPERATORS = {"eq": "ne", "ne": "eq"}
"""Orderings are left out: on anything but numbers they give null, and so does their negation."""


def normalise_condition(text: str | None) -> str:
    """Return equal texts for equal conditions; an invalid one equals only itself."""
    if text is None:
        return ""
    try:
        tree = compile_expression(text).parsed
    except ExpressionError:
        return f"unreadable {text.strip()}"
    return json.dumps(_normalise_tree(tree, negated=False), sort_keys=True, default=str)


def _normalise_tree(tree: Tree, *, negated: bool) -> Any:
    kind = tree["type"]
    if kind == "not_expression":
        return _normalise_tree(tree["children"][0], negated=not negated)
    if kind in _DUAL_OPERATORS:
        joined = _DUAL_OPERATORS[kind] if negated else kind
        parts = {
            json.dumps(_normalise_tree(one, negated=negated), sort_keys=True, default=str)
            for one in _flatten_operands(tree, kind)
        }
        return [joined, sorted(parts)] if len(parts) > 1 else json.loads(parts.pop())
    plain = _normalise_comparison(tree, negated=negated) if kind == "comparator" else None
    if plain is not None:
        return plain
    said = [kind, tree.get("value"), _normalise_children(tree)]
    return ["not_expression", said] if negated else said


def _normalise_children(tree: Tree) -> list[Any]:
    """Normalise the children of a node; those of a slice are numbers."""
    return [_normalise_tree(one, negated=False) if isinstance(one, dict) else one for one in tree["children"]]


def _normalise_comparison(tree: Tree, *, negated: bool) -> Any:
    sign = tree["value"]
    if negated and sign not in _NEGATED_OPERATORS:
        return None
    sign = _NEGATED_OPERATORS[sign] if negated else sign
    left, right = (_normalise_tree(child, negated=False) for child in tree["children"])
    if json.dumps(left, sort_keys=True, default=str) > json.dumps(right, sort_keys=True, default=str):
        left, right, sign = right, left, _MIRRORED_OPERATORS[sign]
    return ["comparator", sign, [left, right]]


def _flatten_operands(tree: Tree, kind: str) -> Iterator[Tree]:
    """Yield the operands of a chain of the same operator."""
    for child in tree["children"]:
        if child["type"] == kind:
            yield from _flatten_operands(child, kind)
        else:
            yield child
