"""Skill for assistants: when to call which of the tools that the server offers by default.

The format is that of agentskills.io: a folder `aurora/` with a `SKILL.md`, whose front matter has a name (the folder's)
and a description of at most 1,024 characters, by which an assistant decides whether to read the rest. An assistant
reads the text whole, so it has at most 60 lines; the schemas of the tools are in the assistant's context anyway.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from aurora.tools.core import DEFAULT_TOOLS
from aurora.tools.runtime import get_registry

from .skill_reference import read_reference

if TYPE_CHECKING:
    from aurora.tools.core import Tool

_HEAD = """\
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
  1. Call `aurora_query` with the question as `query` and without `phase`.
  2. Each response has `next_call`: send its arguments unchanged, and add what its `needs` lists. If a response has a
     `prompt_template`, reason about it first; your conclusion is the `answer` of the next call.
  3. Continue until `next_call` is null, then report the result with its files and lines.
- **Another workflow than the default**: name it as `workflow`: `bug-fix`, `code-review`, `design`, `feature`, or one of
  the project's own.

## When a call fails

The response is `{"status": "error", "error": {"code", "message", "details", "help"}}`. Follow `help`, or send
`next_call`, and call again. When the server is not connected, tell the person to run `aur doctor`.

## Tools"""


_FOOT = """\
Other toolsets have more tools. `references/tools.md` beside this file lists all of them with their risks, fields and
examples: some {kilobytes} kB, which begin with a table of contents. `aur tools skill --reference` prints it, too."""


@cache
def render_skill() -> str:
    """Return SKILL.md with a newline at its end; the same declarations give the same bytes."""
    registry = get_registry()
    lines = [_render_tool(registry.find(name)) for name in DEFAULT_TOOLS]
    foot = _FOOT.format(kilobytes=round(len(read_reference().encode("utf-8")), -4) // 1000)
    return "\n\n".join([_HEAD, "\n".join(lines), foot]) + "\n"


def _render_tool(tool: Tool[Any, Any]) -> str:
    """Render a tool in one line: its name over MCP and its first sentence."""
    return f"- `{tool.mcp}`: {tool.description.partition('. ')[0].rstrip('.')}."
