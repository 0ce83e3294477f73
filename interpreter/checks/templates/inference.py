"""Types of the expressions in a template's tags, and what their operators do not take."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Shape, UnknownName, describe_types, infer_values, resolve_path
from aurora.interpreter.problems import codes, did_you_mean, list_names

from .expression import UnreadableError, parse_expression
from .fault import TemplateFault
from .filters import check_filter, infer_filter
from .values import (
    OWN,
    build_list,
    build_literal,
    build_value,
    infer_iterated,
    infer_subscript,
    list_types,
    unite_values,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aurora.interpreter.checks.expressions import Namespace
    from aurora.interpreter.templates import Token

    from .expression import Node

    Value = Namespace | Shape | None

_MAX_TOKENS = 160
"""Tokens of an expression that is read; the types of a longer one are unknown."""
_ORDERING = frozenset({"<", "<=", ">", ">="})
_COMPARISONS = _ORDERING | {"==", "!="}
_NUMERIC = frozenset({"number", "boolean"})
_CONTAINERS = frozenset({"array", "object", "string"})
_REPEATABLE = frozenset({"array", "string"})
_TEXT_METHODS = frozenset({"capitalize", "lower", "lstrip", "replace", "rstrip", "strip", "title", "upper", "join"})


class TypeInference:
    """Inference over the names of a place of the template; it collects the faults it comes upon."""

    def __init__(self, find_name: Callable[[str], Value]) -> None:
        self._find_name = find_name
        self.faults: list[TemplateFault] = []

    def infer_tokens(self, tokens: Sequence[Token]) -> Value:
        """Infer the expression that the tokens are; unknown when they are none, or more than 160."""
        if not tokens or len(tokens) > _MAX_TOKENS:
            return None
        try:
            return self._infer(parse_expression(tokens))
        except UnreadableError:
            return None

    def _infer(self, node: Node) -> Value:
        if node.kind == "name":
            return self._find_name(node.word)
        if node.kind == "literal":
            return build_literal(node.value)
        infer = {"field": self._infer_field, "call": self._infer_call, "filter": self._infer_filter}.get(node.kind)
        if infer is not None:
            return infer(node)
        values = [self._infer(child) for child in (*node.children, *(part for _, part in node.named))]
        return self._combine(node, values)

    def _combine(self, node: Node, values: Sequence[Value]) -> Value:
        """Infer an expression from the values of its operands."""
        if node.kind in ("list", "object"):
            return _build_collection(node, values)
        if node.kind in ("item", "slice"):
            is_kept = node.kind == "slice" and list_types(values[0]) <= _REPEATABLE
            return values[0] if is_kept else infer_subscript(values[0]) if node.kind == "item" else None
        if node.kind == "choice":
            return unite_values(values[0], values[2]) if len(values) > 2 else None  # noqa: PLR2004 - with an else
        if node.kind == "unary" and node.word == "-":
            return self._infer_negative(node, values[0])
        if node.kind == "binary":
            return self._infer_binary(node, values[0], values[1])
        return build_value("a test", "boolean")

    def _infer_field(self, node: Node) -> Value:
        value = self._infer(node.children[0])
        found = resolve_path(value, (node.word,))
        if isinstance(found, UnknownName):
            if not _is_path(node.children[0]):  # the fields of a path are checked where it is read
                choices = f"; expected one of {list_names(found.known)}" if found.known else ""
                help_ = did_you_mean(node.word, found.known)
                self.faults.append(
                    TemplateFault(codes.TEMPLATE_VARIABLE, node.span, f"{found.sentence}{choices}", help_)
                )
            return None
        return found

    def _infer_call(self, node: Node) -> Value:
        """Infer a function's result, or that of a method of Python."""
        called = node.children[0]
        for part in (*node.children[1:], *(part for _, part in node.named)):
            self._infer(part)
        if called.kind != "field":
            is_range = called.kind == "name" and called.word == "range"
            return build_list('the result of "range"', build_value("a number", "number")) if is_range else None
        value = self._infer(called.children[0])
        label = f'the result of "{called.word}"'
        if list_types(value) == {"object"}:
            results = {"keys": build_list(label, build_value("a key", "string")), "values": infer_values(value)}
            return results.get(called.word, build_list(label, None) if called.word == "items" else None)
        if list_types(value) == {"string"} and called.word in _TEXT_METHODS:
            return build_value(label, "string")
        return None

    def _infer_filter(self, node: Node) -> Value:
        value = self._infer(node.children[0])
        arguments = [self._infer(child) for child in node.children[1:]]
        for _, part in node.named:
            self._infer(part)
        self.faults.extend(check_filter(node, value))
        return infer_filter(node, value, arguments)

    def _infer_negative(self, node: Node, value: Value) -> Value:
        types = list_types(value)
        if types and "number" not in types:
            self._add_fault(node, f'"-" needs a number, and {_get_label(value)} is {describe_types(types)}')
        return build_value("a number", "number")

    def _infer_binary(self, node: Node, left: Value, right: Value) -> Value:
        if node.word in ("and", "or"):
            return unite_values(left, right)
        if node.word in _COMPARISONS:
            self._check_comparison(node, left, right)
            return build_value("a comparison", "boolean")
        if node.word in ("in", "not in"):
            self._check_membership(node, left, right)
            return build_value("a comparison", "boolean")
        if node.word == "~":
            return build_value("a text", "string")
        return self._infer_arithmetic(node, left, right)

    def _infer_arithmetic(self, node: Node, left: Value, right: Value) -> Value:
        """Infer a sum, a product or the like; report operands that the sign does not take."""
        first, second = list_types(left), list_types(right)
        if not first or not second:
            return None
        results = {_calculate(node.word, one, two) for one in first for two in second}
        if results == {""}:
            message = f'"{node.word}" cannot join {_describe(left, first)} and {_describe(right, second)}'
            help_ = "write `~` to join texts" if node.word == "+" and "string" in first | second else ""
            if node.word != "+":
                message = f'"{node.word}" needs numbers, not {_describe(left, first)} and {_describe(right, second)}'
            self._add_fault(node, message, help_)
        known = sorted(results - {""})
        return build_value(f'the result of "{node.word}"', *known) if known else None

    def _check_comparison(self, node: Node, left: Value, right: Value) -> None:
        """Report values of different types, which no order and no equality joins."""
        first, second = list_types(left), list_types(right)
        if not first or not second or first & second or (first | second) <= _NUMERIC:
            return
        is_ordering = node.word in _ORDERING
        if not is_ordering and any(child.kind == "literal" for child in node.children):
            return  # checked with the literals that a path is compared with
        what = "cannot order" if is_ordering else "always gives the same: it compares"
        message = f'"{node.word}" {what} {_describe(left, first)} and {_describe(right, second)}'
        help_ = "make it a number: `| int`" if is_ordering and first | second == {"number", "string"} else ""
        self._add_fault(node, message, help_)

    def _check_membership(self, node: Node, left: Value, right: Value) -> None:
        """Report a right side that contains nothing, and items that are never of the type that is sought."""
        types, sought = list_types(right), list_types(left)
        items = list_types(infer_iterated(right)) if types == {"array"} else frozenset()
        if types and not types & _CONTAINERS:
            self._add_fault(node, f'"{node.word}" needs a list, an object or a text, not {_describe(right, types)}')
        elif sought and items and not sought & items and not any(child.kind == "literal" for child in node.children):
            listed = f"{_get_label(right)}, each of which is {describe_types(items)}"
            self._add_fault(node, f"no item of {listed}, equals {_describe(left, sought)}")

    def _add_fault(self, node: Node, message: str, help_: str = "") -> None:
        self.faults.append(TemplateFault(codes.OPERAND_TYPES, node.span, message, help_))


def _build_collection(node: Node, values: Sequence[Value]) -> Value:
    """Build the shape of a list or an object that is written in the template."""
    if node.kind == "object":
        return build_value("an object of the template", "object", **{OWN: True})
    return build_list("a list of the template", reduce(unite_values, values) if values else None)


def _calculate(sign: str, left: str, right: str) -> str:
    """Return the type of a result; empty where the sign refuses the types. Measured with minijinja 3."""
    if left in _NUMERIC and right in _NUMERIC:
        return "number"
    if sign == "+":
        return left if left == right and left in _REPEATABLE else ""
    if sign == "*" and {left, right} & _REPEATABLE and "number" in (left, right):
        return left if left in _REPEATABLE else right
    return ""


def _is_path(node: Node) -> bool:
    """Return whether the node is a name with fields and subscripts only."""
    while node.kind == "field" or (node.kind == "item" and node.children[1].kind == "literal"):
        node = node.children[0]
    return node.kind == "name"


def _get_label(value: Value) -> str:
    return value.label if isinstance(value, Shape) else "it"


def _describe(value: Value, types: frozenset[str]) -> str:
    return f"{_get_label(value)} ({describe_types(types)})"
