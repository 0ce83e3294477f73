"""`when` must come out true or false: the plain cases where it never does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import codes
from .tree import field_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..problems import Problem
    from .sites import Site
    from .tree import Tree

_NUMBERS = frozenset({"abs", "avg", "ceil", "floor", "length", "sum", "to_number"})
_TEXTS = frozenset({"join", "to_string", "type"})
_LISTS = frozenset({"keys", "map", "reverse", "sort", "sort_by", "to_array", "values"})
_OBJECTS = frozenset({"merge"})
_FUNCTIONS = (("a number", _NUMBERS), ("a text", _TEXTS), ("a list", _LISTS), ("an object", _OBJECTS))
_NODES = {
    "projection": "a list",
    "value_projection": "a list",
    "filter_projection": "a list",
    "multi_select_list": "a list",
    "multi_select_dict": "an object",
}
_TYPES = {"string": "a text", "number": "a number", "integer": "a number", "array": "a list", "object": "an object"}
_REMEDIES = {
    "a number": "compare it with a number, as in `length(items) > `0``",
    "a text": "compare it with a text, as in `verdict == 'PASS'`",
    "a list": "ask for its length, as in `length(items) > `0``",
    "an object": "compare one of its fields",
}


def problems(site: Site, tree: Tree) -> Iterator[Problem]:
    """A `when` that gives a number, a text, a list or an object."""
    kind = _kind(site, tree)
    if kind is not None:
        message = f'"when" must be true or false, and this is {kind}'
        yield codes.NOT_BOOLEAN.at(site.place((0, len(site.text))), message, help=_REMEDIES[kind])


def _kind(site: Site, tree: Tree) -> str | None:
    if tree["type"] in _NODES:
        return _NODES[tree["type"]]
    if tree["type"] == "function_expression":
        return next((kind for kind, names in _FUNCTIONS if tree["value"] in names), None)
    if tree["type"] == "literal":
        return {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}.get(
            type(tree["value"])
        )
    path = field_path(tree)
    schema = site.schema(path) if path else None
    said = schema.get("type") if schema else None
    if schema and all(isinstance(choice, str) for choice in schema.get("enum", (None,))):
        said = "string"
    return _TYPES.get(said) if isinstance(said, str) else None
