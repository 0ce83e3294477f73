"""Adapters: the manifest in the formats of other interfaces, each a function of the manifest alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from aurora.faults import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .manifest import Manifest, ManifestTool

AdapterFormat = Literal["openai", "anthropic", "gemini", "openapi"]

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


def build_bundle(name: AdapterFormat, manifest: Manifest) -> dict[str, Any]:
    """Return the manifest in one of the formats, as JSON values."""
    return _ADAPTERS[name](manifest)


def _to_openai(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for OpenAI's chat completions, which many other servers accept."""
    # Not `strict`: that mode has no optional arguments, and tools do not accept null in their place.
    return {
        "tools": [
            {"type": "function", "function": {**_describe(tool, "parameters"), "strict": False}}
            for tool in manifest.tools
        ]
    }


def _to_anthropic(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for Anthropic's messages."""
    return {"tools": [_describe(tool, "input_schema") for tool in manifest.tools]}


def _to_gemini(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for Gemini's generateContent, with JSON Schema instead of Gemini's own subset."""
    declarations = [_describe(tool, "parametersJsonSchema") for tool in manifest.tools]
    return {"tools": [{"functionDeclarations": declarations}]}


def _describe(tool: ManifestTool, schema_key: str) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, schema_key: tool.input_schema}


def _to_openapi(manifest: Manifest) -> dict[str, Any]:
    """Return an OpenAPI 3.1 document for an HTTP gateway, one path a tool."""
    schemas: dict[str, Any] = {}
    paths = {f"/tools/{tool.name}": {"post": _build_operation(tool, schemas)} for tool in manifest.tools}
    schemas["Error"] = _hoist_definitions(manifest.tools[0].error_schema, "Error", schemas)
    error = _to_json_content({"$ref": f"{_COMPONENTS}Error"})
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Aurora",
            "version": manifest.version,
            "description": "Aurora's tools as HTTP calls, for a gateway of your own; `aur mcp` itself serves MCP.",
        },
        "tags": [{"name": toolset.name, "description": toolset.description} for toolset in manifest.toolsets],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {
                one.code.value: {"description": f"{one.code.value}. {one.meaning}", "content": error}
                for one in manifest.errors
            },
        },
    }


def _build_operation(tool: ManifestTool, schemas: dict[str, Any]) -> dict[str, Any]:
    examples = {
        f"example_{number}": {"summary": one.title, "value": one.arguments}
        for number, one in enumerate(tool.examples, 1)
    }
    result = _to_json_content(_hoist_definitions(tool.output_schema, f"{tool.name}_result", schemas))
    return {
        "operationId": tool.name,
        "summary": tool.title,
        "description": "\n\n".join((tool.description, *tool.constraints)),
        "tags": [tool.family],
        "requestBody": {
            "required": True,
            "content": _to_json_content(
                _hoist_definitions(tool.input_schema, tool.name, schemas), {"examples": examples}
            ),
        },
        "responses": {
            "200": {"description": "The output of the tool.", "content": result},
            **{str(status): {"$ref": f"#/components/responses/{code.value}"} for code, status in HTTP_STATUS.items()},
        },
    }


def _to_json_content(schema: dict[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"application/json": {"schema": schema, **(more or {})}}


def _hoist_definitions(schema: Mapping[str, Any], owner: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """Move the definitions of a schema to the document's components, named after their owner."""
    # A reference of an OpenAPI document begins at the document, so that `#/$defs/…` of a schema leads nowhere there.
    text = json.dumps(schema).replace('"#/$defs/', f'"{_COMPONENTS}{owner}_')
    hoisted: dict[str, Any] = json.loads(text.replace(f'"{_COMPONENTS}{owner}_Json"', f'"{_COMPONENTS}Json"'))
    for name, definition in hoisted.pop("$defs", {}).items():
        schemas[name if name == "Json" else f"{owner}_{name}"] = definition
    return hoisted


_ADAPTERS: Mapping[AdapterFormat, Callable[[Manifest], dict[str, Any]]] = {
    "openai": _to_openai,
    "anthropic": _to_anthropic,
    "gemini": _to_gemini,
    "openapi": _to_openapi,
}
