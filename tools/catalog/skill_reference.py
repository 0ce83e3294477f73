"""Reference part of the skill: every tool with what it takes and returns, and an example.

It is a file beside SKILL.md, which an assistant reads only when it needs another tool than the three default ones.
`make commands` writes it into this folder, so that `aur init` and the doctor need not load every tool.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.tools.runtime import get_registry

from .manifest import build_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .manifest import ManifestAlias, ManifestTool

REFERENCE_FILE = "aurora/references/tools.md"
_GENERATED = Path(__file__).with_name("reference.md")
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
    parts = [_HEAD, "\n".join(_render_contents(manifest.tools))]
    return "\n\n".join([*parts, *("\n".join(_render_tool(tool)) for tool in manifest.tools)]) + "\n"


@cache
def read_reference() -> str:
    """Read the reference as `make commands` wrote it."""
    return _GENERATED.read_text(encoding="utf-8")


def _render_contents(tools: Sequence[ManifestTool]) -> Iterator[str]:
    """Yield the table of contents, a line for each toolset."""
    yield "## Contents"
    yield ""
    for family, members in groupby(sorted(tools, key=_get_family), key=_get_family):
        yield f"- {family}: {', '.join(f'[{tool.name}](#{tool.name})' for tool in members)}"


def _get_family(tool: ManifestTool) -> str:
    return tool.family


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
    yield from map(_describe_alias, tool.aliases)


def _describe_alias(alias: ManifestAlias) -> str:
    """Describe an alias with its own names of arguments: alias `find_callers` (`methodName` for `name`)."""
    words = [f"`{name}` for `{own}`" for name, own in alias.arguments.items()]
    words += [f"`{name}` changes nothing" for name in alias.unused]
    return f"alias `{alias.name}`" + (f" ({', '.join(words)})" if words else "")


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
