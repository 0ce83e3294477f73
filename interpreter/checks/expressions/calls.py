"""Calls of functions: what they take, and what they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.suggestions import did_you_mean, listed, respelt

from . import tokens
from .types import elements, kind_of, kinds, typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems.problem import Problem

    from .shapes import Group, Shape
    from .sites import Site
    from .tree import Tree

_GIVES = {
    "number": {"abs", "avg", "ceil", "floor", "length", "sum"},
    "string": {"join", "to_string", "type"},
    "array": {"keys", "map", "sort", "sort_by", "to_array", "values"},
    "object": {"merge"},
    "boolean": {"contains", "ends_with", "starts_with"},
}
WORDS = {
    "array": "a list",
    "array-number": "a list of numbers",
    "array-string": "a list of texts",
    "boolean": "true or false",
    "expref": "an expression after &",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}


def signatures() -> dict[str, list[dict[str, object]]]:
    """The functions of the library, each with what its arguments may be."""
    from jmespath.functions import Functions  # noqa: PLC0415 - with the library, when something is checked

    return {name: known["signature"] for name, known in Functions.FUNCTION_TABLE.items()}


def unknown(site: Site, node: Tree) -> Iterator[Problem]:
    """A function that there is not, or that takes another number of arguments."""
    known, name = signatures(), str(node["value"])
    place = site.at(node) if site.stretches else site.place(tokens.of_function(site.text, name))
    if name not in known:
        message = f'there is no function "{name}"; expected one of {listed(known, most=40)}'
        yield codes.UNKNOWN_FUNCTION.at(place, message, help=did_you_mean(name, known), fix=respelt(name, known))
        return
    signature = known[name]
    variadic = bool(signature and signature[-1].get("variadic"))
    wanted, got = len(signature), len(node["children"])
    if got < wanted or (got > wanted and not variadic):
        count = f"{'at least ' if variadic else ''}{wanted} argument{'' if wanted == 1 else 's'}"
        yield codes.UNKNOWN_FUNCTION.at(place, f'"{name}" takes {count}, not {got}')


def problems(site: Site, node: Tree, arguments: Sequence[Group | Shape | None]) -> Iterator[Problem]:
    """Arguments of a type that the function refuses when it runs."""
    name = str(node["value"])
    signature = signatures().get(name, [])
    for index, argument in enumerate(arguments):
        if not signature or (index >= len(signature) and not signature[-1].get("variadic")):
            return
        allowed = list(signature[min(index, len(signature) - 1)].get("types") or ())  # type: ignore[call-overload]
        found = kinds(argument)
        if allowed and found and not any(_takes(one, argument) for one in allowed):
            wanted = " or ".join(WORDS.get(one, one) for one in allowed)
            got = " or ".join(sorted(WORDS.get(one, one) for one in found))
            message = f'argument {index + 1} of "{name}" must be {wanted}, and is {got}; this would fail'
            child = node["children"][index]
            yield codes.ARGUMENT_TYPE.at(site.at(last(child)), message)
    if name == "contains" and len(arguments) == len(signature):
        yield from _never_in(site, node, arguments)


def _never_in(site: Site, node: Tree, arguments: Sequence[Group | Shape | None]) -> Iterator[Problem]:
    """A literal that no item of the list can be."""
    literal, item = node["children"][1], elements(arguments[0])
    schema = item.resolved() if item is not None and kinds(arguments[0]) == {"array"} else None
    if literal["type"] != "literal" or not schema:
        return
    choices, value = schema.get("enum"), literal["value"]
    shown = f"'{value}'" if isinstance(value, str) else f"`{value}`"
    if choices and value not in choices:
        known = ", ".join(f"'{one}'" for one in choices)
        message = f"{shown} is not one of {known}; no item of the list is ever that"
        near = did_you_mean(value, [one for one in choices if isinstance(one, str)]) if isinstance(value, str) else ""
        yield codes.ENUM_LITERAL.at(site.at(literal), message, help=near)
    elif not choices and kinds(item) and kind_of(value) not in kinds(item):
        got, want = WORDS[kind_of(value)], " or ".join(sorted(WORDS.get(one, one) for one in kinds(item)))
        message = f"{shown} is {got}, and the items of the list are {want}; this is always false"
        yield codes.OPERAND_TYPES.at(site.at(literal), message)


def _takes(allowed: str, argument: Group | Shape | None) -> bool:
    kind, _, inner = allowed.partition("-")
    items = kinds(elements(argument))
    return kind in kinds(argument) and (not inner or not items or inner in items)


def last(node: Tree) -> Tree:
    """The name or literal that a piece ends with, to point at."""
    while node["type"] in ("subexpression", "index_expression") and isinstance(node["children"][-1], dict):
        if node["children"][-1]["type"] in ("index", "slice"):
            return last(node["children"][0])
        node = node["children"][-1]
    return node


def result(node: Tree, arguments: Sequence[Group | Shape | None]) -> Group | Shape | None:
    """What the call gives."""
    name = str(node["value"])
    if name in ("sort", "sort_by", "reverse") and arguments and kinds(arguments[0]) == {"array"}:
        return arguments[0]
    if name in ("max", "max_by", "min", "min_by") and arguments:
        return elements(arguments[0])
    if name == "not_null" and all(kinds(argument) for argument in arguments):
        return typed(*sorted(frozenset().union(*map(kinds, arguments))))
    if name == "to_number":
        return typed("number", "null")
    return next((typed(kind) for kind, names in _GIVES.items() if name in names), None)
