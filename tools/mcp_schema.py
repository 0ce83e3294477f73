"""A model's JSON Schema as hosts take it best: no titles, no references, no branches for null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a tool's arguments; an optional one may be left out, and so does not say that it may be null."""
    return _tidy(model.model_json_schema(), may_be_absent=True, closed=True)


def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a tool's output; it may gain fields, and hosts are told so by not forbidding them."""
    return _tidy(model.model_json_schema(), may_be_absent=False, closed=False)


def _tidy(schema: dict[str, Any], *, may_be_absent: bool, closed: bool) -> dict[str, Any]:
    definitions = schema.pop("$defs", {})

    def tidy(node: Any, *, names: bool = False) -> Any:
        """`names`: the keys of this node are the properties' own names, so that one called `title` stays."""
        if isinstance(node, list):
            return [tidy(one) for one in node]
        if not isinstance(node, dict):
            return node
        if names:
            return {name: tidy(inner) for name, inner in node.items()}
        if "$ref" in node:
            named = definitions[node["$ref"].rpartition("/")[2]]
            node = {**named, **{key: value for key, value in node.items() if key != "$ref"}}
        kept = {key: value for key, value in node.items() if not _noise(key, value, closed=closed)}
        if may_be_absent and kept.get("default", ...) is None:
            del kept["default"]
            kept = _without_null(kept)
        return {key: tidy(value, names=key == "properties") for key, value in kept.items()}

    tidied: dict[str, Any] = tidy(schema)
    tidied.pop("description", None)  # the model's docstring is for its reader; the tool's description says it
    return tidied


def _noise(key: str, value: Any, *, closed: bool) -> bool:
    return key == "title" or (key == "additionalProperties" and value is False and not closed)


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) != 1:
        return node
    return {**branches[0], **{key: value for key, value in node.items() if key != "anyOf"}}
