"""Result of `tools/list`, which comes from the declarations and is a constant of the release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools import workflows
from aurora.tools.core import DEFAULT_TOOLS, JSON_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

    from aurora.tools.core import Tool

QUERY_TOOL = DEFAULT_TOOLS[0]
_ANY_TYPE = {"anyOf": [{"type": name} for name in JSON_TYPES]}
_INPUT_NOISE_KEYS = frozenset({"title", "minLength", "minItems", "maxItems", "pattern"})
"""Keywords that the fault of a wrong call explains better."""
_TYPE_ONLY_KEYS = frozenset({"type", "title", "additionalProperties", "items"})
_OUTPUT_KEYS = frozenset({"type", "properties", "items", "enum", "required", "anyOf", "$ref"})
"""Keywords with which a host validates an output."""


def list_mcp_tools(tools: Iterable[Tool[Any, Any]], *, read_only: bool = False) -> list[dict[str, Any]]:
    """Return the tools as JSON for MCP; in a read-only project without those that write.

    The default tools have their aliases only next to other tools: every host pays for the list of the three by
    themselves in each session.
    """
    offered = [tool for tool in tools if tool.is_offered_read_only or not read_only]
    has_more = any(tool.name not in DEFAULT_TOOLS for tool in offered)
    return [to_mcp_tool(tool, read_only=read_only, has_aliases=has_more) for tool in offered]


def to_mcp_tool(tool: Tool[Any, Any], *, read_only: bool = False, has_aliases: bool = True) -> dict[str, Any]:
    """Return one tool as JSON for MCP.

    Args:
        tool: the declaration.
        read_only: nothing may write.
        has_aliases: name its aliases in the description and under `_meta`.

    Returns:
        Its name, title, description, schemas, and annotations. `_meta` of a default tool has the request to load its
        schemas at once, for a host that hides schemas behind a search.
    """
    meta: dict[str, Any] = {}
    if tool.name in DEFAULT_TOOLS:
        meta["anthropic/alwaysLoad"] = True
    if tool.aliases and has_aliases:
        meta["aurora/aliases"] = list(tool.alias_names)
    listed: dict[str, Any] = {
        "name": tool.mcp,
        "title": tool.title,
        "description": _describe_tool(tool) if has_aliases else tool.description,
        "inputSchema": dict(workflows.QUERY_SCHEMA) if tool.name == QUERY_TOOL else build_input_schema(tool.input),
        "outputSchema": build_output_schema(tool.output),
        "annotations": {
            "readOnlyHint": tool.risk == "read" or read_only,
            "destructiveHint": tool.risk == "high",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
    return {**listed, "_meta": meta} if meta else listed


def _describe_tool(tool: Tool[Any, Any]) -> str:
    """Return the description, with the aliases and their arguments."""
    if not tool.aliases:
        return tool.description
    return f"{tool.description} Also called {', '.join(alias.describe() for alias in tool.aliases)}."


# ── schemas, as short as possible, because they cost tokens in every session ──


def build_input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a tool's arguments, without titles, references and `null` for optional fields."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)  # the docstring of the model; the host reads the tool's description

    def filter_keywords(node: dict[str, Any]) -> dict[str, Any]:
        has_null = "default" in node and node["default"] is None
        shown = _drop_null(node) if has_null else node
        return {key: value for key, value in shown.items() if not _is_noise(key, value)}

    return _transform_schema(schema, definitions, filter_keywords)


def build_output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a tool's output, without descriptions.

    An error fits it too, so that no field is required and any status allowed: some hosts validate errors as well, and
    hide the message of one that does not fit.
    """
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def filter_keywords(node: dict[str, Any]) -> dict[str, Any]:
        return _reduce_branches({key: value for key, value in node.items() if key in _OUTPUT_KEYS})

    walked = _transform_schema(schema, definitions, filter_keywords)
    properties = {name: _collapse_objects(inner) for name, inner in walked["properties"].items()}
    properties.get("status", {}).pop("enum", None)
    return {"type": walked["type"], "properties": properties}


def _transform_schema(schema: dict[str, Any], definitions: dict[str, Any], transform: Any) -> dict[str, Any]:
    """Return the schema with every reference resolved and every node passed through `transform`."""

    def transform_node(node: Any, *, names: bool = False) -> Any:
        """Transform a node; with `names` its keys are names of properties, so that one called `title` stays."""
        if isinstance(node, list):
            return [transform_node(one) for one in node]
        if not isinstance(node, dict):
            return node
        if names:
            return {name: transform_node(inner) for name, inner in node.items()}
        if str(node.get("$ref")).endswith("/Json"):
            return _ANY_TYPE
        if "$ref" in node:
            node = {**definitions[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}
        return {key: transform_node(value, names=key == "properties") for key, value in transform(node).items()}

    walked: dict[str, Any] = transform_node(schema)
    return walked


def _is_noise(key: str, value: Any) -> bool:
    if key == "minimum":
        return value in (0, 1)  # too obvious to state
    return key in _INPUT_NOISE_KEYS or (key == "default" and (not value or isinstance(value, list)))


def _drop_null(node: dict[str, Any]) -> dict[str, Any]:
    """Return the type of an optional argument without `null`: a host omits the argument instead."""
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) != 1:
        return node
    return {**branches[0], **{key: value for key, value in node.items() if key != "anyOf"}}


def _collapse_objects(node: dict[str, Any]) -> dict[str, Any]:
    """Reduce a nested object of an output to its type; only the items of lists keep their fields."""
    if "properties" in node:
        return {"type": "object"}
    if any("properties" in branch for branch in node.get("anyOf", ())):
        return _reduce_branches({"anyOf": [_collapse_objects(branch) for branch in node["anyOf"]]})
    return node


def _reduce_branches(node: dict[str, Any]) -> dict[str, Any]:
    """Reduce branches that are only a type to it.

    Not to one list of types, `["string", "null"]`, which the Inspector warns of: some hosts know one type a schema.
    """
    branches = node.get("anyOf", ())
    if not all(set(branch) <= _TYPE_ONLY_KEYS for branch in branches):
        return node
    return node | ({"anyOf": [{"type": branch["type"]} for branch in branches]} if branches else {})
