"""Conversion of an expression's syntax tree back to text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Tree = dict[str, Any]

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
