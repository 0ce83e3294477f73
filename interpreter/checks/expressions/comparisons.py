"""Checks of comparisons: quoting, choices of an `enum`, types of operands, misread operators."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import Fix, codes, find_nearest

from .shapes import OPERATOR_SYMBOLS, TYPE_LABELS, Shape, describe_types, format_literal
from .sites import iterate_root_nodes, to_field_path, walk_tree
from .tokens import bracket_mixed_operators, find_literal, find_path
from .types import get_json_type, infer_json_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aurora.interpreter.problems import Place, Problem

    from .shapes import InferredType, Namespace
    from .sites import ExpressionSite
    from .tokens import Tree

_EQUALITY_OPERATORS = {"eq": "false", "ne": "true"}
"""The operators of equality, with the result for operands that are never equal."""
_BOOLEAN_WORDS = frozenset({"true", "false", "True", "False", "TRUE", "FALSE"})

_CHOOSING = frozenset({"const", "enum", "format", "pattern"})
"""Keywords with which a text has one of a few forms."""
_INPUT_DEPTH = 2
_PLAIN_PATH = re.compile(r"[\w.-]+")
_NULL_WORDS = frozenset({"None", "NULL", "Null", "nil", "none", "undefined"})
"""The words for null in other languages."""

_NEGATED_SYMBOLS = {"eq": "!=", "ne": "=="}
_ORDERING_OPERATORS = frozenset({"lt", "lte", "gt", "gte"})
_FALSY_LITERALS: tuple[object, ...] = (None, False, "", [], {})


@dataclass(slots=True)
class ComparisonFindings:
    """Problems, and the unknown names that they explain."""

    problems: list[Problem] = field(default_factory=list)
    explained_names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _ComparedField:
    """The field that a literal is compared with: its path, if it has one, and its schema."""

    path: tuple[str, ...] | None
    schema: Mapping[str, Any]


def check_root_comparisons(site: ExpressionSite, tree: Tree) -> ComparisonFindings:
    """Report the problems of comparisons that are evaluated over the scope itself."""
    compared = ComparisonFindings()
    for node in iterate_root_nodes(tree):
        if node["type"] != "comparator":
            continue
        left, right = node["children"]
        for operand, other in ((left, right), (right, left)):
            word = to_field_path(other)
            if word is not None and len(word) == 1 and _is_unquoted_literal(site, operand, word[0]):
                compared.explained_names |= {word[0]}
                compared.problems.append(_report_unquoted_literal(site, word[0]))
            path = to_field_path(operand)
            if other["type"] == "literal" and path is not None:
                compared.problems.extend(_check_literal(site, node["value"], path, site.find_schema(path), other))
    return compared


def _is_unquoted_literal(site: ExpressionSite, other_side: Tree, word: str) -> bool:
    """Return whether a name can only be an unquoted string or boolean."""
    if word in site.scope.members or word == "null":
        return False
    if word in _BOOLEAN_WORDS | _NULL_WORDS and not site.scope.open:
        return True
    path = to_field_path(other_side)
    schema = site.find_schema(path) if path else None
    if schema is None:
        return False
    texts = [choice for choice in schema.get("enum", ()) if isinstance(choice, str)]
    return word in texts or (not site.scope.open and (bool(texts) or "string" in _list_types(schema)))


def _report_unquoted_literal(site: ExpressionSite, word: str) -> Problem:
    start, length = find_path(site.text, (word,), 0)
    if word in _NULL_WORDS:
        needed, literal = "the word for nothing is null", "null"
    elif word in _BOOLEAN_WORDS:
        needed, literal = "a boolean needs backticks", f"`{word.lower()}`"
    else:
        needed, literal = "a string needs single quotes", f"'{word}'"
    message = f'"{word}" is read as the name of a field, and there is no such field; {needed}'
    fix = Fix(site.text[start : start + length], literal)
    place = site.locate_span((start, length))
    return codes.FIELD_FOR_STRING.make_problem(place, message, help=f"write {literal}", fix=fix)


def check_operand_types(
    site: ExpressionSite, node: Tree, sides: tuple[Namespace | Shape | None, ...], *, inside: bool
) -> Iterator[Problem]:
    """Report a comparison whose operands have known types that never fit.

    Comparisons with a literal at the root are left to `check_root_comparisons`.
    """
    operator, children = node["value"], node["children"]
    literals = [child["type"] == "literal" for child in children]
    if all(literals):
        return
    if any(literals):
        operand, literal, value = (*children, sides[0]) if literals[1] else (*reversed(children), sides[1])
        path = to_field_path(operand)
        if inside or path is None:
            schema = value.resolve() if isinstance(value, Shape) else None
            yield from _check_literal(site, operator, path, schema, literal)
    elif operator in _EQUALITY_OPERATORS and children[0] == children[1] and to_field_path(children[0]):
        message = f"both sides are the same, so this test is always {'true' if operator == 'eq' else 'false'}"
        place = site.locate_parts(*children)
        yield codes.CONSTANT_TEST.make_problem(place, message, help="compare with something else")
    else:
        yield from _check_type_pair(site, node, infer_json_types(sides[0]), infer_json_types(sides[1]))


def _check_type_pair(
    site: ExpressionSite, node: Tree, left: frozenset[str], right: frozenset[str]
) -> Iterator[Problem]:
    """Report a comparison of two types that are never equal, or that have no order."""
    if not left or not right:
        return
    operator = node["value"]
    both = f"{describe_types(left)} and {describe_types(right)}"
    if operator in _EQUALITY_OPERATORS:
        if not left & right:
            place = site.locate_parts(*node["children"])
            message = f"the two sides are {both}, and never equal; this test is always {_EQUALITY_OPERATORS[operator]}"
            yield codes.OPERAND_TYPES.make_problem(place, message)
    elif not left & right & {"number", "string"}:
        message = f"{OPERATOR_SYMBOLS[operator]} compares numbers, and the two sides are {both}"
        place = site.locate_parts(*node["children"])
        yield codes.OPERAND_TYPES.make_problem(place, message)


def _check_literal(
    site: ExpressionSite, operator: str, path: tuple[str, ...] | None, schema: Mapping[str, Any] | None, literal: Tree
) -> Iterator[Problem]:
    """Report a literal that the other side can never equal, or be ordered with.

    The other side is at `path` and has `schema`.
    """
    value = literal["value"]

    def locate() -> Place:
        by_node = bool(site.node_spans)
        return site.locate_node(literal) if by_node else site.locate_span(find_literal(site.text, value))

    if operator not in _EQUALITY_OPERATORS:
        yield from _check_ordering(locate, operator, path, _list_types(schema or {}), value)
    elif schema is not None and value is not None:
        yield from _check_equality(site, locate, operator, _ComparedField(path, schema), value)


def _check_ordering(
    locate: Callable[[], Place], operator: str, path: tuple[str, ...] | None, types: set[str], value: Any
) -> Iterator[Problem]:
    symbol = OPERATOR_SYMBOLS[operator]
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f"{symbol} compares numbers, and {format_literal(value)} is {TYPE_LABELS[get_json_type(value)]}"
        fix = _build_unquote_fix(value)
        yield codes.OPERAND_TYPES.make_problem(locate(), message, help=_suggest_backticks(value), fix=fix)
    elif types and not types & {"number", "integer"}:
        message = f"{symbol} compares numbers, and {_name_side(path)} is {describe_types(types)}"
        help_ = f"compare its length: `length({'.'.join(path)})`" if path and types & {"array", "string"} else ""
        yield codes.OPERAND_TYPES.make_problem(locate(), message, help=help_)


def _check_equality(
    site: ExpressionSite, locate: Callable[[], Place], operator: str, compared: _ComparedField, value: Any
) -> Iterator[Problem]:
    always, shown = _EQUALITY_OPERATORS[operator], format_literal(value)
    choices, types = compared.schema.get("enum"), _list_types(compared.schema)
    is_typed = not choices or get_json_type(value) in {get_json_type(choice) for choice in choices}
    if choices and is_typed and not any(_is_same_json(choice, value) for choice in choices):
        allowed = ", ".join(sorted(map(format_literal, choices)))
        message = f"{shown} is not one of {allowed}; this test is always {always}"
        note = site.view.describe_origin(site.phase, compared.path or ())
        near = find_nearest(str(value), [choice for choice in choices if isinstance(choice, str)])
        yield codes.ENUM_LITERAL.make_problem(
            locate(), message, help=f"did you mean '{near}'?" if near else "", note=note
        )
    elif (choices and not is_typed) or (types and not _has_type(value, types)):
        types = types or {get_json_type(choice) for choice in choices or ()}
        label = TYPE_LABELS[get_json_type(value)]
        sides = f"{_name_side(compared.path)} is {describe_types(types)}, and {shown} is {label}"
        message = f"{sides}; this test is always {always}"
        note = site.view.describe_origin(site.phase, compared.path or ())
        in_list = f"test whether it is in the list: `contains(LIST, {shown})`" if types == {"array"} else ""
        help_ = _suggest_backticks(value) or in_list
        yield codes.OPERAND_TYPES.make_problem(locate(), message, help=help_, note=note, fix=_build_unquote_fix(value))
    # An assistant that answers "It is a BUG." instead of "BUG" would take the other way, unnoticed.
    elif value and isinstance(value, str) and site.kind in ("when", "skip") and _is_free_text(site, compared):
        message = f"{_name_side(compared.path)} may be any text, and equals {shown} only letter by letter"
        note = site.view.describe_origin(site.phase, compared.path or ())
        help_ = "list the values that it may have under `enum`, or ask for a boolean"
        yield codes.FREE_TEXT.make_problem(locate(), message, help=help_, note=note)


def _is_free_text(site: ExpressionSite, compared: _ComparedField) -> bool:
    """Return whether a value is a text of the assistant or of a caller, in any words."""
    path = compared.path or ()
    if path[:1] == ("inputs",) and len(path) >= _INPUT_DEPTH and site.phase:
        spec = site.view.phases[site.phase].inputs.get(path[1])
        source = (spec.from_ or "answer") if spec is not None else ""
        # the schema of what an expression builds is known in part only: it may have lost an `enum`
        path = (*source.split("."), *path[_INPUT_DEPTH:]) if _PLAIN_PATH.fullmatch(source) else ()
    is_given = path[:1] in (("answer",), ("inputs",)) or (path[:1] == ("phases",) and path[2:3] == ("answer",))
    return is_given and _list_types(compared.schema) - {"null"} == {"string"} and not _CHOOSING & set(compared.schema)


def _name_side(path: tuple[str, ...] | None) -> str:
    return f'"{".".join(path)}"' if path else "the other side"


def _list_types(schema: Mapping[str, Any]) -> set[str]:
    if "type" not in schema:
        return {get_json_type(choice) for choice in schema.get("enum", ())}
    types = schema["type"]
    return {types} if isinstance(types, str) else {str(name) for name in types}


def _has_type(value: Any, types: set[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int | float):
        return "number" in types or ("integer" in types and value == int(value))
    names: dict[type, str] = {str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null") in types


def _is_same_json(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON, where true is not 1."""
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _build_unquote_fix(value: Any) -> Fix | None:
    """Build the fix that writes a quoted number or boolean in backticks."""
    return Fix(f"'{value}'", f"`{value.strip().lower()}`") if _suggest_backticks(value) else None


def _suggest_backticks(value: Any) -> str:
    """Suggest backticks for a number or boolean that is written as a string."""
    text = value.strip() if isinstance(value, str) else ""
    is_number = text.replace(".", "", 1).lstrip("-").isdigit()
    return f"write `{text.lower()}` in backticks" if is_number or text in _BOOLEAN_WORDS else ""


def suggest_comparison(tree: Tree, part: Tree) -> str:
    """Suggest the comparison that a lone literal after `||` or `&&` stands for, or ""."""
    if part["type"] != "literal":
        return ""
    for node in walk_tree(tree):
        if node["type"] == "comparator" and node["children"][1]["type"] == "literal":
            path = to_field_path(node["children"][0])
            if path and type(node["children"][1]["value"]) is type(part["value"]):
                test = f"{'.'.join(path)} {OPERATOR_SYMBOLS[node['value']]} {format_literal(part['value'])}"
                return f"each side of && and || is a separate test: write `{test}`"
    return ""


def check_mixed_operators(site: ExpressionSite) -> Iterator[Problem]:
    """Report `a && b || c`, which readers take for `a && (b || c)` as easily as for `(a && b) || c`."""
    written = bracket_mixed_operators(site.text) if "&&" in site.text and "||" in site.text else site.text
    if written != site.text:
        message = "&& and || are mixed without brackets; && binds tighter than ||"
        place = site.locate_whole()
        help_ = f"write `{written}`, or put the brackets elsewhere"
        yield codes.MIXED_OPERATORS.make_problem(place, message, help=help_, fix=Fix(site.text, written))


def check_constant_filter(site: ExpressionSite, condition: Tree) -> Iterator[Problem]:
    """Report a filter with a lone literal next to `||`: it keeps every item."""
    for part in _split_or_operands(condition):
        if part["type"] == "literal" and part["value"] not in _FALSY_LITERALS:
            message = f"{format_literal(part['value'])} counts as true by itself, so this filter keeps every item"
            yield codes.CONSTANT_TEST.make_problem(
                site.locate_node(part), message, help=suggest_comparison(condition, part)
            )


def _split_or_operands(tree: Tree) -> Iterator[Tree]:
    """Yield the operands of the `||` at the top of the tree."""
    if tree["type"] == "or_expression":
        for child in tree["children"]:
            yield from _split_or_operands(child)
    else:
        yield tree


def check_constant_operand(site: ExpressionSite, node: Tree) -> Iterator[Problem]:
    """Report `kind == ('A' || 'B')`, which is `kind == 'A'`."""
    for operand, other in (node["children"], reversed(node["children"])):
        if operand["type"] != "or_expression" or operand["children"][0]["type"] != "literal":
            continue
        first = operand["children"][0]["value"]
        path = to_field_path(other)
        if first not in _FALSY_LITERALS and path is not None:
            message = f"this is always {format_literal(first)}: the part after || is never evaluated"
            help_ = f"write `{_write_out_alternatives(path, node['value'], operand)}`"
            yield codes.CONSTANT_TEST.make_problem(site.locate_parts(operand), message, help=help_)


def _write_out_alternatives(path: Sequence[str], operator: str, operand: Tree) -> str:
    """Write `kind == ('A' || 'B')` as `kind == 'A' || kind == 'B'`."""
    literals = [format_literal(part["value"]) for part in _split_or_operands(operand) if part["type"] == "literal"]
    join = " && " if operator == "ne" else " || "
    return join.join(f"{'.'.join(path)} {OPERATOR_SYMBOLS[operator]} {literal}" for literal in literals)


def check_negated_operand(site: ExpressionSite, node: Tree, sides: Sequence[InferredType]) -> Iterator[Problem]:
    """Report `!a == b`, which compares `!a`, unless b is a boolean."""
    (left, right), operator = node["children"], node["value"]
    if left["type"] != "not_expression" or not (operator in _ORDERING_OPERATORS or _is_never_boolean(sides[1])):
        return
    symbol = OPERATOR_SYMBOLS[operator]
    path = to_field_path(left["children"][0])
    help_ = "put the comparison in brackets"
    if path and right["type"] == "literal":
        name, value = ".".join(path), format_literal(right["value"])
        negated = _NEGATED_SYMBOLS.get(operator)
        help_ = f"write `{name} {negated} {value}`" if negated else f"write `!({name} {symbol} {value})`"
    message = f'"!" binds tighter than "{symbol}", so this negates only the part before it'
    yield codes.NEGATED_PATH.make_problem(site.locate_parts(left["children"][0]), message, help=help_)


def _is_never_boolean(side: InferredType) -> bool:
    types = infer_json_types(side)
    return bool(types) and "boolean" not in types
