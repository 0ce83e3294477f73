"""Filters of a template: the values they take and make, and their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Shape, UnknownName, describe_types, resolve_path
from aurora.interpreter.problems import codes, did_you_mean, list_names
from aurora.interpreter.templates import find_argument_fault, list_tags

from .fault import TemplateFault
from .values import build_list, build_value, infer_iterated, list_types, mark_own, unite_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.checks.expressions import Namespace
    from aurora.interpreter.templates import Token

    from .expression import Node

    Value = Namespace | Shape | None

_SEQUENCES = frozenset({"array", "object", "string"})
_LIST_FILTERS = frozenset(
    {"batch", "count", "first", "groupby", "join", "length", "list", "map", "max", "min", "reject", "rejectattr"}
    | {"reverse", "select", "selectattr", "slice", "sort", "sum", "unique"}
)
_FILTER_TYPES = {
    **dict.fromkeys(_LIST_FILTERS, _SEQUENCES),
    **dict.fromkeys(("abs", "filesizeformat", "round"), frozenset({"number"})),
    **dict.fromkeys(("dictsort", "items"), frozenset({"object"})),
    **dict.fromkeys(("lines", "split", "truncate"), frozenset({"string"})),
    "last": frozenset({"array", "string"}),
}
"""The types of the values that a filter takes; another filter takes any. Measured with minijinja 3."""
_NUMBERS = frozenset({"abs", "count", "float", "int", "length", "round", "sum", "wordcount"})
_TEXTS = frozenset(
    {"capitalize", "center", "e", "escape", "filesizeformat", "format", "indent", "join", "lower", "pprint", "replace"}
    | {"safe", "string", "striptags", "title", "tojson", "trim", "truncate", "upper", "urlencode", "wordwrap"}
)
_SAME_ITEMS = frozenset({"list", "reject", "rejectattr", "select", "selectattr", "sort", "unique"})
_TEXT_LISTS = frozenset({"lines", "split"})
_ITEMS = frozenset({"first", "last", "max", "min", "random"})
_ATTRIBUTE_FIRST = frozenset({"groupby", "rejectattr", "selectattr"})
"""Filters whose first argument is an attribute."""
_ATTRIBUTE_NAMED = frozenset({"groupby", "map", "max", "min", "sort", "sum", "unique"})
_LETTER_FILTERS = frozenset({"capitalize", "lower", "title", "trim", "upper", "wordcount", "wordwrap", "striptags"})
"""Filters for letters, which print a list or an object as Python does before they begin."""
_ORDERING_FILTERS = frozenset({"max", "min", "sort"})
_STRUCTURES = frozenset({"array", "object"})
_SUMMABLE = frozenset({"number", "boolean"})


def check_filter(node: Node, value: Value) -> Iterator[TemplateFault]:
    """Report a filter that does not take such a value, or an attribute that its items lack."""
    types, wanted = list_types(value), _FILTER_TYPES.get(node.word)
    label = value.label if isinstance(value, Shape) else "its value"
    if wanted is not None and types and not types & wanted:
        needed = "a list or a text" if wanted == _SEQUENCES else describe_types(wanted)
        message = f'"{node.word}" needs {needed}, and {label} is {describe_types(types)}'
        yield TemplateFault(codes.ARGUMENT_TYPE, node.span, message)
        return
    yield from _check_attributes(node, infer_iterated(value))
    items = list_types(infer_item_of(node, value))
    if node.word == "sum" and items and not items & _SUMMABLE:
        message = f'"sum" adds numbers, and the items of {label} are {describe_types(items)} each'
        help_ = 'name the field that it adds: `| sum(attribute="…")`' if items == {"object"} else ""
        yield TemplateFault(codes.ARGUMENT_TYPE, node.span, message, help_)
    if node.word == "join" and items and items <= _STRUCTURES:
        message = f'"join" prints each item of {label} as Python would: each is {describe_types(items)}'
        help_ = "join one field of each, `| map(attribute='…') | join(', ')`, or write a loop"
        yield TemplateFault(codes.STRUCTURE_AS_TEXT, node.span, message, help_)
    if node.word in _ORDERING_FILTERS and items == {"object"}:
        message = f'"{node.word}" orders the items of {label} by all their fields: each is an object'
        help_ = f"name the field that it orders by: `| {node.word}(attribute='…')`"
        yield TemplateFault(codes.STRUCTURE_AS_TEXT, node.span, message, help_)
    if node.word in _LETTER_FILTERS and types and types <= _STRUCTURES:
        message = f'"{node.word}" prints {label} as Python would before it begins: it is {describe_types(types)}'
        help_ = f"apply it to each text: `| map('{node.word}') | join(', ')`"
        yield TemplateFault(codes.STRUCTURE_AS_TEXT, node.span, message, help_)


def infer_item_of(node: Node, value: Value) -> Value:
    """Infer what a filter goes through: the items, or that attribute of each."""
    item = infer_iterated(value)
    attribute = next((part.value for name, part in node.named if name == "attribute"), None)
    if not isinstance(attribute, str):
        return item if attribute is None and "attribute" not in dict(node.named) else None
    found = resolve_path(item, attribute.split(".")) if item is not None else None
    return None if isinstance(found, UnknownName) else found


def infer_filter(node: Node, value: Value, arguments: Sequence[Value]) -> Value:
    """Infer what a filter makes of a value."""
    word, label = node.word, f'the result of "{node.word}"'
    if word in _NUMBERS:
        return build_value(label, "number")
    if word in _TEXTS:
        return build_value(label, "string")
    if word in _TEXT_LISTS:
        return build_list(label, build_value("a text", "string"))
    if word in _ITEMS:
        return infer_iterated(value)
    if word in ("default", "d"):
        return mark_own(value) if not arguments else unite_values(mark_own(value), arguments[0])
    return _infer_list(node, value, label)


def _infer_list(node: Node, value: Value, label: str) -> Value:
    """Infer the list that a filter makes."""
    item = infer_iterated(value)
    if node.word in _SAME_ITEMS or node.word == "reverse":
        return mark_own(value) if list_types(value) == {"array"} or node.word == "reverse" else build_list(label, item)
    if node.word in ("batch", "slice"):
        return build_list(label, build_list(label, item))
    if node.word == "map":
        return build_list(label, _infer_mapped(node, value))
    return build_list(label, None) if node.word in ("dictsort", "groupby", "items") else None


def _infer_mapped(node: Node, value: Value) -> Value:
    """Infer an item of `map`: an attribute, or what a filter makes of an item."""
    if any(name == "attribute" for name, _ in node.named):
        return infer_item_of(node, value)
    name = node.children[1].value if len(node.children) > 1 else None
    if name in _TEXTS or name in _NUMBERS:
        return build_value("its result", "string" if name in _TEXTS else "number")
    return None


def _check_attributes(node: Node, item: Value) -> Iterator[TemplateFault]:
    """Report the attributes of its items that a filter names and none has."""
    named = dict(node.named)
    part = named.get("attribute") if node.word in _ATTRIBUTE_NAMED else None
    if node.word in _ATTRIBUTE_FIRST and len(node.children) > 1:
        part = node.children[1]
    if part is None or not isinstance(part.value, str) or "default" in named:
        return
    for path in part.value.split(",") if node.word == "sort" else [part.value]:
        found = resolve_path(item, path.strip().split(".")) if item is not None else None
        if isinstance(found, UnknownName):
            choices = f"; expected one of {list_names(found.known)}" if found.known else ""
            word = path.strip().split(".")[found.index]
            message = f'"{node.word}" takes "{path.strip()}" of each item: {found.sentence}{choices}'
            yield TemplateFault(codes.TEMPLATE_VARIABLE, part.span, message, did_you_mean(word, found.known))


def check_filter_arguments(text: str) -> Iterator[TemplateFault]:
    """Report filters with too few or too many arguments."""
    for tag in list_tags(text):
        for at, token in enumerate(tag.tokens[:-1]):
            following = tag.tokens[at + 1]
            if token.text == "|" and token.kind == "sign" and following.kind == "name":
                positional, named = _count_arguments(tag.tokens[at + 2 :])
                fault = find_argument_fault(following.text, positional, named)
                if fault in ("missing", "too many"):
                    message = f'the filter "{following.text}" has {fault} arguments'.replace(
                        "missing arg", "too few arg"
                    )
                    yield TemplateFault(codes.TEMPLATE_SYNTAX, following.span, message)


def _count_arguments(tokens: Sequence[Token]) -> tuple[int, tuple[str, ...]]:
    """Count the arguments between the brackets that follow, and list the names of those with a name."""
    if not tokens or tokens[0].text != "(":
        return 0, ()
    parts: list[list[Token]] = []
    part: list[Token] = []
    depth = 0
    for token in tokens:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0) if token.kind == "sign" else 0
        if depth == 0:
            break
        if depth == 1 and token.text == ",":
            parts.append(part)
            part = []
        elif not (depth == 1 and token.text == "(" and token is tokens[0]):
            part.append(token)
    parts = [found for found in [*parts, part] if found]
    named = tuple(found[0].text for found in parts if len(found) > 1 and found[1].text == "=")
    return len(parts) - len(named), named
