"""The part of COMMANDS.md about assistants: the three tools, a walk with real responses, and what six others became."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.tools.core.registry import ALWAYS, Toolbox

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RECORDED = Path(__file__).resolve().parents[2] / "snapshots" / "workflows" / "test_soar_responses"
"""The responses that a test records from real walks; RUN and REQUEST stand for what is new each time."""

REPLACED: Mapping[str, str] = {
    "aurora_index": "`aur mem index`",
    "aurora_context": "the assistant's own tool for reading files",
    "aurora_related": "`aur mem related`",
    "aurora_list_agents": "`aur agents list`",
    "aurora_search_agents": "`aur agents search`",
    "aurora_show_agent": "the assistant's own tool for reading files, or `aur agents show`",
}
"""Tools that Aurora once offered over MCP, and what is there instead."""

_WALK = """\
### A question in several turns

The assistant calls `aurora_query` once for each phase and thinks between the calls. A response says what comes next;
`next_call` is what to send, but for what its `needs` lists. These responses were recorded from real walks; `…` stands
for what is left out here.

A simple question is answered after two calls:"""

_LONGER = """\
A question that needs thought goes through nine phases. Where a response has a `prompt_template`, the assistant follows
it and brings its answer with the next call:"""

_LONGEST_TEXT = 100
_MOST_ITEMS = 1
_DEEPEST = 4


def sections() -> Iterator[str]:
    """The paragraphs, in Markdown."""
    yield "## For assistants: three tools"
    more = "[Toolsets](docs/reference/tools.md#toolsets) add others on request."
    yield f"`aur mcp` shows an assistant exactly these. {more}"
    yield "| tool | the same command | what it does |\n|---|---|---|\n" + "\n".join(_three())
    yield _WALK
    yield from _walk("SIMPLE")
    yield _LONGER
    yield from _walk("COMPLEX")
    yield "### What six earlier tools became"
    rows = (f"| `{name}` | {instead} |" for name, instead in REPLACED.items())
    yield "\n".join(("| no longer there | use instead |", "|---|---|", *rows))


def _three() -> Iterator[str]:
    toolbox = Toolbox()
    for name in ALWAYS:
        tool = toolbox.find(name)
        yield f"| `{tool.mcp}` | `aur {' '.join(tool.command or ())}` | {tool.description} |"


def _walk(level: str) -> Iterator[str]:
    for path in sorted(RECORDED.glob(f"*[[]{level}-*.json")):
        response = json.loads(path.read_text(encoding="utf-8"))
        told = {name: response[name] for name in _TOLD if name in response}
        yield f"```json\n{json.dumps(_shortened(told), ensure_ascii=False, indent=1)}\n```"


_TOLD = ("phase", "progress", "status", "result", "prompt_template", "next_action", "early_exit", "next_call", "run")


def _shortened(value: Any, depth: int = 0) -> Any:
    """The value with the middle of what is long left out."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT].rstrip()}…"
    if isinstance(value, dict | list) and value and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {name: _shortened(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        kept = [_shortened(inner, depth + 1) for inner in value[:_MOST_ITEMS]]
        return [*kept, "…"] if len(value) > _MOST_ITEMS else kept
    return value
