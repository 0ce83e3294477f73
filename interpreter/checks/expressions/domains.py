"""Value domains: the operands of rules, and sample values that rules can tell apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, floor, inf, isfinite
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.checks.visits import find_visit_limit, may_have_failed

from .inference import infer_part
from .shapes import Shape
from .sites import find_needed_items, is_bare_null, to_field_path
from .types import bound_length, find_item_limit, fits_text, list_choices, summarize_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .sites import ExpressionSite
    from .tokens import Tree

Nullness = Literal["never", "known", "doubtful"]
"""The nullness of a value: never null, known to be null at times, or doubtful."""

OTHER_TEXT = "some other text"
OTHER_LIST = ("some item",)
OTHER_OBJECT = (("some key", "some value"),)
BOOLEAN_FUNCTIONS = frozenset({"contains", "ends_with", "starts_with"})
NULL_SAFE_FUNCTIONS = frozenset({"map", "not_null", "to_array", "to_number", "to_string", "type"})
"""Functions that accept null among their arguments."""
_PAIR = 2
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_VALUE_DEPTH = 3
_FAILURES = frozenset({"on_error", "overflow"})
"""Kinds of edges that leave a phase with the status `error`."""
_LOGICAL_NODES = frozenset({"and_expression", "or_expression", "not_expression"})


@dataclass(slots=True)
class Operand:
    """An operand of rules, and the literals that it is compared with."""

    tree: Tree
    literals: list[Any] = field(default_factory=list)


def build_node_key(tree: Tree) -> str:
    """Build a key that is equal for equal parts, so that `a != b` is the opposite of `a == b`."""
    return repr(tree)  # the parser writes the keys of equal parts in the same order


def read_membership(tree: Tree) -> tuple[list[Any], Tree] | None:
    """Read `contains(['a', 'b'], path)`: the list of literals, and the part that is looked for in it."""
    if tree["type"] != "function_expression" or tree["value"] != "contains" or len(tree["children"]) != _PAIR:
        return None
    listed, part = tree["children"]
    if to_field_path(part) is None:
        return None
    if listed["type"] == "literal" and isinstance(listed["value"], list):
        return listed["value"], part
    if listed["type"] == "multi_select_list" and all(child["type"] == "literal" for child in listed["children"]):
        return [child["value"] for child in listed["children"]], part
    return None


def collect_operands(tree: Tree, seen: dict[str, Operand]) -> None:
    """Collect the operands of comparisons, and the parts used as booleans."""
    if tree["type"] in _LOGICAL_NODES:
        for child in tree["children"]:
            collect_operands(child, seen)
        return
    membership = read_membership(tree)
    if membership is not None:
        seen.setdefault(build_node_key(membership[1]), Operand(membership[1])).literals.extend(membership[0])
    else:
        _collect_compared(tree, seen)


def _collect_compared(tree: Tree, seen: dict[str, Operand]) -> None:
    operands = tree["children"] if tree["type"] == "comparator" else [tree]
    literals = [one["value"] for one in operands if one["type"] == "literal"]
    others = [one for one in operands if one["type"] != "literal" and not is_bare_null(one)]
    for one in others:
        _collect_arguments(one, seen)
    # Two unknowns, or the result of `!`, `&&` or `||`: the comparison itself is the operand.
    if len(others) > 1 or any(one["type"] in _LOGICAL_NODES for one in others):
        seen.setdefault(build_node_key(tree), Operand(tree))
        return
    for one in others:
        seen.setdefault(build_node_key(one), Operand(one)).literals.extend(literals)


def _collect_arguments(tree: Tree, seen: dict[str, Operand]) -> None:
    """Collect the arguments of a function, which may fail on null."""
    if tree["type"] == "function_expression" and tree["value"] not in NULL_SAFE_FUNCTIONS:
        for child in tree["children"]:
            if to_field_path(child) is not None:
                seen.setdefault(build_node_key(child), Operand(child))


def infer_nullness(site: ExpressionSite, tree: Tree) -> Nullness:
    """Infer whether the value of a part may be null."""
    path = to_field_path(tree)
    if path is None:
        function = tree["value"] if tree["type"] == "function_expression" else ""
        return "never" if tree["type"] == "comparator" or function in BOOLEAN_FUNCTIONS | {"length"} else "doubtful"
    source = site.find_source(path)
    is_recalled = source is not None and source[1] != site.phase and infer_path_nullness(site, source) == "never"
    return "never" if path[0] == "run" or is_recalled else infer_path_nullness(site, path)


def infer_path_nullness(site: ExpressionSite, path: tuple[str, ...]) -> Nullness:
    """Infer whether the value at a path may be null, by its own schema and presence."""
    schema = site.find_schema(path)
    if schema is None:
        return "doubtful"
    said = schema.get("enum", ()), list_types(schema)
    nullable = None in said[0] or "null" in said[1]
    there = site.infer_presence(path)
    if there in ("maybe", "never") or (nullable and there == "always"):
        return "known"
    return "never" if there == "always" and (said[0] or said[1] or "const" in schema) else "doubtful"


def build_domain(site: ExpressionSite, seen: Operand) -> list[Any]:
    """Build sample values, one of every kind that the rules can tell apart; null last."""
    tree = seen.tree
    function = tree["value"] if tree["type"] == "function_expression" else ""
    if tree["type"] == "comparator":
        return [True, False]
    if function in BOOLEAN_FUNCTIONS:
        return _sample_text_test(site, tree)
    if function == "length":
        return _sample_numbers(
            seen.literals, {"type": "integer", **bound_length(_summarize_part(site, tree["children"][0]))}
        )
    path = to_field_path(tree)
    if (path and _is_null(site, path)) or _is_behind_last(site, tree):
        return [None]
    values = _sample_schema(site, path or (), seen.literals)
    return values if infer_nullness(site, tree) == "never" else [*values, None]


def _summarize_part(site: ExpressionSite, tree: Tree) -> dict[str, Any]:
    """Summarize the schema of a part that is evaluated over the scope itself; empty when unknown."""
    shape = infer_part(site, tree)
    return summarize_schema(shape) if isinstance(shape, Shape) else {}


def _sample_text_test(site: ExpressionSite, tree: Tree) -> list[Any]:
    """List the results of `contains`, `starts_with` or `ends_with` of one of a few texts and a literal."""
    results = [True, False]
    if len(tree["children"]) != _PAIR or tree["children"][1]["type"] != "literal":
        return results
    choices, part = list_choices(_summarize_part(site, tree["children"][0])), tree["children"][1]["value"]
    if not isinstance(part, str) or not choices or not all(isinstance(one, str) for one in choices):
        return results
    tests = {"contains": str.__contains__, "starts_with": str.startswith, "ends_with": str.endswith}
    given = {tests[tree["value"]](one, part) for one in choices}
    return [result for result in results if result in given]


def _is_null(site: ExpressionSite, path: tuple[str, ...]) -> bool:
    """Return whether the value at a path is never there, or a part of the path is only null."""
    prefixes = (path[:length] for length in range(1, len(path) + 1))
    return site.infer_presence(path) == "never" or any(
        (site.find_schema(prefix) or {}).get("type") == "null" for prefix in prefixes
    )


def _is_behind_last(site: ExpressionSite, tree: Tree) -> bool:
    """Return whether the part takes an item behind the last one that its list may have: `words[7].name`."""
    for listed, least in find_needed_items(tree):
        most = find_item_limit(_summarize_part(site, listed))
        if most is not None and least > most:
            return True
    return False


def _sample_schema(site: ExpressionSite, path: tuple[str, ...], literals: Sequence[Any]) -> list[Any]:
    """Sample the values at a path, without null."""
    schema = _find_schema(site, path)
    if "const" in schema:
        return [schema["const"]]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        ruled_out = _find_impossible_statuses(site, path)
        return [one for one in schema["enum"] if one is not None and one not in ruled_out]
    return _sample_types(list_types(schema), schema, literals)


def _find_schema(site: ExpressionSite, path: tuple[str, ...]) -> Mapping[str, Any]:
    """Find the schema at a path; of a number of visits with the most that the loops allow."""
    schema = site.find_schema(path) or {}
    match path:
        case ("phases", phase, "visits") | ("run", "visits", phase) if phase in site.view.phases:
            most = find_visit_limit(site.view, phase)
        case _:
            most = inf
    return {**schema, "maximum": most} if isfinite(most) else schema


def _find_impossible_statuses(site: ExpressionSite, read: Sequence[str]) -> frozenset[str]:
    """Find the values of `phases.NAME.status` that nothing in the phase leads to, also through an input."""
    path = site.find_source(read) or read
    if len(path) != _VALUE_DEPTH or path[0] != "phases" or path[2] != "status" or path[1] not in site.view.phases:
        return frozenset()
    ruled_out = set() if site.view.phases[path[1]].when is not None else {"skipped"}
    fails = any(edge.source == path[1] and edge.kind in _FAILURES for edge in site.view.transitions)
    leads_on = fails and may_have_failed(site.view, path[1], site.phase)
    return frozenset(ruled_out if leads_on else {*ruled_out, "error"})


def list_types(schema: Mapping[str, Any]) -> set[str]:
    """List the names under `type`; none when it is absent."""
    said = schema.get("type", ())
    return {said} if isinstance(said, str) else {str(one) for one in said}


def _sample_types(types: set[str], schema: Mapping[str, Any], literals: Sequence[Any]) -> list[Any]:
    if not types:  # without a type, only the bounds of numbers count
        schema = {key: schema[key] for key in ("minimum", "maximum") if key in schema}
    values: list[Any] = []
    for names, sample in _SAMPLERS:
        if not types or types & names:
            values += sample(literals, schema)
    return values


def _sample_booleans(literals: Sequence[Any], schema: Mapping[str, Any]) -> list[Any]:
    del literals, schema
    return [True, False]


def _sample_texts(literals: Sequence[Any], schema: Mapping[str, Any]) -> list[Any]:
    fitting = (literal for literal in literals if isinstance(literal, str) and fits_text(schema, literal))
    texts = [*dict.fromkeys(fitting), OTHER_TEXT]
    return [*texts, ""] if schema.get("minLength", 0) < 1 and "" not in texts else texts


def _sample_lists(literals: Sequence[Any], schema: Mapping[str, Any]) -> list[Any]:
    lists = [*(literal for literal in literals if isinstance(literal, list) and literal), OTHER_LIST]
    return [*lists, []] if schema.get("minItems", 0) < 1 else lists


def _sample_objects(literals: Sequence[Any], schema: Mapping[str, Any]) -> list[Any]:
    objects = [*(literal for literal in literals if isinstance(literal, dict) and literal), OTHER_OBJECT]
    return objects if schema.get("required") else [*objects, {}]


# A comparison changes its result only at the number that it
# names: one sample on each side stands for all others.
def _sample_numbers(literals: Sequence[Any], schema: Mapping[str, Any]) -> list[Any]:
    """Sample a number below, at, between and above the compared ones, within bounds."""
    said = [schema[bound] for bound in _BOUNDS if schema.get(bound) is not None]
    plain = [one for one in literals if isinstance(one, int | float) and not isinstance(one, bool)]
    points = sorted({float(one) for one in (*plain, *said)})
    if list_types(schema) - {"null"} == {"integer"}:
        return _sample_integers(points, schema)
    between = [(one + other) / 2 for one, other in pairwise(points)]
    around = [points[0] - 0.5, *points, *between, points[-1] + 0.5] if points else [0.5]
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    return [value for value in around if least <= value <= most] or [0.5]


def _sample_integers(points: Sequence[float], schema: Mapping[str, Any]) -> list[Any]:
    """Sample the integers at and next to the compared numbers, within bounds."""
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    least = max(least, floor(schema["exclusiveMinimum"]) + 1) if "exclusiveMinimum" in schema else least
    most = min(most, ceil(schema["exclusiveMaximum"]) - 1) if "exclusiveMaximum" in schema else most
    near = {whole for point in points if isfinite(point) for whole in (ceil(point) - 1, round(point), floor(point) + 1)}
    return sorted(value for value in near if least <= value <= most) or [ceil(least) if isfinite(least) else 0]


_SAMPLERS: tuple[tuple[frozenset[str], Callable[[Sequence[Any], Mapping[str, Any]], list[Any]]], ...] = (
    (frozenset({"boolean"}), _sample_booleans),
    (frozenset({"number", "integer"}), _sample_numbers),
    (frozenset({"string"}), _sample_texts),
    (frozenset({"array"}), _sample_lists),
    (frozenset({"object"}), _sample_objects),
)
"""The function that samples values of the types, in the order of the values."""
