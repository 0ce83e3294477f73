"""Check of function calls: signatures, argument types and result types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jmespath.functions import Functions

from aurora.interpreter.problems import Fix, codes, did_you_mean, list_names, suggest_fix

from . import tokens
from .choices import list_choices, summarize_schema
from .shapes import Shape
from .tree import to_field_path
from .types import build_typed_shape, get_json_type, infer_item, infer_json_types, infer_values
from .wording import TYPE_LABELS, describe_types, format_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aurora.interpreter.problems import Place, Problem

    from .shapes import Namespace
    from .sites import ExpressionSite
    from .tree import Tree

_RETURN_TYPES = {
    "number": {"abs", "avg", "ceil", "floor", "length", "sum"},
    "string": {"join", "to_string", "type"},
    "array": {"keys", "map", "sort", "sort_by", "to_array", "values"},
    "object": {"merge"},
    "boolean": {"contains", "ends_with", "starts_with"},
}


_TYPES = frozenset({"array", "boolean", "null", "number", "object", "string"})
"""The results of the function `type`."""


def load_signatures() -> dict[str, list[dict[str, Any]]]:
    """Load the library's functions, each with the types of its arguments."""
    return {name: function["signature"] for name, function in Functions.FUNCTION_TABLE.items()}


def check_signature(site: ExpressionSite, node: Tree) -> Iterator[Problem]:
    """Report an unknown function, or a wrong number of arguments."""
    known, name = load_signatures(), str(node["value"])
    if name not in known:
        message = f'there is no function "{name}"; expected one of {list_names(known, most=40)}'
        yield codes.UNKNOWN_FUNCTION.make_problem(
            _locate_function(site, node), message, help=did_you_mean(name, known), fix=suggest_fix(name, known)
        )
        return
    signature = known[name]
    variadic = bool(signature and signature[-1].get("variadic"))
    wanted, got = len(signature), len(node["children"])
    if got < wanted or (got > wanted and not variadic):
        count = f"{'at least ' if variadic else ''}{wanted} argument{'' if wanted == 1 else 's'}"
        yield codes.UNKNOWN_FUNCTION.make_problem(_locate_function(site, node), f'"{name}" takes {count}, not {got}')
    for part in find_missing_references(node):
        path = ".".join(to_field_path(part) or ())
        message = f'"{name}" needs the field of an item here, as an expression after &'
        fix = Fix(path, f"&{path}")
        yield codes.ARGUMENT_TYPE.make_problem(site.locate_parts(part), message, help=f"write `&{path}`", fix=fix)


def find_missing_references(node: Tree) -> Iterator[Tree]:
    """Find the arguments that are a path, where a function takes an expression after `&`."""
    if node["type"] == "function_expression":
        for part, wanted in zip(node["children"], load_signatures().get(node["value"], ()), strict=False):
            if wanted.get("types") == ["expref"] and to_field_path(part) is not None:
                yield part


def _locate_function(site: ExpressionSite, node: Tree) -> Place:
    is_known = bool(site.node_spans)
    return site.locate_node(node) if is_known else site.locate_span(tokens.find_function(site.text, node["value"]))


def check_arguments(
    site: ExpressionSite, node: Tree, arguments: Sequence[Namespace | Shape | None]
) -> Iterator[Problem]:
    """Report arguments of a type that the function rejects."""
    name = str(node["value"])
    signature = load_signatures().get(name, [])
    for index, argument in enumerate(arguments):
        if not signature or (index >= len(signature) and not signature[-1].get("variadic")):
            return
        allowed = list(signature[min(index, len(signature) - 1)].get("types") or ())
        if allowed == ["expref"] and to_field_path(node["children"][index]) is not None:
            continue  # the missing & has a report of its own
        found = infer_json_types(argument)
        if allowed and found and not any(_is_accepted(type_, argument) for type_ in allowed):
            wanted = " or ".join(TYPE_LABELS.get(type_, type_) for type_ in allowed)
            got = describe_types(found)
            message = f'argument {index + 1} of "{name}" must be {wanted}, and is {got}; the call would fail'
            place = site.locate_node(find_last_name(node["children"][index]))
            yield codes.ARGUMENT_TYPE.make_problem(place, message)
    if name == "contains" and len(arguments) == len(signature):
        yield from _check_contains(site, node, arguments)


def _check_contains(
    site: ExpressionSite, node: Tree, arguments: Sequence[Namespace | Shape | None]
) -> Iterator[Problem]:
    """Report a literal that no item of the list can equal."""
    first, second = infer_json_types(arguments[0]), infer_json_types(arguments[1])
    if first == {"string"} and second and not second & {"string", "null"}:
        message = f'a text contains texts only, and argument 2 of "contains" is {describe_types(second)}; this is false'
        help_ = "the list comes first: `contains(LIST, VALUE)`" if second == {"array"} else ""
        place = site.locate_node(find_last_name(node["children"][1]))
        yield codes.OPERAND_TYPES.make_problem(place, message, help=help_)
    listed, sought = node["children"]
    item = infer_item(arguments[0])
    if sought["type"] == "literal" and infer_json_types(arguments[0]) == {"array"}:
        yield from _check_item(site, sought, sought["value"], item, "no item of the list ever equals it")
    for literal, value in _list_literals(listed):
        if sought["type"] != "literal" and value is not None:
            yield from _check_item(site, literal, value, arguments[1], "so it never counts")


def _list_literals(listed: Tree) -> list[tuple[Tree, Any]]:
    """List the literals of a list that is written out, each with the part of the expression where it is."""
    if listed["type"] == "literal" and isinstance(listed["value"], list):
        return [(listed, value) for value in listed["value"]]
    children = listed["children"] if listed["type"] == "multi_select_list" else []
    return [(child, child["value"]) for child in children if child["type"] == "literal"]


def _check_item(
    site: ExpressionSite, literal: Tree, value: Any, shape: Namespace | Shape | None, effect: str
) -> Iterator[Problem]:
    """Report a literal that a value of this shape never equals."""
    if not isinstance(shape, Shape):
        return
    choices, types = list_choices(summarize_schema(shape)), infer_json_types(shape)
    types = types or frozenset(map(get_json_type, choices or ()))
    shown = format_literal(value)
    if types and get_json_type(value) not in types:
        message = (
            f"{shown} is {TYPE_LABELS[get_json_type(value)]}, and what it is compared with is {describe_types(types)}"
        )
        yield codes.OPERAND_TYPES.make_problem(site.locate_node(literal), f"{message}; {effect}")
    elif choices is not None and not any(
        get_json_type(one) == get_json_type(value) and one == value for one in choices
    ):
        texts = [choice for choice in choices if isinstance(choice, str)]
        help_ = did_you_mean(value, texts) if isinstance(value, str) else ""
        message = f"{shown} is not one of {', '.join(map(format_literal, choices))}; {effect}"
        yield codes.ENUM_LITERAL.make_problem(site.locate_node(literal), message, help=help_)


def _is_accepted(allowed: str, argument: Namespace | Shape | None) -> bool:
    kind, _, inner = allowed.partition("-")
    items = infer_json_types(infer_item(argument))
    return kind in infer_json_types(argument) and (not inner or not items or inner in items)


def find_last_name(node: Tree) -> Tree:
    """Find the last name or literal of a node, to point at."""
    while node["type"] in ("subexpression", "index_expression") and isinstance(node["children"][-1], dict):
        if node["children"][-1]["type"] in ("index", "slice"):
            return find_last_name(node["children"][0])
        node = node["children"][-1]
    return node


def infer_result(node: Tree, arguments: Sequence[Namespace | Shape | None]) -> Namespace | Shape | None:
    """Infer the type of a call's result."""
    name = str(node["value"])
    if arguments and name in _RESULTS:
        return _RESULTS[name](arguments[0])
    if name == "not_null" and all(infer_json_types(argument) for argument in arguments):
        return build_typed_shape(*sorted(frozenset().union(*map(infer_json_types, arguments))))
    return next((build_typed_shape(kind) for kind, names in _RETURN_TYPES.items() if name in names), None)


def _infer_sorted(value: Namespace | Shape | None) -> Namespace | Shape | None:
    return value if infer_json_types(value) == {"array"} else build_typed_shape("array")


def _infer_number(value: Namespace | Shape | None) -> Shape:
    """Infer the number that a value is converted to: null where a text is none."""
    return build_typed_shape("number") if infer_json_types(value) == {"number"} else build_typed_shape("number", "null")


def _infer_type_name(value: Namespace | Shape | None) -> Shape:
    schema = {"enum": sorted({*(infer_json_types(value) or _TYPES), "null"})}
    return Shape(schema, schema, "its type")


def _infer_keys(value: Namespace | Shape | None) -> Shape:
    """Infer the list of an object's keys; they are known if it has no other field."""
    schema = value.resolve() if isinstance(value, Shape) else None
    fields = schema.get("properties") if schema is not None and schema.get("additionalProperties") is False else None
    names = list(fields) if isinstance(fields, dict) else []
    items = {"enum": names} if names else {"type": "string"}
    return Shape({"type": "array", "items": items}, {}, "the list of keys")


_RESULTS: dict[str, Callable[[Namespace | Shape | None], Namespace | Shape | None]] = {
    **dict.fromkeys(("sort", "sort_by"), _infer_sorted),
    "reverse": lambda value: value if infer_json_types(value) == {"array"} else None,
    **dict.fromkeys(("max", "max_by", "min", "min_by"), infer_item),
    "keys": _infer_keys,
    "to_number": _infer_number,
    "type": _infer_type_name,
    "values": infer_values,
}
"""What a function makes of its first argument."""
