"""Check of items of lists that may be empty: they are null, which stops a run in a condition."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from . import inference, tokens
from .domains import NULL_SAFE_FUNCTIONS
from .shapes import Shape
from .tree import find_needed_items, iterate_root_nodes, to_field_path
from .types import infer_json_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.problems import Problem

    from .sites import ExpressionSite
    from .tree import Tree

_ORDERING_OPERATORS = frozenset({"lt", "lte", "gt", "gte"})
_LOGICAL_NODES = frozenset({"and_expression", "or_expression"})
_PROJECTIONS = frozenset({"filter_projection", "flatten", "projection"})
_REDUCING_FUNCTIONS = frozenset({"avg", "max", "max_by", "min", "min_by"})
"""Functions whose result is null for an empty list."""


def check_empty_lists(site: ExpressionSite, tree: Tree, before: Iterable[ExpressionSite]) -> Iterator[Problem]:
    """Report each part that is null when a list is empty, unless something tests the list.

    Args:
        site: the expression, a condition.
        tree: its syntax tree.
        before: the conditions that are false when this one is evaluated.
    """
    yield from _check_missing_lists(site, tree, [other.text for other in before])
    paths = [path for part in _find_fragile_parts(tree) if (path := _find_empty_list(site, part)) is not None]
    earlier = [other.text for other in before]
    for path in dict.fromkeys(paths):
        pattern = _match_path(path)
        if any(pattern.search(text) for text in earlier) or len(pattern.findall(site.text)) > paths.count(path):
            continue
        name = ".".join(path)
        message = f'this is null when "{name}" is empty, and then neither true nor false: the run would fail here'
        help_ = f"write `length({name}) > `0` && …`"
        place = site.locate_span(tokens.find_path(site.text, path, len(path) - 1))
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
        place = site.locate_span(tokens.find_path(site.text, path, len(path) - 1))
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
        shape = inference.infer_part(site, listed)
        if path is None or not isinstance(shape, Shape) or infer_json_types(shape) - {"null"} != {"array"}:
            continue
        minimum = (shape.resolve() or {}).get("minItems", 0)
        if minimum < least:
            return path
    return None


def _find_lists(part: Tree) -> Iterator[tuple[Tree, int]]:
    """Find the lists of which the part takes an item, each with the number of items that it needs."""
    if part["type"] == "function_expression" and part["value"] in _REDUCING_FUNCTIONS:
        yield part["children"][0], 1
    yield from find_needed_items(part)
