"""Expressions: readable, with functions that exist, fields that exist, and strings written as strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import codes
from ..choices import did_you_mean, listed
from ..expressions import ExpressionError, compiled
from .tree import Tree, field_path, paths, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..problems import Problem
    from .view import Loc, View

BESIDE = ("inputs", "phases", "run")


def problems(view: View) -> Iterator[Problem]:
    """What is wrong with each expression of the workflow, at its place."""
    for name, phase in view.phases.items():
        for key, spec in phase.inputs.items():
            if spec.from_:
                yield from _readable(view, spec.from_, ("phases", name, "inputs", key, "from"))
        known = {key: spec.json_schema for key, spec in phase.inputs.items()}
        for key, text in (phase.with_ or {}).items():
            loc: Loc = ("phases", name, "with", key)
            yield from _readable(view, text, loc)
            yield from _fields(view, text, loc, {**known, "inputs": {}, "run": {}}, f'an input of phase "{name}"')
        if phase.for_each:
            yield from _over_result(view, name, phase.for_each.in_, ("phases", name, "for_each", "in"))
    for name, _, rule, loc in view.rules():
        if rule.when is not None:
            yield from _over_result(view, name, rule.when, (*loc, "when"))


def _over_result(view: View, phase: str, text: str, loc: Loc) -> Iterator[Problem]:
    yield from _readable(view, text, loc)
    schema = view.result_schema(phase)
    if schema is None and view.phases[phase].uses is not None:
        return
    if schema is not None and (schema.get("additionalProperties") is not False or "properties" not in schema):
        return
    inputs = {"properties": {key: spec.json_schema for key, spec in view.phases[phase].inputs.items()}}
    fields = {**(schema or {}).get("properties", {}), "phases": {}, "run": {}, "inputs": inputs}
    yield from _fields(view, text, loc, fields, f'in the result of phase "{phase}"')


def _readable(view: View, text: str, loc: Loc) -> Iterator[Problem]:
    try:
        tree = compiled(text).parsed
    except ExpressionError as error:
        place = view.inside(loc, error.offset or 0, 1) if error.offset is not None else view.value(*loc)
        yield codes.EXPRESSION_SYNTAX.at(place, f"{error}: {text}")
        return
    for node in walk(tree):
        if node["type"] == "function_expression":
            yield from _function(view, node, text, loc)


def _function(view: View, node: Tree, text: str, loc: Loc) -> Iterator[Problem]:
    from jmespath.functions import Functions  # noqa: PLC0415 - with the library, when something is checked

    name = str(node["value"])
    known = Functions.FUNCTION_TABLE
    place = view.inside(loc, max(text.find(name), 0), len(name))
    if name not in known:
        yield codes.UNKNOWN_FUNCTION.at(place, f'there is no function "{name}"', help=did_you_mean(name, known))
        return
    signature = known[name]["signature"]
    variadic = bool(signature and signature[-1].get("variadic"))
    wanted, got = len(signature), len(node["children"])
    if got < wanted or (got > wanted and not variadic):
        count = f"at least {wanted}" if variadic else str(wanted)
        yield codes.UNKNOWN_FUNCTION.at(place, f'"{name}" takes {count} arguments, not {got}')


def _fields(view: View, text: str, loc: Loc, fields: Mapping[str, Any], what: str) -> Iterator[Problem]:
    try:
        tree = compiled(text).parsed
    except ExpressionError:
        return
    taken_for_strings: set[str] = set()
    for node in walk(tree):
        if node["type"] == "comparator":
            yield from _comparison(view, node, text, loc, fields, taken_for_strings)
    for path in paths(tree):
        if path[0] not in fields and path[0] not in taken_for_strings:
            place = view.inside(loc, max(text.find(path[0]), 0), len(path[0]))
            message = f'"{path[0]}" is not {what}; there are {listed(fields)}'
            yield codes.UNKNOWN_FIELD.at(place, message, help=did_you_mean(path[0], fields))


def _comparison(  # noqa: PLR0913, PLR0917 - one comparison with all that surrounds it; used once
    view: View, node: Tree, text: str, loc: Loc, fields: Mapping[str, Any], strings: set[str]
) -> Iterator[Problem]:
    if node["value"] not in ("eq", "ne"):
        return
    for one, other in (node["children"], node["children"][::-1]):
        path = field_path(one)
        schema = _schema_of(path, fields) if path else None
        if schema is None:
            continue
        choices = schema.get("enum")
        word = field_path(other)
        if word is not None and len(word) == 1 and word[0] not in fields and _holds_text(schema):
            strings.add(word[0])
            place = view.inside(loc, max(text.find(word[0]), 0), len(word[0]))
            message = f"{word[0]} is read as a field, and there is none of that name; a text is written '{word[0]}'"
            yield codes.FIELD_FOR_STRING.at(place, message, help=f"write '{word[0]}' in single quotes")
        elif other["type"] == "literal" and choices and other["value"] not in choices:
            yield _outside(view, other["value"], choices, text, loc)


def _outside(view: View, value: Any, choices: list[Any], text: str, loc: Loc) -> Problem:
    shown = f"'{value}'" if isinstance(value, str) else f"`{value}`"
    offset = text.find(shown)
    place = view.inside(loc, max(offset, 0), len(shown)) if offset >= 0 else view.value(*loc)
    allowed = ", ".join(f"'{choice}'" for choice in sorted(map(str, choices)))
    near = did_you_mean(str(value), map(str, choices)).replace('"', "'")
    return codes.ENUM_LITERAL.at(place, f"{shown} is not one of {allowed}; this test is always the same", help=near)


def _schema_of(path: tuple[str, ...], fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    schema: Any = {"properties": fields}
    for name in path:
        schema = schema.get("properties", {}).get(name)
        if not isinstance(schema, dict):
            return None
    return dict(schema)


def _holds_text(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "string" or any(isinstance(choice, str) for choice in schema.get("enum", ()))
