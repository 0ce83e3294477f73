"""Remedies for values of a wrong type: another spelling, quotes, or an example."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.problems import Fix
from aurora.interpreter.yaml import to_key_text

if TYPE_CHECKING:
    from aurora.interpreter.yaml import Node

Loc = tuple[str | int, ...]


def suggest_spelling(node: Node, kind: str) -> Fix | None:
    """Suggest the value for `yes`, true in older YAML, or for a number in quotes.

    Args:
        node: the written value.
        kind: pydantic's error, `bool_type` or `int_type`.
    """
    if node.kind != "scalar" or not isinstance(node.value, str) or node.style in ("|", ">", "*"):
        return None
    written = f"{node.style}{node.value}{node.style}"
    if kind == "bool_type" and (target := _BOOLEAN_WORDS.get(node.value.lower())):
        return Fix(written, target)
    if kind == "int_type" and _GROUPED.fullmatch(node.value):
        return Fix(written, node.value.replace("_", ""))
    if kind == "int_type" and node.style and re.fullmatch(r"[1-9][0-9]{0,8}", node.value):
        return Fix(written, node.value)
    return None


_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:_[0-9]{3}){1,2}")
_SHOWN_NAMES = 5
_BOOLEAN_WORDS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
"""Words that are true or false in older YAML, or without their quotes."""


def suggest_quotes(node: Node) -> Fix | None:
    """Suggest quotes around a value, unless it reads differently, as `1.10` does."""
    if node.kind != "scalar" or node.value is None or node.style:
        return None
    text = to_key_text(node.value)
    return Fix(text, f'"{text}"') if node.place.end_column - node.place.column == len(text) else None


def suggest_remedy(node: Node, loc: Loc, kind: str) -> str:
    """Suggest in words what to write in place of a value of another type."""
    if node.kind != "scalar" or node.value is None:
        return _suggest_structure(node, loc, kind)
    if kind == "string_type":
        if suggest_quotes(node) is None:  # `1.10` reads as 1.1, so its text cannot be shown
            return "put it in quotes, as it is written"
        return f'put it in quotes: "{to_key_text(node.value)}"'
    if kind == "tuple_type":
        return f"write [{node.value}]"
    return _suggest_mapping(node, loc) if kind in _COLLECTION_ERRORS else ""


def _suggest_structure(node: Node, loc: Loc, kind: str) -> str:
    """Suggest what to write in place of a list or of nothing."""
    if node.kind == "scalar":
        return "indent what belongs to it, below it" if kind in _COLLECTION_ERRORS else ""
    if node.kind != "list" or kind not in _COLLECTION_ERRORS or kind == "tuple_type":
        return ""
    names = [child.value for child in node.children]
    if not names or not all(isinstance(name, str) and name.isidentifier() for name in names):
        return "write a name in place of each dash: `NAME: …`"
    value = "{ type: string }" if loc[-1] in ("inputs", "form") else "…"
    return f"write a mapping, `{{ {', '.join(f'{name}: {value}' for name in names[:_SHOWN_NAMES])} }}`"


def _suggest_mapping(node: Node, loc: Loc) -> str:
    match loc:
        case (_, _, "inputs", _, *_):
            return "for example `{ type: string }`"
        case ("output", _):
            return f"for example `{{ from: {node.value} }}`"
        case (_, _, "person", "form", _):
            return f"for example `{{ type: {node.value if node.value in _FIELD_TYPES else 'string'} }}`"
        case (_, _, "next_action", _, *_):
            return f"for example `{{ then: {node.value} }}`"
        case (_, _, str(key)) | (str(key),) if key in _MAPPING_EXAMPLES:
            return f"for example `{_MAPPING_EXAMPLES[key].format(node.value)}`"
        case _:
            return ""


_FIELD_TYPES = frozenset({"string", "number", "integer", "boolean"})
_MAPPING_EXAMPLES = {
    "budget": "{{ tokens: {} }}",
    "person": '{{ message: "{}" }}',
    "for_each": "{{ in: {}, as: item, max: 5 }}",
    "hints": "{{ context: fresh }}",
    "with": '{{ query: "inputs.query" }}',
    "requires": '{{ aurora: ">=0.1" }}',
}
"""An example of the mapping that a key takes, in which `{}` is the single value in its place."""

_COLLECTION_ERRORS = ("dict_type", "model_type", "model_attributes_type", "tuple_type")
