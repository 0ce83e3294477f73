"""Literals in a template that a value never equals: `kind == 'feture'`, `kind in ['bug', 'feture']`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import (
    Shape,
    describe_types,
    infer_item,
    infer_json_types,
    list_choices,
    summarize_schema,
)
from aurora.interpreter.problems import codes, find_nearest

from .fault import TemplateFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.templates import Token

    from .reads import Read

    Literal = tuple[Any, tuple[int, int]]

_EQUALITY = frozenset({"==", "!="})
_BORDERS = frozenset({"and", "or", "not", "if", "elif", "else", "in", "(", ")", "[", "]", ",", "=", ":"})
_LITERALS: dict[str, Any] = {"true": True, "false": False, "True": True, "False": False}
_BRACKETS = {"[": "]", "(": ")"}


def check_literals(read: Read, shape: Shape) -> Iterator[TemplateFault]:
    """Report the literals that a path is compared with and never equals."""
    sign, literal = _find_comparison(read)
    if literal is not None:
        always = "false" if sign == "==" else "true"
        yield from _check_literal(literal, shape, f"this test is always {always}")
    for listed in _find_membership(read):
        yield from _check_literal(listed, shape, "so it never counts")
    item, sought = infer_item(shape), _find_sought(read)
    if sought is not None and item is not None and infer_json_types(shape) == {"array"}:
        yield from _check_literal(sought, item, "no item of the list ever equals it")


def _check_literal(literal: Literal, shape: Shape, effect: str) -> Iterator[TemplateFault]:
    value, span = literal
    choices, types = list_choices(summarize_schema(shape)), infer_json_types(shape)
    types = types or frozenset(_get_type(choice) for choice in choices or ())
    shown = json.dumps(value, ensure_ascii=False)
    if types and _get_type(value) not in types:
        sides = f"{shape.label} is {describe_types(types)}, and {shown} is {describe_types([_get_type(value)])}"
        yield TemplateFault(codes.OPERAND_TYPES, span, f"{sides}; {effect}")
    elif choices is not None and not any(_get_type(one) == _get_type(value) and one == value for one in choices):
        allowed = ", ".join(json.dumps(one, ensure_ascii=False) for one in choices)
        near = find_nearest(str(value), [one for one in choices if isinstance(one, str)])
        help_ = f'did you mean "{near}"?' if near else ""
        yield TemplateFault(codes.ENUM_LITERAL, span, f"{shown} is not one of {allowed}; {effect}", help_)


def _find_comparison(read: Read) -> tuple[str, Literal | None]:
    """Find the literal that the path is compared with, on either side of it, and the sign."""
    before, after = _split_tokens(read)
    if _is_border(before[-1:]) and after[:1] and after[0].text in _EQUALITY and _is_border(after[2:3]):
        return after[0].text, _read_literal(after[1:2])
    if _is_border(after[:1]) and before[-1:] and before[-1].text in _EQUALITY and _is_border(before[-3:-2]):
        return before[-1].text, _read_literal(before[-2:-1])
    return "", None


def _find_membership(read: Read) -> Iterator[Literal]:
    """Find the literals of a list in brackets in which the path is looked for."""
    before, after = _split_tokens(read)
    words = [token.text for token in after[:2]]
    at = 1 if words[:1] == ["in"] else 2 if words == ["not", "in"] else 0
    closing = _BRACKETS.get(after[at].text) if at and at < len(after) else None
    if closing is None or not _is_border(before[-1:]) or read.tag.word == "for":
        return
    end = next((place for place, token in enumerate(after) if place > at and token.text == closing), at)
    for place in range(at + 1, end):
        literal = _read_literal(after[place : place + 1])
        is_alone = after[place - 1].text in (*_BRACKETS, ",") and after[place + 1].text in (closing, ",")
        if literal is not None and is_alone:
            yield literal


def _find_sought(read: Read) -> Literal | None:
    """Find the literal that is looked for in the path: `'hot' in labels`."""
    before, after = _split_tokens(read)
    if not _is_border(after[:1]) or not before or before[-1].text != "in" or read.is_looped:
        return None
    rest = before[:-2] if [token.text for token in before[-2:-1]] == ["not"] else before[:-1]
    return _read_literal(rest[-1:]) if _is_border(rest[-2:-1]) else None


def _split_tokens(read: Read) -> tuple[Sequence[Token], Sequence[Token]]:
    """Return the tokens of the tag before and behind the path."""
    start, end = read.find_ends()
    return read.tag.tokens[:start], read.tag.tokens[end:]


def _is_border(tokens: Sequence[Token]) -> bool:
    """Return whether an operand ends here: at the end of the tag, a word, a bracket or a comma."""
    return not tokens or tokens[0].text in _BORDERS


def _read_literal(tokens: Sequence[Token]) -> Literal | None:
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
    names = ((str, "string"), (int | float, "number"), (list, "array"), (type(None), "null"))
    return next((name for kind, name in names if isinstance(value, kind)), "object")
