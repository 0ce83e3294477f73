"""Filters of a template: the types of their values, and the number of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import describe_types, infer_json_types
from aurora.interpreter.problems import codes
from aurora.interpreter.templates import find_argument_fault, list_tags

from .fault import TemplateFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.checks.expressions import Shape
    from aurora.interpreter.templates import Token

    from .reads import Read

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
"""The types of the values that a filter takes; another filter takes any. Measured with minijinja 2."""


def check_filter(read: Read, shape: Shape) -> Iterator[TemplateFault]:
    """Report a filter that does not take a value of this type."""
    tokens = read.tag.tokens[read.find_ends()[1] :]
    words = [token.text for token in tokens[:2]]
    wanted = _FILTER_TYPES.get(words[1]) if words[:1] == ["|"] and words[1:] else None
    types = infer_json_types(shape) - {"null"}
    if wanted is not None and types and not types & wanted:
        needed = "a list or a text" if wanted == _SEQUENCES else describe_types(wanted)
        message = f'"{words[1]}" needs {needed}, and {shape.label} is {describe_types(types)}'
        yield TemplateFault(codes.ARGUMENT_TYPE, tokens[1].span, message)


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
