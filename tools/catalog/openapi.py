"""OpenAPI adapter: the manifest as an OpenAPI 3.1 document for an HTTP gateway, one path a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .manifest import Manifest, ManifestTool

HTTP_STATUS: Mapping[Code, int] = {
    Code.INVALID_INPUT: 400,
    Code.UNAUTHORIZED: 401,
    Code.FORBIDDEN: 403,
    Code.NOT_FOUND: 404,
    Code.CONFLICT: 409,
    Code.RATE_LIMITED: 429,
    Code.WORKFLOW_ERROR: 500,
    Code.INTERNAL_ERROR: 500,
    Code.UPSTREAM_ERROR: 502,
    Code.TIMEOUT: 504,
}
"""Error code -> status of HTTP (RFC 9110; 429: RFC 6585)."""

_COMPONENTS = "#/components/schemas/"
_JSON = "application/json"
_SHARED_DEFINITIONS = frozenset({"Json"})
"""Definitions that are the same in every tool's schemas."""


def to_openapi(manifest: Manifest) -> dict[str, Any]:
    """Return the OpenAPI document."""
    schemas: dict[str, Any] = {}
    paths = {f"/tools/{tool.name}": {"post": _build_operation(tool, schemas)} for tool in manifest.tools}
    schemas["Error"] = _hoist_definitions(manifest.tools[0].error_schema, "Error", schemas)
    errors = {
        code.value: {
            "description": f"{code.value}. {meaning}",
            "content": _to_json_content({"$ref": f"{_COMPONENTS}Error"}),
        }
        for code, meaning in ((error.code, error.meaning) for error in manifest.errors)
    }
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Aurora",
            "version": manifest.version,
            "description": "Aurora's tools as HTTP calls, for a gateway of your own; `aur mcp` itself serves MCP.",
        },
        "tags": [{"name": toolset.name, "description": toolset.description} for toolset in manifest.toolsets],
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items())), "responses": errors},
    }


def _build_operation(tool: ManifestTool, schemas: dict[str, Any]) -> dict[str, Any]:
    answers = {
        str(status): {"$ref": f"#/components/responses/{code.value}"}
        for code, status in sorted(HTTP_STATUS.items(), key=lambda one: one[1])
    }
    body = _to_json_content(_hoist_definitions(tool.input_schema, tool.name, schemas))
    body[_JSON]["examples"] = {
        f"example_{number}": {"summary": one.title, "value": one.arguments}
        for number, one in enumerate(tool.examples, 1)
    }
    return {
        "operationId": tool.name,
        "summary": tool.title,
        "description": "\n\n".join((tool.description, *tool.constraints)),
        "tags": [tool.family],
        "x-aurora": {
            "risk": tool.risk,
            "idempotent": tool.idempotent,
            "aliases": [alias.name for alias in tool.aliases],
        },
        "requestBody": {"required": True, "content": body},
        "responses": {
            "200": {
                "description": "The output of the tool.",
                "content": _to_json_content(_hoist_definitions(tool.output_schema, f"{tool.name}_result", schemas)),
            },
            **answers,
        },
    }


def _to_json_content(schema: dict[str, Any]) -> dict[str, Any]:
    return {_JSON: {"schema": schema}}


def _hoist_definitions(schema: Mapping[str, Any], owner: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """Move the definitions of the schema to the document's components, and rewrite the references."""

    def qualify_name(name: str) -> str:
        return name if name in _SHARED_DEFINITIONS else f"{owner}_{name}"

    def rewrite_refs(node: Any) -> Any:
        if isinstance(node, list):
            return [rewrite_refs(one) for one in node]
        if not isinstance(node, dict):
            return node
        return {
            key: f"{_COMPONENTS}{qualify_name(value.rpartition('/')[2])}"
            if key == "$ref" and isinstance(value, str)
            else rewrite_refs(value)
            for key, value in node.items()
            if key != "$defs"
        }

    for name, definition in schema.get("$defs", {}).items():
        schemas[qualify_name(name)] = rewrite_refs(definition)
    hoisted: dict[str, Any] = rewrite_refs(schema)
    return hoisted
