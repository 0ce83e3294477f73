"""Compilation of a syntax tree to Python functions that count their work.

The results are those of the library's interpreter. Each node of the tree becomes a function of a value and a budget. A
projection charges its elements, times the nodes that it evaluates for each, before it begins, so that the work between
two charges is at most that of the nodes of the text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from .budget import Budget
from .functions import ExpressionReference, call_function, charge_equality

if TYPE_CHECKING:
    from .unparse import Tree

Evaluate = Callable[[Any, Budget], Any]

MAX_COPIES = 32
"""Copies of one value in a result whose size is not measured; `[@, @]` makes two, and `[@, @] | [@, @]` four."""
_CHARACTERS_PER_STEP = 64
_EQUALITY = ("eq", "ne")
_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "gt": operator.gt,
    "lte": operator.le,
    "gte": operator.ge,
}


def compile_expression_tree(tree: Tree) -> Evaluate:
    """Compile the tree of an expression; the function checks the size of a result with many copies.

    The depth of the tree is within `MAX_DEPTH`.
    """
    evaluate = compile_tree(tree)
    if measure_copies(tree) <= MAX_COPIES:
        return evaluate

    def evaluate_checked(value: Any, budget: Budget) -> Any:
        result = evaluate(value, budget)
        budget.check_result(result)
        return result

    return evaluate_checked


def compile_tree(tree: Tree) -> Evaluate:
    """Compile a part of a syntax tree."""
    return _COMPILERS[tree["type"]](tree)


def measure_copies(tree: Tree) -> int:
    """Return how many times an expression can put one value into its result, at most."""
    copies = [measure_copies(child) for child in tree["children"] if isinstance(child, dict)]
    kind = tree["type"]
    if kind in ("multi_select_list", "multi_select_dict"):
        return sum(copies)
    if kind == "function_expression":
        return max(sum(copies), 1) if tree["value"] != "map" else prod(copies)
    if kind in ("comparator", "not_expression"):
        return 1
    if kind in ("or_expression", "and_expression"):
        return max(copies)
    return prod(copies[:2] if kind == "filter_projection" else copies)


def _count_nodes(tree: Tree) -> int:
    """Count the nodes of a tree, and the characters of its literals."""
    count = 0
    todo = [tree]
    while todo:
        node = todo.pop()
        value = node.get("value")
        count += 1 + (len(value) // _CHARACTERS_PER_STEP if isinstance(value, str) else 0)
        todo += [child for child in node["children"] if isinstance(child, dict)]
    return count


def _is_false(value: Any) -> bool:
    """Return the truth value by JMESPath: 0 is true, and an empty value is false."""
    return value is None or value is False or (isinstance(value, str | list | dict) and not value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_equal(left: Any, right: Any, budget: Budget) -> bool:
    """Compare as the library does: 0 and 1 are not false and true, outside of lists and objects."""
    if isinstance(left, bool) is not isinstance(right, bool) and (_is_number(left) or _is_number(right)):
        return False
    charge_equality(left, right, budget)
    return bool(left == right)


def _compile_identity(_: Tree) -> Evaluate:
    return lambda value, _: value


def _compile_field(tree: Tree) -> Evaluate:
    name = tree["value"]

    def get_field(value: Any, _: Budget) -> Any:
        try:
            return value.get(name)
        except AttributeError:
            return None

    return get_field


def _compile_literal(tree: Tree) -> Evaluate:
    literal = tree["value"]
    return lambda _, __: literal


def _compile_path(tree: Tree) -> Evaluate:
    names = [child["value"] if child["type"] == "field" else "" for child in tree["children"]]
    if len(names) == len(("phases", "NAME", "answers")) and names[0] == "phases" and names[2] in _LISTS:
        return _compile_visits(names[1], names[2])
    parts = [compile_tree(child) for child in tree["children"]]
    if len(parts) == 2:  # noqa: PLR2004 - the usual case, without a loop
        first, second = parts
        return lambda value, budget: second(first(value, budget), budget)

    def follow_path(value: Any, budget: Budget) -> Any:
        for part in parts:
            value = part(value, budget)
        return value

    return follow_path


_LISTS = ("answers", "results")


def _compile_visits(phase: str, field: str) -> Evaluate:
    """Compile `phases.NAME.answers` or `.results`.

    Of a phase that has not run, the list is empty and not null.
    """

    def get_visits(value: Any, _: Budget) -> Any:
        phases = value.get("phases") if isinstance(value, dict) else None
        if not isinstance(phases, dict) or not phase:
            return None
        record = phases.get(phase)
        return [] if record is None else record.get(field) if isinstance(record, dict) else None

    return get_visits


def _compile_index(tree: Tree) -> Evaluate:
    index = tree["value"]

    def get_item(value: Any, _: Budget) -> Any:
        if not isinstance(value, list):
            return None
        try:
            return value[index]
        except IndexError:
            return None

    return get_item


def _compile_slice(tree: Tree) -> Evaluate:
    part = slice(*tree["children"])

    def slice_list(value: Any, budget: Budget) -> Any:
        if not isinstance(value, list):
            return None
        budget.charge(len(value))
        return value[part]

    return slice_list


def _compile_comparator(tree: Tree) -> Evaluate:
    left, right = (compile_tree(child) for child in tree["children"])
    sign = tree["value"]
    if sign in _EQUALITY:
        wanted = sign == "eq"
        return lambda value, budget: _are_equal(left(value, budget), right(value, budget), budget) is wanted
    compare = _ORDERINGS[sign]

    def compare_values(value: Any, budget: Budget) -> Any:
        one, other = left(value, budget), right(value, budget)
        if not all(_is_number(each) or isinstance(each, str) for each in (one, other)):
            return None
        charge_equality(one, other, budget)
        return compare(one, other)

    return compare_values


def _compile_or(tree: Tree) -> Evaluate:
    left, right = (compile_tree(child) for child in tree["children"])

    def choose_first_true(value: Any, budget: Budget) -> Any:
        found = left(value, budget)
        return right(value, budget) if _is_false(found) else found

    return choose_first_true


def _compile_and(tree: Tree) -> Evaluate:
    left, right = (compile_tree(child) for child in tree["children"])

    def choose_first_false(value: Any, budget: Budget) -> Any:
        found = left(value, budget)
        return found if _is_false(found) else right(value, budget)

    return choose_first_false


def _compile_not(tree: Tree) -> Evaluate:
    inner = compile_tree(tree["children"][0])

    def negate(value: Any, budget: Budget) -> bool:
        found = inner(value, budget)
        return not found and not _is_number(found)

    return negate


def _compile_list(tree: Tree) -> Evaluate:
    parts = [compile_tree(child) for child in tree["children"]]

    def build_list(value: Any, budget: Budget) -> Any:
        return None if value is None else [part(value, budget) for part in parts]

    return build_list


def _compile_dict(tree: Tree) -> Evaluate:
    parts = [(child["value"], compile_tree(child)) for child in tree["children"]]

    def build_dict(value: Any, budget: Budget) -> Any:
        return None if value is None else {name: part(value, budget) for name, part in parts}

    return build_dict


def _compile_pair(tree: Tree) -> Evaluate:
    return compile_tree(tree["children"][0])


def _compile_flatten(tree: Tree) -> Evaluate:
    inner = compile_tree(tree["children"][0])

    def flatten_list(value: Any, budget: Budget) -> Any:
        base = inner(value, budget)
        if not isinstance(base, list):
            return None
        budget.charge(len(base))
        budget.charge(sum(len(element) for element in base if isinstance(element, list)))
        merged: list[Any] = []
        for element in base:
            if isinstance(element, list):
                merged += element
            else:
                merged.append(element)
        return merged

    return flatten_list


def _compile_projection(tree: Tree) -> Evaluate:
    left, right = (compile_tree(child) for child in tree["children"])
    weight = _count_nodes(tree["children"][1])

    def project_list(value: Any, budget: Budget) -> Any:
        base = left(value, budget)
        if not isinstance(base, list):
            return None
        budget.charge(len(base) * weight)
        return [found for element in base if (found := right(element, budget)) is not None]

    return project_list


def _compile_value_projection(tree: Tree) -> Evaluate:
    left, right = (compile_tree(child) for child in tree["children"])
    weight = _count_nodes(tree["children"][1])

    def project_values(value: Any, budget: Budget) -> Any:
        base = left(value, budget)
        if not isinstance(base, dict):
            return None
        budget.charge(len(base) * weight)
        return [found for element in base.values() if (found := right(element, budget)) is not None]

    return project_values


def _compile_filter(tree: Tree) -> Evaluate:
    left, right, condition = (compile_tree(child) for child in tree["children"])
    weight = sum(_count_nodes(child) for child in tree["children"][1:])

    def filter_list(value: Any, budget: Budget) -> Any:
        base = left(value, budget)
        if not isinstance(base, list):
            return None
        budget.charge(len(base) * weight)
        kept = (element for element in base if not _is_false(condition(element, budget)))
        return [found for element in kept if (found := right(element, budget)) is not None]

    return filter_list


def _compile_reference(tree: Tree) -> Evaluate:
    inner = compile_tree(tree["children"][0])
    weight = _count_nodes(tree["children"][0])
    return lambda _, budget: ExpressionReference(inner, budget, weight)


def _compile_call(tree: Tree) -> Evaluate:
    name = tree["value"]
    parts = [compile_tree(child) for child in tree["children"]]
    return lambda value, budget: call_function(name, [part(value, budget) for part in parts], budget)


_COMPILERS: dict[str, Callable[[Tree], Evaluate]] = {
    "and_expression": _compile_and,
    "comparator": _compile_comparator,
    "current": _compile_identity,
    "expref": _compile_reference,
    "field": _compile_field,
    "filter_projection": _compile_filter,
    "flatten": _compile_flatten,
    "function_expression": _compile_call,
    "identity": _compile_identity,
    "index": _compile_index,
    "index_expression": _compile_path,
    "key_val_pair": _compile_pair,
    "literal": _compile_literal,
    "multi_select_dict": _compile_dict,
    "multi_select_list": _compile_list,
    "not_expression": _compile_not,
    "or_expression": _compile_or,
    "pipe": _compile_path,
    "projection": _compile_projection,
    "slice": _compile_slice,
    "subexpression": _compile_path,
    "value_projection": _compile_value_projection,
}
"""Compilers by type of node."""
