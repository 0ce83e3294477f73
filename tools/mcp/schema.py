"""A model's JSON Schema as hosts take it best, and as short as it can be: the model pays for it in every session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.core import JSON_TYPES

if TYPE_CHECKING:
    from pydantic import BaseModel

_INPUT_NOISE_KEYS = frozenset({"title", "minLength", "minItems", "maxItems", "pattern"})
"""What a wrong call is told anyway, by a fault that says it better."""
_TYPE_ONLY_KEYS = frozenset({"type", "title", "additionalProperties", "items"})
_OUTPUT_KEYS = frozenset({"type", "properties", "items", "enum", "required", "anyOf", "$ref"})
"""What a host checks an output with; its values speak for themselves."""


def build_input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a tool's arguments: no titles, no references; what may be left out does not say it may be null."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)  # the model's docstring is for its reader; the tool's description tells the host

    def filter_keywords(node: dict[str, Any]) -> dict[str, Any]:
        told = _drop_null(node) if "default" in node and node["default"] is None else node
        return {key: value for key, value in told.items() if not _is_noise(key, value)}

    return _transform_schema(schema, definitions, filter_keywords)


def build_output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a tool's output, without what only a reader of the code needs."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def filter_keywords(node: dict[str, Any]) -> dict[str, Any]:
        return _merge_types({key: value for key, value in node.items() if key in _OUTPUT_KEYS})

    walked = _transform_schema(schema, definitions, filter_keywords)
    return {**walked, "properties": {name: _collapse_objects(inner) for name, inner in walked["properties"].items()}}


def _transform_schema(schema: dict[str, Any], definitions: dict[str, Any], kept: Any) -> dict[str, Any]:
    """The schema with every node through `kept`, and every reference replaced by what it names."""

    def transform_node(node: Any, *, names: bool = False) -> Any:
        """`names`: the keys of this node are the properties' own, so that one called `title` stays."""
        if isinstance(node, list):
            return [transform_node(one) for one in node]
        if not isinstance(node, dict):
            return node
        if names:
            return {name: transform_node(inner) for name, inner in node.items()}
        if str(node.get("$ref")).endswith("/Json"):
            return {"type": list(JSON_TYPES)}
        if "$ref" in node:
            node = {**definitions[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}
        return {key: transform_node(value, names=key == "properties") for key, value in kept(node).items()}

    walked: dict[str, Any] = transform_node(schema)
    return walked


def _is_noise(key: str, value: Any) -> bool:
    if key == "minimum":
        return value in (0, 1)  # nobody counts below that
    return key in _INPUT_NOISE_KEYS or (key == "default" and (not value or isinstance(value, list)))


def _drop_null(node: dict[str, Any]) -> dict[str, Any]:
    """An optional argument's own type: whoever has nothing to say leaves it out."""
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) != 1:
        return node
    return {**branches[0], **{key: value for key, value in node.items() if key != "anyOf"}}


def _collapse_objects(node: dict[str, Any]) -> dict[str, Any]:
    """An object within the output is no more than an object here; only the entries of a list are described."""
    if "properties" in node:
        return {"type": "object"}
    if any("properties" in branch for branch in node.get("anyOf", ())):
        return _merge_types({"anyOf": [_collapse_objects(branch) for branch in node["anyOf"]]})
    return node


def _merge_types(node: dict[str, Any]) -> dict[str, Any]:
    """`["string", "null"]` rather than branches, where each branch is no more than a type."""
    branches = node.get("anyOf", ())
    types = [branch["type"] for branch in branches if set(branch) <= _TYPE_ONLY_KEYS]
    if not branches or len(types) != len(branches):
        return node
    return {**{key: value for key, value in node.items() if key != "anyOf"}, "type": types}
