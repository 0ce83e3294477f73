"""Comparisons: texts written as texts, literals that the field can hold, numbers where an order is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import Fix
from aurora.interpreter.problems.suggestions import nearest

from . import tokens
from .shapes import Shape
from .tree import field_path, rooted
from .types import kind_of, kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.problems.problem import Problem

    from .shapes import Group
    from .sites import Site
    from .tree import Tree

_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}
_BOOLEANS = frozenset({"true", "false", "True", "False", "TRUE", "FALSE"})


@dataclass(slots=True)
class Compared:
    """What was found, and the names whose being unknown that explains."""

    problems: list[Problem] = field(default_factory=list)
    explained: frozenset[str] = frozenset()


def found(site: Site, tree: Tree) -> Compared:
    """What is wrong with the comparisons over the scope itself."""
    compared = Compared()
    for node in rooted(tree):
        if node["type"] != "comparator":
            continue
        left, right = node["children"]
        for one, other in ((left, right), (right, left)):
            word = field_path(other)
            if word is not None and len(word) == 1 and _meant_as_literal(site, one, word[0]):
                compared.explained |= {word[0]}
                compared.problems.append(_bare(site, word[0]))
            path = field_path(one)
            if other["type"] == "literal" and path is not None:
                compared.problems.extend(_literal(site, node["value"], path, site.schema(path), other))
    return compared


def _meant_as_literal(site: Site, one: Tree, word: str) -> bool:
    """Whether the word can only have been meant as a text or a boolean: no field bears the name."""
    if word in site.scope.members or word == "null":
        return False
    if word in _BOOLEANS and not site.scope.open:
        return True
    path = field_path(one)
    schema = site.schema(path) if path else None
    if schema is None:
        return False
    texts = [choice for choice in schema.get("enum", ()) if isinstance(choice, str)]
    return word in texts or (not site.scope.open and (bool(texts) or "string" in _types(schema)))


def _bare(site: Site, word: str) -> Problem:
    place = site.place(tokens.of_path(site.text, (word,), 0))
    what, right = ("true or false", f"`{word.lower()}`") if word in _BOOLEANS else ("a text", f"'{word}'")
    quotes = "backticks" if word in _BOOLEANS else "single quotes"
    message = f'"{word}" is read as the name of a field, and there is none; {what} stands in {quotes}'
    start, length = tokens.of_path(site.text, (word,), 0)
    fix = Fix(site.text[start : start + length], right)
    return codes.FIELD_FOR_STRING.at(place, message, help=f"write {right}", fix=fix)


def between(site: Site, node: Tree, sides: tuple[Group | Shape | None, ...], *, inside: bool) -> Iterator[Problem]:
    """A comparison where it is known what both sides give; those with literals at the root are told with the rest."""
    operator, children = node["value"], node["children"]
    literals = [child["type"] == "literal" for child in children]
    if any(literals):
        one, other, value = (*children, sides[0]) if literals[1] else (*reversed(children), sides[1])
        if (inside or field_path(one) is None) and not all(literals):
            schema = value.resolved() if isinstance(value, Shape) else None
            yield from _literal(site, operator, field_path(one), schema, other)
        return
    if operator in ("eq", "ne") and children[0] == children[1] and field_path(children[0]):
        message = f"both sides are the same, so this test is always {'true' if operator == 'eq' else 'false'}"
        yield codes.CONSTANT_TEST.at(site.across(*children), message, help="compare with something else")
        return
    left, right = (kinds(side) for side in sides)
    if not left or not right:
        return
    what = " and ".join(" or ".join(sorted(_TYPES[kind] for kind in side)) for side in (left, right))
    if operator in ("eq", "ne") and not left & right:
        always = "false" if operator == "eq" else "true"
        message = f"the two sides are {what}, and never equal; this test is always {always}"
        yield codes.OPERAND_TYPES.at(site.across(*children), message)
    elif operator not in ("eq", "ne") and not any(left & {kind} and right & {kind} for kind in ("number", "string")):
        message = f"{_SIGNS[operator]} compares numbers, and the two sides are {what}"
        yield codes.OPERAND_TYPES.at(site.across(*children), message)


def _literal(
    site: Site, operator: str, path: tuple[str, ...] | None, schema: Mapping[str, Any] | None, literal: Tree
) -> Iterator[Problem]:
    value = literal["value"]
    place = site.at(literal) if site.stretches else site.place(tokens.of_literal(site.text, value))
    name, types = f'"{".".join(path)}"' if path else "the other side", _types(schema or {})
    if operator not in ("eq", "ne"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            message = f"{_SIGNS[operator]} compares numbers, and {_shown(value)} is {_kind(value)}"
            yield codes.OPERAND_TYPES.at(place, message, help=_as_number(value), fix=_unquoted(value))
        elif types and not types & {"number", "integer"}:
            message = f"{_SIGNS[operator]} compares numbers, and {name} is {_worded(types)}"
            counted = f"compare its length: `length({'.'.join(path)})`" if path and types & {"array", "string"} else ""
            yield codes.OPERAND_TYPES.at(place, message, help=counted)
        return
    if schema is None or value is None:
        return
    always = "false" if operator == "eq" else "true"
    choices = schema.get("enum")
    if choices and not any(_same(choice, value) for choice in choices):
        allowed = ", ".join(sorted(map(_shown, choices)))
        message = f"{_shown(value)} is not one of {allowed}; this test is always {always}"
        near = nearest(str(value), (str(choice) for choice in choices if isinstance(choice, str)))
        note = site.view.defined(site.phase, path or ())
        yield codes.ENUM_LITERAL.at(place, message, help=f"did you mean '{near}'?" if near else "", note=note)
    elif types and not _fits(value, types):
        message = f"{name} is {_worded(types)}, and {_shown(value)} is {_kind(value)}; this test is always {always}"
        note = site.view.defined(site.phase, path or ())
        help_ = f"ask whether it is in the list: `contains(LIST, {_shown(value)})`" if types == {"array"} else ""
        help_ = _as_number(value) or help_
        yield codes.OPERAND_TYPES.at(place, message, help=help_, note=note, fix=_unquoted(value))


def _worded(types: set[str]) -> str:
    return " or ".join(sorted(_TYPES.get(one, one) for one in types))


def _types(schema: Mapping[str, Any]) -> set[str]:
    if "type" not in schema:
        return {kind_of(one) for one in schema.get("enum", ())}
    said = schema["type"]
    return {said} if isinstance(said, str) else {str(one) for one in said}


def _fits(value: Any, types: set[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int | float):
        return "number" in types or ("integer" in types and value == int(value))
    names: dict[type, str] = {str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null") in types


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1."""
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return f"`{str(value).lower() if isinstance(value, bool) else 'null' if value is None else value}`"


def _kind(value: Any) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")


def _unquoted(value: Any) -> Fix | None:
    """The number or boolean in backticks instead of the quotes that make it a text."""
    return Fix(f"'{value}'", f"`{value.strip().lower()}`") if _as_number(value) else None


def _as_number(value: Any) -> str:
    """The remedy for a number or a boolean that was written as a text."""
    text = value.strip() if isinstance(value, str) else ""
    is_number = text.replace(".", "", 1).lstrip("-").isdigit()
    return f"write `{text.lower()}` in backticks" if is_number or text in _BOOLEANS else ""
