"""When two conditions are the same: whatever their order, their brackets and their negations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.jmespath import ExpressionError, compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = dict[str, Any]

_JOINS = {"and_expression": "or_expression", "or_expression": "and_expression"}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
_OPPOSITE = {"eq": "ne", "ne": "eq"}
"""An ordering of what is no number is null, and so is neither true nor the opposite of its opposite."""


def normal(text: str | None) -> str:
    """The same text for the same condition; one that cannot be read is only the same as itself."""
    if text is None:
        return ""
    try:
        tree = compiled(text).parsed
    except ExpressionError:
        return f"unreadable {text.strip()}"
    return json.dumps(_normal(tree, negated=False), sort_keys=True, default=str)


def _normal(tree: Tree, *, negated: bool) -> Any:
    kind = tree["type"]
    if kind == "not_expression":
        return _normal(tree["children"][0], negated=not negated)
    if kind in _JOINS:
        joined = _JOINS[kind] if negated else kind
        parts = {json.dumps(_normal(one, negated=negated), sort_keys=True, default=str) for one in _flat(tree, kind)}
        return [joined, sorted(parts)] if len(parts) > 1 else json.loads(parts.pop())
    plain = _comparison(tree, negated=negated) if kind == "comparator" else None
    if plain is not None:
        return plain
    said = [kind, tree.get("value"), [_normal(child, negated=False) for child in tree["children"]]]
    return ["not_expression", said] if negated else said


def _comparison(tree: Tree, *, negated: bool) -> Any:
    sign = tree["value"]
    if negated and sign not in _OPPOSITE:
        return None
    sign = _OPPOSITE[sign] if negated else sign
    left, right = (_normal(child, negated=False) for child in tree["children"])
    if json.dumps(left, sort_keys=True, default=str) > json.dumps(right, sort_keys=True, default=str):
        left, right, sign = right, left, _MIRRORED[sign]
    return ["comparator", sign, [left, right]]


def _flat(tree: Tree, kind: str) -> Iterator[Tree]:
    """The operands of a row of the same operator."""
    for child in tree["children"]:
        if child["type"] == kind:
            yield from _flat(child, kind)
        else:
            yield child
