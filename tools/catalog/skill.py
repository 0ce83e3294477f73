"""Skill for assistants, generated from the declarations.

It explains when to call which tool, and describes every tool in a few lines.

The format is that of agentskills.io: a folder `aurora/` with a `SKILL.md`, whose front matter has a name (the folder's)
and a description of at most 1,024 characters, by which an assistant decides whether to read the rest.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from aurora.faults import Code
from aurora.tools.core import DEFAULT_TOOLS, TOOLSETS
from aurora.tools.runtime import get_registry

from .manifest import describe_tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from aurora.tools.core import Tool

    from .manifest import ManifestTool

    AnyTool = Tool[Any, Any]

_HEAD = """\
---
name: aurora
description: >-
  Searches this project's memory and answers questions about it phase by phase, with recorded reasons. Use it for
  questions about how this code base works, where something is, or what a change would affect, and for tasks that need
  several steps: fixing a bug, reviewing a change, deciding on a design, delivering a feature.
---

# Aurora

Aurora is an MCP server over a memory of this project. It calls no model: the thinking is yours.

- **A question that one search answers**: call `aurora_search`, then `aurora_get` with the ids that matter.
- **A question that needs thought**: run a workflow, one phase per call.
  1. Call `aurora_query` with `phase: "assess"` and the question as `query`.
  2. Each response has `next_call`: send its arguments unchanged, and add what its `needs` lists. If a response has a
     `prompt_template`, reason about it first; your conclusion is the `answer` of the next call.
  3. Continue until `next_call` is null, then report the result with its files and lines.
- **Another workflow than the default**: name it as `workflow`: `bug-fix`, `code-review`, `design`, `feature`, or one of
  the project's own; `aur workflow suggest TASK` suggests one.

## When a call fails

The response is `{"status": "error", "error": {"code", "message", "details", "help"}}`. Follow `help`, or send
`next_call`, and call again. The codes: """

_TOOLS_SECTION = """\
## Tools

Three are offered by default. The server offers the others with `--toolsets NAME` or `AURORA_TOOLSETS`; without them,
run the command. `aur tools show NAME` has the schemas. With `--read-only`, tools that write return `FORBIDDEN`."""

_PHASE_TOOLS_SECTION = """\
### Only for phases

A phase of a workflow names one of these with `uses`; `aur tools call NAME` runs it."""


@cache
def render_skill() -> str:
    """Return SKILL.md with a newline at its end; the same declarations give the same bytes."""
    tools = get_registry().load_all()
    codes = ", ".join(f"`{code.value}`" for code in Code)
    parts = [f"{_HEAD}{codes}.", _TOOLS_SECTION]
    for name, description in TOOLSETS.items():
        members = [tool for tool in tools if tool.family == name]
        if name == "core":
            members.sort(key=lambda tool: DEFAULT_TOOLS.index(tool.name))
        parts += [f"### {name}\n\n{description}", *(_render_tool(tool) for tool in members)]
    parts += [_PHASE_TOOLS_SECTION, *(_render_tool(tool) for tool in tools if tool.family not in TOOLSETS)]
    return "\n\n".join(parts) + "\n"


def _render_tool(tool: AnyTool) -> str:
    described = describe_tool(tool)
    called = [f"`{described.mcp}`"] if described.mcp else []
    called += [f"`{described.command}`"] if described.command else []
    called += [] if called else [f"`{tool.name}`"]
    heading = f"- **{' · '.join(called)}** {described.title}."
    return "\n".join((heading, *(f"  - {line}" for line in _render_lines(described))))


def _render_lines(tool: ManifestTool) -> Iterator[str]:
    yield f"input: {_list_fields(tool.input_schema)}; output: {_list_fields(tool.output_schema, marked=False)}"
    yield f"risk: {tool.risk}; " + " ".join(tool.constraints)
    example = tool.examples[0]
    yield f"example: `{json.dumps(example.arguments, ensure_ascii=False)}`"


def _list_fields(schema: Mapping[str, Any], *, marked: bool = True) -> str:
    """List the names of an object's fields, the required ones first and in bold."""
    required = set(schema.get("required", ())) if marked else set()
    names: Iterable[str] = schema.get("properties", {})
    ordered = sorted(names, key=lambda name: name not in required)
    return ", ".join(f"**{name}**" if name in required else name for name in ordered) or "nothing"
