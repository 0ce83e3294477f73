"""Checks of conditions: that they are booleans, and that no null or empty list stops a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from .comparisons import suggest_comparison
from .domains import NULL_SAFE_FUNCTIONS, infer_nullness, list_types
from .inference import infer_part
from .scopes import infer_loop
from .shapes import OPERATOR_SYMBOLS, Shape, describe_types
from .sites import find_needed_items, iterate_root_nodes, to_field_path, walk_tree
from .tokens import find_path
from .types import bound_length, infer_json_types, summarize_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.problems import Problem

    from .shapes import InferredType
    from .sites import ExpressionSite
    from .tokens import Tree

_NON_BOOLEAN_TYPES = frozenset({"array", "number", "object", "string"})
_REMEDIES = {
    "array": "test its length, as in `length(items) > `0``",
    "number": "compare it with a number, as in `length(items) > `0``",
    "object": "compare one of its fields",
    "string": "compare it with a string, as in `verdict == 'PASS'`",
}
_MINIMUM_KEYWORDS = {"array": "minItems", "object": "minProperties", "string": "minLength"}

_ORDERING_OPERATORS = frozenset({"lt", "lte", "gt", "gte"})
_LOGICAL_NODES = frozenset({"and_expression", "or_expression"})
_PROJECTIONS = frozenset({"filter_projection", "flatten", "projection"})
_REDUCING_FUNCTIONS = frozenset({"avg", "max", "max_by", "min", "min_by"})
"""Functions whose result is null for an empty list."""


def check_boolean_result(site: ExpressionSite, tree: Tree) -> Iterator[Problem]:
    """Report a part that gives a number, a string, a list or an object."""
    for part, before_and in _find_result_operands(tree):
        value = infer_part(site, part)
        found = infer_json_types(value) - {"null"}
        if not found or "boolean" in found or not found <= _NON_BOOLEAN_TYPES:
            continue
        types = describe_types(found)
        place = site.locate_span((0, len(site.text))) if part is tree else site.locate_parts(part)
        if before_and and not _can_be_empty(value, found):
            if infer_nullness(site, part) != "never":
                continue
            message = f"this part is {types}, which always counts as true; only the part after && decides"
            yield codes.CONSTANT_TEST.make_problem(place, message, help=_REMEDIES[min(found)])
            continue
        subject = "this" if part is tree else "this part of it"
        help_ = suggest_comparison(tree, part) or _REMEDIES[min(found)]
        yield codes.NOT_BOOLEAN.make_problem(place, f'"when" must be a boolean, and {subject} is {types}', help=help_)


def _find_result_operands(tree: Tree, *, before_and: bool = False) -> Iterator[tuple[Tree, bool]]:
    """Find the operands that `&&` and `||` may return, and whether only when empty."""
    if tree["type"] in ("and_expression", "or_expression"):
        left, right = tree["children"]
        yield from _find_result_operands(left, before_and=before_and or tree["type"] == "and_expression")
        yield from _find_result_operands(right, before_and=before_and)
    else:
        yield tree, before_and


def _can_be_empty(value: InferredType, found: frozenset[str]) -> bool:
    """Return whether a value may count as false; 0 counts as true."""
    schema = (value.resolve() or {}) if isinstance(value, Shape) else {}
    if "const" in schema or schema.get("enum"):
        choices = schema.get("enum") or [schema["const"]]
        return any(choice in ("", [], {}) for choice in choices)
    keywords = [_MINIMUM_KEYWORDS[name] for name in found & _MINIMUM_KEYWORDS.keys()]
    return not all(schema.get(keyword) for keyword in keywords)


def check_empty_lists(site: ExpressionSite, tree: Tree, before: Iterable[ExpressionSite]) -> Iterator[Problem]:
    """Report each part that is null when a list is empty, unless something tests the list.

    Args:
        site: the expression, a condition.
        tree: its syntax tree.
        before: the conditions that are false when this one is evaluated.
    """
    earlier = [other.text for other in before]
    yield from _check_missing_lists(site, tree, earlier)
    yield from _check_negated_nulls(site, tree, earlier)
    yield from _check_numbers(site, tree, earlier)
    paths = [path for part in _find_fragile_parts(tree) if (path := _find_empty_list(site, part)) is not None]
    for path in dict.fromkeys(paths):
        pattern = _match_path(path)
        if any(pattern.search(text) for text in earlier) or len(pattern.findall(site.text)) > paths.count(path):
            continue
        name = ".".join(path)
        message = f'this is null when "{name}" is empty, and then neither true nor false: the run would fail here'
        help_ = f"write `length({name}) > `0` && …`"
        place = site.locate_span(find_path(site.text, path, len(path) - 1))
        yield codes.MAY_BE_NULL.make_problem(place, message, help=help_)


def _check_negated_nulls(site: ExpressionSite, tree: Tree, earlier: Sequence[str]) -> Iterator[Problem]:
    """Report `!(a > b)` where `a` may be null: the comparison is null then, and its negation true."""
    for negation in (node for node in iterate_root_nodes(tree) if node["type"] == "not_expression"):
        orders = (node for node in walk_tree(negation) if node["type"] == "comparator")
        for order in (node for node in orders if node["value"] in _ORDERING_OPERATORS):
            left, right = (_find_nullable(site, part) for part in order["children"])
            path = left or right
            if path is not None and not _is_tested(site, path, earlier):
                sign = OPERATOR_SYMBOLS[_OPPOSITES[order["value"] if left else _MIRRORED[order["value"]]]]
                name = ".".join(path)
                message = f'"{name}" may be null, and then the comparison is null and its negation true'
                help_ = f"write `{name} != null && {name} {sign} …`, or test for null in a rule before"
                place = site.locate_span(find_path(site.text, path, len(path) - 1))
                yield codes.NEGATED_NULL.make_problem(place, message, help=help_)


_MIRRORED = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
_OPPOSITES = {"lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}


def _find_nullable(site: ExpressionSite, part: Tree) -> tuple[str, ...] | None:
    path = to_field_path(part)
    return path if path is not None and infer_nullness(site, part) == "known" else None


def _is_tested(site: ExpressionSite, path: tuple[str, ...], earlier: Sequence[str], uses: int = 1) -> bool:
    """Return whether a condition reads a path more often than its fault does, or one before it does."""
    pattern = _match_path(path)
    return any(pattern.search(text) for text in earlier) or len(pattern.findall(site.text)) > uses


def _check_numbers(site: ExpressionSite, tree: Tree, earlier: Sequence[str]) -> Iterator[Problem]:
    """Report `to_number` of a text that need not be a number: it is null then, and so is the comparison."""
    for part in _find_fragile_parts(tree):
        path = to_field_path(part["children"][0]) if part["type"] == "function_expression" else None
        schema = site.find_schema(path) if path is not None and part["value"] == "to_number" else None
        if path is None or schema is None or "string" not in list_types(schema) or schema.keys() & {"enum", "pattern"}:
            continue
        if not _is_tested(site, path, earlier):
            name = ".".join(path)
            message = f'"{name}" is a text, and `to_number` of one that is no number is null: the run would fail here'
            help_ = "give the field `type: number` or `integer`, or a `pattern` of digits"
            place = site.locate_span(find_path(site.text, path, len(path) - 1))
            yield codes.MAY_BE_NULL.make_problem(place, message, help=help_)


def _check_missing_lists(site: ExpressionSite, tree: Tree, earlier: Sequence[str]) -> Iterator[Problem]:
    """Report an argument that goes through a list which may be missing, unless something tests for it."""
    found = [
        (path, outer)
        for part in _find_fragile_parts(tree)
        if (path := _find_projected(part))
        for outer in _find_missing(site, path)
    ]
    for path, outer in dict.fromkeys(found):
        pattern = _match_path(outer)
        uses = sum(other == outer for _, other in found)
        if any(pattern.search(text) for text in earlier) or len(pattern.findall(site.text)) > uses:
            continue
        name = ".".join(path)
        message = f'"{name}" may be null, and then so is this argument, which the function refuses: the run would fail'
        place = site.locate_span(find_path(site.text, path, len(path) - 1))
        yield codes.MAY_BE_NULL.make_problem(place, message, help=f"write `({name} || `[]`)` for the list")


def _find_projected(part: Tree) -> tuple[str, ...] | None:
    """Find the path of the list that a projection goes through."""
    if part["type"] == "subexpression":
        *before, last = part["children"]
        start, end = to_field_path({"type": "subexpression", "children": before}), _find_projected(last)
        return (*start, *end) if start and end else None
    if part["type"] not in _PROJECTIONS:
        return None
    source = part["children"][0]
    return to_field_path(source) or _find_projected(source)


def _find_missing(site: ExpressionSite, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Find the first part of a path that may be missing; the visit of a phase is one part."""
    for length in range(1, len(path) + 1):
        if site.infer_presence(path[:length]) == "maybe":
            yield path[:2] if path[0] == "phases" else path[:length]
            return


def _match_path(path: tuple[str, ...]) -> re.Pattern[str]:
    """Build the pattern of a path in an expression."""
    return re.compile(r"(?<![\w.])" + r"\s*\.\s*".join(map(re.escape, path)) + r"(?!\w)")


def _find_fragile_parts(tree: Tree) -> Iterator[Tree]:
    """Find the parts that must not be null: operands of an order, arguments, and what may be the result."""
    yield from _find_result_parts(tree)
    for node in iterate_root_nodes(tree):
        is_order = node["type"] == "comparator" and node["value"] in _ORDERING_OPERATORS
        is_strict_call = node["type"] == "function_expression" and node["value"] not in NULL_SAFE_FUNCTIONS
        if is_order or is_strict_call:
            yield from node["children"]


def _find_result_parts(tree: Tree) -> Iterator[Tree]:
    if tree["type"] in _LOGICAL_NODES:
        for child in tree["children"]:
            yield from _find_result_parts(child)
    else:
        yield tree


def _find_empty_list(site: ExpressionSite, part: Tree) -> tuple[str, ...] | None:
    """Find the path of the list whose item the part needs, if it may be empty."""
    for listed, least in _find_lists(part):
        path = to_field_path(listed)
        shape = infer_part(site, listed)
        if path is None or not isinstance(shape, Shape) or infer_json_types(shape) - {"null"} != {"array"}:
            continue
        minimum = (shape.resolve() or {}).get("minItems", 0)
        if path == ("answers",):  # one for each item of the loop
            loop = infer_loop(site.view, site.phase)
            minimum = bound_length(summarize_schema(loop))["minimum"] if isinstance(loop, Shape) else minimum
        if minimum < least:
            return path
    return None


def _find_lists(part: Tree) -> Iterator[tuple[Tree, int]]:
    """Find the lists of which the part takes an item, each with the number of items that it needs."""
    if part["type"] == "function_expression" and part["value"] in _REDUCING_FUNCTIONS:
        yield part["children"][0], 1
    yield from find_needed_items(part)
