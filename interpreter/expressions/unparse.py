"""The syntax tree of an expression as text again, so that a part of it can be named."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Tree = dict[str, Any]

_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TIGHTNESS = {"pipe": 1, "or_expression": 2, "and_expression": 3, "comparator": 5, "not_expression": 45}
"""How tightly an operator binds, as the library has it; whatever is not here binds tighter."""
_TIGHTEST = 100
_WHOLE = frozenset({"field", "function_expression", "not_expression", "current"})
_SPREAD = frozenset({"projection", "value_projection", "filter_projection"})
"""What follows one of these goes into each of its members, unless brackets end it."""


def text_of(tree: Tree) -> str:
    """The expression; brackets stand only where they are needed."""
    write = _WRITERS.get(tree["type"])
    return write(tree) if write else "…"


def _tight(tree: Tree, least: int) -> str:
    text = text_of(tree)
    return text if _TIGHTNESS.get(tree["type"], _TIGHTEST) >= least else f"({text})"


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _literal(tree: Tree) -> str:
    value = tree["value"]
    if isinstance(value, str):
        return "'{}'".format(value.replace("'", "\\'"))
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _between(sign: str, least: int) -> Callable[[Tree], str]:
    def write(tree: Tree) -> str:
        left, right = tree["children"]
        return f"{_tight(left, least)} {sign} {_tight(right, least + 1)}"

    return write


def _comparator(tree: Tree) -> str:
    return _between(_SIGNS[tree["value"]], _TIGHTNESS["comparator"])(tree)


def _after_dot(right: Tree) -> str:
    """What follows in a path: nothing for the thing itself, a bracket as it is, a name behind a dot."""
    text = "" if right["type"] == "identity" else _tight(right, _TIGHTNESS["not_expression"] + 1)
    return text if not text or (text.startswith("[") and right["type"] != "multi_select_list") else f".{text}"


def _inner(tree: Tree) -> str:
    return "" if tree["type"] == "identity" else _tight(tree, _TIGHTNESS["not_expression"] + 1)


def _not(tree: Tree) -> str:
    """In the library a `!` binds tighter than a dot, which nobody expects: the brackets say what is meant."""
    inner = tree["children"][0]
    text = text_of(inner)
    return f"!{text}" if inner["type"] in _WHOLE else f"!({text})"


def _path(tree: Tree) -> str:
    first = tree["children"][0]
    head = f"({text_of(first)})" if first["type"] in _SPREAD else _inner(first)
    return "".join([head, *(_after_dot(part) for part in tree["children"][1:])]).lstrip(".")


def _slice(tree: Tree) -> str:
    begin, end, step = ("" if part is None else str(part) for part in tree["children"])
    return f"[{begin}:{end}{f':{step}' if step else ''}]"


def _projection(tree: Tree) -> str:
    left, right = tree["children"]
    sliced = left["type"] == "index_expression" and left["children"][-1]["type"] == "slice"
    sign = "" if left["type"] == "flatten" or sliced else "[*]"
    return f"{_inner(left)}{sign}{_after_dot(right)}"


def _value_projection(tree: Tree) -> str:
    left, right = tree["children"]
    base = _inner(left)
    return f"{base}{'.' if base else ''}*{_after_dot(right)}"


def _filter(tree: Tree) -> str:
    left, right, condition = tree["children"]
    return f"{_inner(left)}[?{text_of(condition)}]{_after_dot(right)}"


def _members(tree: Tree) -> str:
    return ", ".join(text_of(child) for child in tree["children"])


_WRITERS: dict[str, Callable[[Tree], str]] = {
    "and_expression": _between("&&", _TIGHTNESS["and_expression"]),
    "comparator": _comparator,
    "current": lambda _: "@",
    "expref": lambda tree: f"&{text_of(tree['children'][0])}",
    "field": lambda tree: _name(tree["value"]),
    "filter_projection": _filter,
    "flatten": lambda tree: f"{_inner(tree['children'][0])}[]",
    "function_expression": lambda tree: f"{tree['value']}({_members(tree)})",
    "identity": lambda _: "@",
    "index": lambda tree: f"[{tree['value']}]",
    "index_expression": _path,
    "key_val_pair": lambda tree: f"{_name(tree['value'])}: {text_of(tree['children'][0])}",
    "literal": _literal,
    "multi_select_dict": lambda tree: f"{{{_members(tree)}}}",
    "multi_select_list": lambda tree: f"[{_members(tree)}]",
    "not_expression": _not,
    "or_expression": _between("||", _TIGHTNESS["or_expression"]),
    "pipe": _between("|", _TIGHTNESS["pipe"]),
    "projection": _projection,
    "slice": _slice,
    "subexpression": _path,
    "value_projection": _value_projection,
}
"""Kind of node -> how it is written."""
