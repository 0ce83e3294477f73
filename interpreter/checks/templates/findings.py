"""Faults of what a template does with its values: fields, methods, loops, comparisons and filters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import (
    Shape,
    UnknownName,
    describe_types,
    infer_json_types,
    list_choices,
    summarize_schema,
)
from aurora.interpreter.problems import codes, did_you_mean, find_nearest, list_names
from aurora.interpreter.templates import find_argument_fault, list_tags

from .reads import read_template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions import Namespace
    from aurora.interpreter.problems import ProblemKind
    from aurora.interpreter.templates import Token

    from .reads import Read

_PYTHON_TYPES: dict[str, type] = {"string": str, "array": list, "object": dict, "number": float, "boolean": bool}
_LOOPLESS = frozenset({"number", "boolean", "null"})
_LIST_FILTERS = frozenset(
    {"batch", "first", "groupby", "join", "last", "list", "map", "reject", "rejectattr", "reverse", "select"}
    | {"selectattr", "slice", "sort", "unique", "length", "count"}
)
"""Filters that neither a number nor a boolean has."""
_EQUALITY = frozenset({"==", "!="})
_BORDERS = frozenset({"and", "or", "not", "if", "elif", "else", "in", "(", ")", "[", "]", ",", "=", ":"})
_LITERALS: dict[str, Any] = {"true": True, "false": False, "True": True, "False": False}


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """A fault of a template, at a span of its characters."""

    kind: ProblemKind
    span: tuple[int, int]
    message: str
    help: str = ""


def find_template_faults(text: str, scope: Mapping[str, Namespace | Shape | None]) -> Iterator[TemplateFault]:
    """Find the faults of a template over the names of its scope.

    A field below a name of the scope, with plain dots, is left to the check of variables.
    """
    for read in read_template(text, scope):
        yield from _check_field(read)
        yield from _check_method(read)
        if isinstance(read.found, Shape) and not read.path.is_called:
            yield from _check_loop(read, read.found)
            yield from _check_comparison(read, read.found)
            yield from _check_filtered(read, read.found)
    yield from _check_filter_arguments(text)


def _check_field(read: Read) -> Iterator[TemplateFault]:
    found = read.found
    if not isinstance(found, UnknownName) or (read.path.is_dotted and not read.is_own):
        return
    choices = f"; expected one of {list_names(found.known)}" if found.known else ""
    word = next((part for part in read.path.parts if f'"{part}"' in found.sentence.split(" in ", 1)[0]), "")
    at = read.path.parts.index(word) if word in read.path.parts else len(read.path.parts) - 1
    yield TemplateFault(
        codes.TEMPLATE_VARIABLE,
        read.path.tokens[at].span,
        f'"{read.name}": {found.sentence}{choices}',
        did_you_mean(word, found.known),
    )


def _check_method(read: Read) -> Iterator[TemplateFault]:
    """Report a call of a method that the value lacks; the values are those of Python."""
    if not read.path.is_called or not isinstance(read.found, Shape):
        return
    method = read.path.parts[-1]
    types = infer_json_types(read.found) - {"null"}
    if types and not any(hasattr(_PYTHON_TYPES.get(name, dict), method) for name in types):
        message = f'"{method}" is not a method of {read.found.label}, which is {describe_types(types)}'
        help_ = f"use the filter: `| {method}`" if find_argument_fault(method, 0, ()) != "unknown" else ""
        yield TemplateFault(codes.TEMPLATE_VARIABLE, read.path.tokens[-1].span, message, help_)


def _check_loop(read: Read, shape: Shape) -> Iterator[TemplateFault]:
    types = infer_json_types(shape)
    if read.is_looped and types and types <= _LOOPLESS:
        message = f"a loop needs a list, and {shape.label} is {describe_types(types)}"
        yield TemplateFault(codes.SCHEMA_MISFIT, read.path.tokens[-1].span, message, "name the list itself")


def _check_comparison(read: Read, shape: Shape) -> Iterator[TemplateFault]:
    """Report a comparison with a literal that the value never equals."""
    sign, literal = _find_comparison(read)
    if literal is None:
        return
    value, span = literal
    always = "false" if sign == "==" else "true"
    choices, types = list_choices(summarize_schema(shape)), infer_json_types(shape)
    if choices is not None and not any(
        isinstance(one, bool) is isinstance(value, bool) and one == value for one in choices
    ):
        allowed = ", ".join(json.dumps(one, ensure_ascii=False) for one in choices)
        near = find_nearest(str(value), [one for one in choices if isinstance(one, str)])
        message = f"{json.dumps(value, ensure_ascii=False)} is not one of {allowed}; this test is always {always}"
        yield TemplateFault(codes.ENUM_LITERAL, span, message, f'did you mean "{near}"?' if near else "")
    elif choices is None and types and _get_type(value) not in types:
        sides = (
            f"{shape.label} is {describe_types(types)}, and {json.dumps(value)} is {describe_types([_get_type(value)])}"
        )
        yield TemplateFault(codes.OPERAND_TYPES, span, f"{sides}; this test is always {always}")


def _find_comparison(read: Read) -> tuple[str, tuple[Any, tuple[int, int]] | None]:
    """Find the literal that the path is compared with, on either side of it, and the sign."""
    tokens = read.tag.tokens
    start, end = _find_ends(read)
    before, after = tokens[:start], tokens[end:]
    if _is_border(before[-1:]) and after[:1] and after[0].text in _EQUALITY and _is_border(after[2:3]):
        return after[0].text, _read_literal(after[1:2])
    if _is_border(after[:1]) and before[-1:] and before[-1].text in _EQUALITY and _is_border(before[-3:-2]):
        return before[-1].text, _read_literal(before[-2:-1])
    return "", None


def _find_ends(read: Read) -> tuple[int, int]:
    """Find the places of the path's first token, and behind its last one."""
    tokens, path = read.tag.tokens, read.path
    start = next((at for at, token in enumerate(tokens) if token is path.tokens[0]), 0)
    return start, start + path.end - path.start


def _is_border(tokens: Sequence[Token]) -> bool:
    """Return whether an operand ends here: at the end of the tag, a word, a bracket or a comma."""
    return not tokens or tokens[0].text in _BORDERS


def _read_literal(tokens: Sequence[Token]) -> tuple[Any, tuple[int, int]] | None:
    """Read a literal, with its span."""
    if not tokens:
        return None
    token = tokens[0]
    if token.kind == "string" and "\\" not in token.text:
        return token.text[1:-1], token.span
    if token.kind == "number" and "_" not in token.text:
        return (float(token.text) if "." in token.text else int(token.text)), token.span
    return (_LITERALS[token.text], token.span) if token.text in _LITERALS else None


def _get_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "number"


def _check_filtered(read: Read, shape: Shape) -> Iterator[TemplateFault]:
    """Report a filter of lists behind a number or a boolean."""
    tokens = read.tag.tokens[_find_ends(read)[1] :]
    words = [token.text for token in tokens[:2]]
    types = infer_json_types(shape)
    if words[:1] == ["|"] and words[1:] and words[1] in _LIST_FILTERS and types and types <= {"number", "boolean"}:
        message = f'"{words[1]}" needs a list or a text, and {shape.label} is {describe_types(types)}'
        yield TemplateFault(codes.ARGUMENT_TYPE, tokens[1].span, message)


def _check_filter_arguments(text: str) -> Iterator[TemplateFault]:
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
