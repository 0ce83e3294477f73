"""The skill that assistants read: when to call which tool, and every tool in a few lines, made from the declarations.

The format is that of agentskills.io: a folder `aurora/` with a `SKILL.md`, whose front matter has a name (the folder's)
and a description of at most 1,024 characters, by which an assistant decides whether to read the rest.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

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
  Searches this project's memory and answers questions about it phase by phase, with reasons that are kept. Use it for
  questions about how this code base works, where something is, or what a change would touch, and for tasks that need
  several steps: mending a bug, reviewing a change, deciding on a design, delivering a feature.
---

# Aurora

Aurora is an MCP server over a memory of this project. It calls no model: the thinking is yours.

- **A question that one search answers**: call `aurora_search`, then `aurora_get` with the ids that matter.
- **A question that needs thought**: walk a workflow, one phase per call.
  1. Call `aurora_query` with `phase: "assess"` and the question as `query`.
  2. Each response carries `next_call`: send its arguments as they stand, and add what its `needs` lists. Where a
     response carries a `prompt_template`, think it through first; what you conclude is the `answer` of the next call.
  3. Go on until `next_call` is null, and tell what was found, with the files and lines it stands in.
- **Another workflow than the first**: name it as `workflow`: `bug-fix`, `code-review`, `design`, `feature`, or one of
  the project's own; `aur workflow suggest TASK` names the one that fits.

## When a call fails

The answer is `{"status": "error", "error": {"code", "message", "details", "help"}}`. Do what `help` says, or send what
`next_call` says, and call again. The codes: """

_TOOLS_SECTION = """\
## Tools

Three are there by default. The others appear when the server runs with `--toolsets NAME` or `AURORA_TOOLSETS`; where
they do not, type the command. `aur tools show NAME` has the schemas. With `--read-only`, whatever writes answers
`FORBIDDEN`."""

_PHASE_TOOLS_SECTION = """\
### For phases alone

A phase of a workflow names one of these with `uses`; `aur tools call NAME` tries it."""


@cache
def render_skill() -> str:
    """The whole of SKILL.md, a newline at its end; the same declarations always give the same bytes."""
    from aurora.faults import Code  # noqa: PLC0415 - only a name's list of it is wanted

    tools = get_registry().load_all()
    codes = ", ".join(f"`{code.value}`" for code in Code)
    parts = [f"{_HEAD}{codes}.", _TOOLS_SECTION]
    for name, told in TOOLSETS.items():
        members = [tool for tool in tools if tool.family == name]
        if name == "core":
            members.sort(key=lambda tool: DEFAULT_TOOLS.index(tool.name))
        parts += [f"### {name}\n\n{told}", *(_render_tool(tool) for tool in members)]
    parts += [_PHASE_TOOLS_SECTION, *(_render_tool(tool) for tool in tools if tool.family not in TOOLSETS)]
    return "\n\n".join(parts) + "\n"


def _render_tool(tool: AnyTool) -> str:
    told = describe_tool(tool)
    called = [f"`{told.mcp}`"] if told.mcp else []
    called += [f"`{told.command}`"] if told.command else []
    called += [] if called else [f"`{tool.name}`"]
    return "\n".join((f"- **{' · '.join(called)}** {told.title}.", *(f"  - {line}" for line in _render_lines(told))))


def _render_lines(tool: ManifestTool) -> Iterator[str]:
    yield f"takes {_list_fields(tool.input_schema)}; gives {_list_fields(tool.output_schema, marked=False)}"
    yield f"risk: {tool.risk}; " + " ".join(tool.constraints)
    example = tool.examples[0]
    yield f"example: `{json.dumps(example.arguments, ensure_ascii=False)}`"


def _list_fields(schema: Mapping[str, Any], *, marked: bool = True) -> str:
    """The names of an object's fields; those that must be given come first, in bold."""
    required = set(schema.get("required", ())) if marked else set()
    names: Iterable[str] = schema.get("properties", {})
    ordered = sorted(names, key=lambda name: name not in required)
    return ", ".join(f"**{name}**" if name in required else name for name in ordered) or "nothing"
