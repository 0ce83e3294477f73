"""Explanation of an expression's value by the values of its parts, which are written as text again."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .error import ExpressionError
from .jmespath import compile_expression, evaluate_tree
from .meter import Budget, measure_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .error import Tree

MAX_PARTS = 24
"""Limit of parts of one expression."""
MAX_VALUE_CHARACTERS = 120
"""Limit of characters of a part's value."""
MAX_LOOKUPS, MAX_LOOKUP_CHARACTERS = 6, 60
"""Limits of values of one expression in a response's decision, and of the characters of each."""
_MAX_CANDIDATES = 24
_MAX_DUMPED = 10_000
"""Size of a value that is converted to JSON as a whole."""
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
        for part in _explain_children(tree, _View(scope, Budget()), 0):
            found.append(part)
            if len(found) == MAX_PARTS:
                break
    except RecursionError:
        return tuple(found)
    return tuple(found)


def collect_lookups(text: str, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the paths and calls of an expression with their values, few and short."""
    try:
        compile_expression(text)
    except ExpressionError:
        return {}
    found: dict[str, Any] = {}
    budget = Budget()
    for name, node in _list_lookups(text):
        if len(found) == MAX_LOOKUPS:
            break
        with contextlib.suppress(ExpressionError, RecursionError):
            found[name] = shorten_value(evaluate_tree(node, scope, budget), MAX_LOOKUP_CHARACTERS)
    return found


@lru_cache(maxsize=512)
def _list_lookups(text: str) -> tuple[tuple[str, Tree], ...]:
    """List the paths and calls of an expression, by their text, in its order."""
    found: list[tuple[str, Tree]] = []
    waiting = [compile_expression(text).parsed]
    while waiting and len(found) < _MAX_CANDIDATES:
        node = waiting.pop()
        if node["type"] in _OPERATORS:
            waiting += reversed(node["children"])
        elif node["type"] not in ("literal", "expref"):
            found.append((unparse_tree(node)[:MAX_LOOKUP_CHARACTERS], node))
    return tuple(found)


def shorten_value(value: Any, most: int = MAX_VALUE_CHARACTERS) -> Any:
    """Return a short value unchanged, else its size and the start of its JSON."""
    if isinstance(value, str):
        is_short = len(value) <= most and len(json.dumps(value, ensure_ascii=False)) <= most
        return value if is_short else f"{value[:most]}… ({len(value):,} characters)"
    text = _dump_start(value, most)
    if len(text) <= most:
        return value
    what = f"{len(value)} items" if isinstance(value, list) else f"{len(value)} fields"
    return f"({what}) {text[:most]}…"


def _dump_start(value: Any, most: int) -> str:
    """Convert a value to JSON; of a large one only the start, a little longer than `most`."""
    if measure_size((value,), _MAX_DUMPED) <= _MAX_DUMPED:
        return json.dumps(value, ensure_ascii=False)
    text = ""
    for part in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += part
        if len(text) > most:
            break
    return text


class _View(NamedTuple):
    """Scope of the parts of one expression, and the budget that they share."""

    scope: Mapping[str, Any]
    budget: Budget

    def evaluate(self, tree: Tree) -> Any:
        """Evaluate a part."""
        return evaluate_tree(tree, self.scope, self.budget)


def _explain_children(tree: Tree, view: _View, depth: int) -> Iterator[ExpressionPart]:
    """Yield the parts of a node without itself, unless it is a single path or call."""
    kind = tree["type"]
    if kind in _LOGICAL_OPERATORS:
        yield from _explain_operands(tree, view, depth)
    elif kind == "comparator":
        for child in tree["children"]:
            yield from _explain_node(child, view, depth)
    elif kind == "not_expression":
        yield from _explain_node(tree["children"][0], view, depth)
    elif kind == "function_expression":
        for child in tree["children"]:
            yield from _explain_node(child, view, depth)
    elif depth == 0:
        yield from _explain_node(tree, view, depth)


def _explain_operands(tree: Tree, view: _View, depth: int) -> Iterator[ExpressionPart]:
    """Yield the operands of a chain of `&&` or `||`, evaluated until one decides it."""
    settled = False
    for operand in _flatten_chain(tree, tree["type"]):
        if settled:
            yield ExpressionPart(unparse_tree(operand), depth, state="skipped")
            continue
        yield from _explain_node(operand, view, depth)
        try:
            truth = _is_truthy(view.evaluate(operand))
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


def _explain_node(tree: Tree, view: _View, depth: int) -> Iterator[ExpressionPart]:
    if tree["type"] in ("literal", "expref"):
        return
    text = unparse_tree(tree)
    try:
        value = view.evaluate(tree)
    except ExpressionError as error:
        yield ExpressionPart(text, depth, state="failed", note=str(error))
    else:
        yield ExpressionPart(
            text, depth, shorten_value(value), note=_find_null_segment(tree, view) if value is None else ""
        )
    yield from _explain_children(tree, view, depth + 1)


def _find_null_segment(tree: Tree, view: _View) -> str:
    """Find the first segment of a path that is null, unless it is the last."""
    if tree["type"] != "subexpression":
        return ""
    children = tree["children"]
    value = view.scope
    for length, child in enumerate(children[:-1], 1):
        try:
            value = evaluate_tree(child, value, view.budget)
        except ExpressionError:
            return ""
        if value is None:
            prefix = children[0] if length == 1 else {**tree, "children": children[:length]}
            return f"{unparse_tree(prefix)} is null"
    return ""


def _is_truthy(value: Any) -> bool:
    """Return the truth value by JMESPath: 0 is true, and an empty value is false."""
    return bool(value) or (isinstance(value, int | float) and not isinstance(value, bool))


_COMPARATORS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PRECEDENCE = {"pipe": 1, "or_expression": 2, "and_expression": 3, "comparator": 5, "not_expression": 45}
"""Precedence of operators in the library; other nodes bind tighter."""
_MAX_PRECEDENCE = 100
_ATOMIC = frozenset({"field", "function_expression", "not_expression", "current"})
_PROJECTIONS = frozenset({"projection", "value_projection", "filter_projection"})
"""Projections: what follows applies to each member, unless brackets end it."""


def unparse_tree(tree: Tree) -> str:
    """Convert to text, with brackets only where they are needed."""
    write = _WRITER_BY_TYPE.get(tree["type"])
    return write(tree) if write else "…"


def _parenthesize(tree: Tree, least: int) -> str:
    text = unparse_tree(tree)
    return text if _PRECEDENCE.get(tree["type"], _MAX_PRECEDENCE) >= least else f"({text})"


def _quote_name(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _write_literal(tree: Tree) -> str:
    value = tree["value"]
    if isinstance(value, str):
        return "'{}'".format(value.replace("'", "\\'"))
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _make_infix_writer(sign: str, least: int) -> Callable[[Tree], str]:
    def write_infix(tree: Tree) -> str:
        left, right = tree["children"]
        return f"{_parenthesize(left, least)} {sign} {_parenthesize(right, least + 1)}"

    return write_infix


def _write_comparator(tree: Tree) -> str:
    return _make_infix_writer(_COMPARATORS[tree["value"]], _PRECEDENCE["comparator"])(tree)


def _write_tail(right: Tree) -> str:
    """Write the next segment of a path: nothing, a bracket, or a name after a dot."""
    text = "" if right["type"] == "identity" else _parenthesize(right, _PRECEDENCE["not_expression"] + 1)
    return text if not text or (text.startswith("[") and right["type"] != "multi_select_list") else f".{text}"


def _write_operand(tree: Tree) -> str:
    return "" if tree["type"] == "identity" else _parenthesize(tree, _PRECEDENCE["not_expression"] + 1)


def _write_not(tree: Tree) -> str:
    """Write `!` with brackets; in the library it binds tighter than a dot."""
    inner = tree["children"][0]
    text = unparse_tree(inner)
    return f"!{text}" if inner["type"] in _ATOMIC else f"!({text})"


def _write_path(tree: Tree) -> str:
    first = tree["children"][0]
    head = f"({unparse_tree(first)})" if first["type"] in _PROJECTIONS else _write_operand(first)
    return "".join([head, *(_write_tail(part) for part in tree["children"][1:])]).lstrip(".")


def _write_slice(tree: Tree) -> str:
    begin, end, step = ("" if part is None else str(part) for part in tree["children"])
    return f"[{begin}:{end}{f':{step}' if step else ''}]"


def _write_projection(tree: Tree) -> str:
    left, right = tree["children"]
    sliced = left["type"] == "index_expression" and left["children"][-1]["type"] == "slice"
    sign = "" if left["type"] == "flatten" or sliced else "[*]"
    return f"{_write_operand(left)}{sign}{_write_tail(right)}"


def _write_value_projection(tree: Tree) -> str:
    left, right = tree["children"]
    base = _write_operand(left)
    return f"{base}{'.' if base else ''}*{_write_tail(right)}"


def _write_filter(tree: Tree) -> str:
    left, right, condition = tree["children"]
    return f"{_write_operand(left)}[?{unparse_tree(condition)}]{_write_tail(right)}"


def _write_members(tree: Tree) -> str:
    return ", ".join(unparse_tree(child) for child in tree["children"])


_WRITER_BY_TYPE: dict[str, Callable[[Tree], str]] = {
    "and_expression": _make_infix_writer("&&", _PRECEDENCE["and_expression"]),
    "comparator": _write_comparator,
    "current": lambda _: "@",
    "expref": lambda tree: f"&{unparse_tree(tree['children'][0])}",
    "field": lambda tree: _quote_name(tree["value"]),
    "filter_projection": _write_filter,
    "flatten": lambda tree: f"{_write_operand(tree['children'][0])}[]",
    "function_expression": lambda tree: f"{tree['value']}({_write_members(tree)})",
    "identity": lambda _: "@",
    "index": lambda tree: f"[{tree['value']}]",
    "index_expression": _write_path,
    "key_val_pair": lambda tree: f"{_quote_name(tree['value'])}: {unparse_tree(tree['children'][0])}",
    "literal": _write_literal,
    "multi_select_dict": lambda tree: f"{{{_write_members(tree)}}}",
    "multi_select_list": lambda tree: f"[{_write_members(tree)}]",
    "not_expression": _write_not,
    "or_expression": _make_infix_writer("||", _PRECEDENCE["or_expression"]),
    "pipe": _make_infix_writer("|", _PRECEDENCE["pipe"]),
    "projection": _write_projection,
    "slice": _write_slice,
    "subexpression": _write_path,
    "value_projection": _write_value_projection,
}
"""Writers by type of node."""
