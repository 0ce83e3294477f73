"""Check of comparisons: quoting, choices of an `enum`, types of operands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import Fix, codes, find_nearest

from . import tokens
from .shapes import Shape
from .tree import iterate_root_nodes, to_field_path
from .types import get_json_type, infer_json_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.problems import Problem

    from .shapes import Namespace
    from .sites import ExpressionSite
    from .tree import Tree

_OPERATOR_SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_TYPE_LABELS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}
_BOOLEAN_WORDS = frozenset({"true", "false", "True", "False", "TRUE", "FALSE"})


@dataclass(slots=True)
class ComparisonFindings:
    """Problems, and the unknown names that they explain."""

    problems: list[Problem] = field(default_factory=list)
    explained_names: frozenset[str] = frozenset()


def check_root_comparisons(site: ExpressionSite, tree: Tree) -> ComparisonFindings:
    """Report the problems of comparisons that are evaluated over the scope itself."""
    compared = ComparisonFindings()
    for node in iterate_root_nodes(tree):
        if node["type"] != "comparator":
            continue
        left, right = node["children"]
        for one, other in ((left, right), (right, left)):
            word = to_field_path(other)
            if word is not None and len(word) == 1 and _is_unquoted_literal(site, one, word[0]):
                compared.explained_names |= {word[0]}
                compared.problems.append(_report_unquoted_literal(site, word[0]))
            path = to_field_path(one)
            if other["type"] == "literal" and path is not None:
                compared.problems.extend(_check_literal(site, node["value"], path, site.find_schema(path), other))
    return compared


def _is_unquoted_literal(site: ExpressionSite, one: Tree, word: str) -> bool:
    """Return whether a name can only be an unquoted text or boolean."""
    if word in site.scope.members or word == "null":
        return False
    if word in _BOOLEAN_WORDS and not site.scope.open:
        return True
    path = to_field_path(one)
    schema = site.find_schema(path) if path else None
    if schema is None:
        return False
    texts = [choice for choice in schema.get("enum", ()) if isinstance(choice, str)]
    return word in texts or (not site.scope.open and (bool(texts) or "string" in _list_types(schema)))


def _report_unquoted_literal(site: ExpressionSite, word: str) -> Problem:
    place = site.locate_span(tokens.find_path(site.text, (word,), 0))
    what, right = ("true or false", f"`{word.lower()}`") if word in _BOOLEAN_WORDS else ("a text", f"'{word}'")
    quotes = "backticks" if word in _BOOLEAN_WORDS else "single quotes"
    message = f'"{word}" is read as the name of a field, and there is none; {what} stands in {quotes}'
    start, length = tokens.find_path(site.text, (word,), 0)
    fix = Fix(site.text[start : start + length], right)
    return codes.FIELD_FOR_STRING.make_problem(place, message, help=f"write {right}", fix=fix)


def check_operand_types(
    site: ExpressionSite, node: Tree, sides: tuple[Namespace | Shape | None, ...], *, inside: bool
) -> Iterator[Problem]:
    """Report a comparison whose operands have known types that never fit.

    Comparisons with a literal at the root are left to `check_root_comparisons`.
    """
    operator, children = node["value"], node["children"]
    literals = [child["type"] == "literal" for child in children]
    if any(literals):
        one, other, value = (*children, sides[0]) if literals[1] else (*reversed(children), sides[1])
        if (inside or to_field_path(one) is None) and not all(literals):
            schema = value.resolved() if isinstance(value, Shape) else None
            yield from _check_literal(site, operator, to_field_path(one), schema, other)
        return
    if operator in ("eq", "ne") and children[0] == children[1] and to_field_path(children[0]):
        message = f"both sides are the same, so this test is always {'true' if operator == 'eq' else 'false'}"
        yield codes.CONSTANT_TEST.make_problem(
            site.locate_parts(*children), message, help="compare with something else"
        )
        return
    left, right = (infer_json_types(side) for side in sides)
    if not left or not right:
        return
    what = " and ".join(" or ".join(sorted(_TYPE_LABELS[kind] for kind in side)) for side in (left, right))
    if operator in ("eq", "ne") and not left & right:
        always = "false" if operator == "eq" else "true"
        message = f"the two sides are {what}, and never equal; this test is always {always}"
        yield codes.OPERAND_TYPES.make_problem(site.locate_parts(*children), message)
    elif operator not in ("eq", "ne") and not any(left & {kind} and right & {kind} for kind in ("number", "string")):
        message = f"{_OPERATOR_SYMBOLS[operator]} compares numbers, and the two sides are {what}"
        yield codes.OPERAND_TYPES.make_problem(site.locate_parts(*children), message)


def _check_literal(
    site: ExpressionSite, operator: str, path: tuple[str, ...] | None, schema: Mapping[str, Any] | None, literal: Tree
) -> Iterator[Problem]:
    value = literal["value"]
    place = site.locate_node(literal) if site.node_spans else site.locate_span(tokens.find_literal(site.text, value))
    name, types = f'"{".".join(path)}"' if path else "the other side", _list_types(schema or {})
    if operator not in ("eq", "ne"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            is_a = f"{_format_literal(value)} is {_describe_value_type(value)}"
            message = f"{_OPERATOR_SYMBOLS[operator]} compares numbers, and {is_a}"
            yield codes.OPERAND_TYPES.make_problem(
                place, message, help=_suggest_backticks(value), fix=_build_unquote_fix(value)
            )
        elif types and not types & {"number", "integer"}:
            message = f"{_OPERATOR_SYMBOLS[operator]} compares numbers, and {name} is {_describe_types(types)}"
            counted = f"compare its length: `length({'.'.join(path)})`" if path and types & {"array", "string"} else ""
            yield codes.OPERAND_TYPES.make_problem(place, message, help=counted)
        return
    if schema is None or value is None:
        return
    always = "false" if operator == "eq" else "true"
    choices = schema.get("enum")
    if choices and not any(_is_same_json(choice, value) for choice in choices):
        allowed = ", ".join(sorted(map(_format_literal, choices)))
        message = f"{_format_literal(value)} is not one of {allowed}; this test is always {always}"
        near = find_nearest(str(value), (str(choice) for choice in choices if isinstance(choice, str)))
        note = site.view.describe_origin(site.phase, path or ())
        yield codes.ENUM_LITERAL.make_problem(place, message, help=f"did you mean '{near}'?" if near else "", note=note)
    elif types and not _has_type(value, types):
        is_a = f"{_format_literal(value)} is {_describe_value_type(value)}"
        message = f"{name} is {_describe_types(types)}, and {is_a}; this test is always {always}"
        note = site.view.describe_origin(site.phase, path or ())
        help_ = (
            f"ask whether it is in the list: `contains(LIST, {_format_literal(value)})`" if types == {"array"} else ""
        )
        help_ = _suggest_backticks(value) or help_
        yield codes.OPERAND_TYPES.make_problem(place, message, help=help_, note=note, fix=_build_unquote_fix(value))


def _describe_types(types: set[str]) -> str:
    return " or ".join(sorted(_TYPE_LABELS.get(one, one) for one in types))


def _list_types(schema: Mapping[str, Any]) -> set[str]:
    if "type" not in schema:
        return {get_json_type(one) for one in schema.get("enum", ())}
    said = schema["type"]
    return {said} if isinstance(said, str) else {str(one) for one in said}


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


def _format_literal(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return f"`{str(value).lower() if isinstance(value, bool) else 'null' if value is None else value}`"


def _describe_value_type(value: Any) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")


def _build_unquote_fix(value: Any) -> Fix | None:
    """Build the fix that writes a quoted number or boolean in backticks."""
    return Fix(f"'{value}'", f"`{value.strip().lower()}`") if _suggest_backticks(value) else None


def _suggest_backticks(value: Any) -> str:
    """Suggest backticks for a number or boolean that is written as a text."""
    text = value.strip() if isinstance(value, str) else ""
    is_number = text.replace(".", "", 1).lstrip("-").isdigit()
    return f"write `{text.lower()}` in backticks" if is_number or text in _BOOLEAN_WORDS else ""
