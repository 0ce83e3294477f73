"""Reference part of the skill: every tool with what it takes and returns, and an example.

It is a file beside SKILL.md, which an assistant reads only when it needs another tool than the three default ones.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from aurora.tools.runtime import get_registry

from .manifest import build_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .manifest import ManifestTool

REFERENCE_FILE = "aurora/reference.md"
_HEAD = """\
# Tools of Aurora

Generated from the manifest by `aur tools skill --reference`. A host sees the tools of its toolsets
(`aur mcp --toolsets NAMES`); `aur tools call NAME JSON` calls any tool from a shell. `read` changes nothing that is
stored, `write` adds, `high` can lose data. Every tool answers an error as
`{"status": "error", "error": {"code", "message", "details", "help"}}`."""


@cache
def render_reference() -> str:
    """Return the reference with a newline at its end; the same declarations give the same bytes."""
    manifest = build_manifest(get_registry().load_all())
    return "\n\n".join([_HEAD, *("\n".join(_render_tool(tool)) for tool in manifest.tools)]) + "\n"


def _render_tool(tool: ManifestTool) -> Iterator[str]:
    """Yield the lines of one tool."""
    yield f"## {tool.name}"
    yield ""
    yield tool.description
    yield ""
    yield f"- names: {', '.join(_list_names(tool))}"
    yield f"- toolset {tool.family}, risk {tool.risk}, {'idempotent' if tool.idempotent else 'not idempotent'}"
    yield f"- input: {_describe_fields(tool.input_schema)}"
    if tool.params_schema.get("properties"):
        yield f"- params of a phase: {_describe_fields(tool.params_schema)}"
    yield f"- output: {_describe_fields(tool.output_schema)}"
    for constraint in tool.constraints:
        yield f"- {constraint}"
    for example in tool.examples:
        yield f"- example: `{json.dumps(example.arguments, ensure_ascii=False)}` ({example.title})"


def _list_names(tool: ManifestTool) -> Iterator[str]:
    yield f"`{tool.uses}` in a phase" if tool.phases or tool.jobs else f"`{tool.uses}`"
    yield f"`{tool.mcp}` over MCP" if tool.mcp else f"not over MCP, since {tool.not_over_mcp}"
    if tool.command:
        yield f"`{tool.command}`"
    yield from (f"alias `{alias.name}`" for alias in tool.aliases)


def _describe_fields(schema: Mapping[str, Any]) -> str:
    """Describe the fields of a schema in one line: name, type, whether it is required."""
    required = set(schema.get("required", ()))
    fields = schema.get("properties", {})
    shown = [f"`{name}` {_name_type(fields[name])}{' (required)' if name in required else ''}" for name in fields]
    return ", ".join(shown) or "nothing"


def _name_type(field: Mapping[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_name_type(branch) for branch in field["anyOf"]))
    if "enum" in field:
        return "|".join(str(value) for value in field["enum"])
    return "object" if "$ref" in field else str(field.get("type", "value"))
