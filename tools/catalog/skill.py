"""Skill for assistants in the agentskills format, and the reference of every tool."""

from __future__ import annotations

import json
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.tools.core import DEFAULT_TOOLS
from aurora.tools.runtime import get_registry

from .manifest import build_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.tools.core import Tool

    from .manifest import ManifestAlias, ManifestTool


_SKILL_HEAD = """\
---
name: aurora
description: >-
  Searches this project's memory and answers questions about it phase by phase, with recorded reasons. Use it for
  questions about how this code base works, where something is, or what a change would affect, and for tasks that need
  several steps: fixing a bug, reviewing a change, deciding on a design, delivering a feature.
---

# Aurora

Aurora is an MCP server over a memory of this project. It calls no model: the thinking is yours. Text that the person
writes after the name of this skill is the question.

- **A question that one search answers**: call `aurora_search`, then `aurora_get` with the ids that matter.
- **A question that needs thought**: run a workflow, one phase per call.
  1. Call `aurora_query` with the question as `query`, `workflow` "soar-fast" and without `phase`. If the evidence of
     the first response shows the answer, send it at once.
  2. Each response has `next_call`: send its arguments unchanged, and add what its `needs` lists. If a response has a
     `prompt_template`, reason about it first; your conclusion is the `answer` of the next call.
  3. Continue until `next_call` is null, then report the result with its files and lines.
- **All places of a text, a symbol or a set of files**: `aurora_search` with `exact`, `of` or `each`.
- **An answer with `path:line`**: before you give it, call `aurora_query` with the question as `query`, `workflow`
  "check" and the `answer`. It says what is wrong in it, and which places it leaves out.
- **Another workflow than the default**: name it as `workflow`: `bug-fix`, `code-review`, `design`, `feature`, or one of
  the project's own.

## When a call fails

The response is `{"status": "error", "error": {"code", "message", "details", "help"}}`. Follow `help`, or send
`next_call`, and call again. When the server is not connected, tell the person to run `aur doctor`.

## Tools"""


_SKILL_FOOT = """\
Other toolsets have more tools: `aur tools skill --reference` prints them with their risks, fields and examples."""


@cache
def render_skill() -> str:
    """Return SKILL.md with a newline at its end; the same declarations give the same bytes."""
    registry = get_registry()
    lines = [_render_offered(registry.find(name)) for name in DEFAULT_TOOLS]
    return "\n\n".join([_SKILL_HEAD, "\n".join(lines), _SKILL_FOOT]) + "\n"


def _render_offered(tool: Tool[Any, Any]) -> str:
    """Render a tool in one line: its name over MCP and its first sentence."""
    return f"- `{tool.mcp}`: {tool.description.partition('. ')[0].rstrip('.')}."


REFERENCE_FILE = "aurora-tools.md"
_REFERENCE_HEAD = """\
# Tools of Aurora

Generated from the manifest by `aur tools skill --reference`. A host sees the tools of its toolsets
(`aur mcp --toolsets NAMES`); `aur tools call NAME JSON` calls any tool from a shell. `read` changes nothing that is
stored, `write` adds, `high` can lose data. Every tool answers an error as
`{"status": "error", "error": {"code", "message", "details", "help"}}`."""


@cache
def render_reference() -> str:
    """Return the reference with a newline at its end; the same declarations give the same bytes."""
    manifest = build_manifest(get_registry().load_all())
    parts = [_REFERENCE_HEAD, "\n".join(_render_contents(manifest.tools))]
    return "\n\n".join([*parts, *("\n".join(_render_tool(tool)) for tool in manifest.tools)]) + "\n"


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
