"""Section of COMMANDS.md on assistants: the three tools, recorded responses, replaced tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.tools.core import DEFAULT_TOOLS, ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RECORDED_RESPONSES = Path(__file__).resolve().parents[2] / "snapshots" / "workflows" / "test_soar_responses"
"""Responses that a test records from real runs; RUN and REQUEST replace the generated ids."""

REPLACED_TOOLS: Mapping[str, str] = {
    "aurora_index": "`aur mem index`",
    "aurora_context": "the assistant's own tool for reading files",
    "aurora_related": "`aur mem related`",
    "aurora_list_agents": "`aur agents list`",
    "aurora_search_agents": "`aur agents search`",
    "aurora_show_agent": "the assistant's own tool for reading files, or `aur agents show`",
}
"""Tools that Aurora offered over MCP once -> their replacements."""

_WALK_INTRO = """\
### A question in several turns

The assistant calls `aurora_query` once for each phase and thinks between the calls. A response contains
the next call: `next_call` has the arguments to send, and `needs` lists those to add. These responses were recorded from
real runs; `…` marks omitted text.

A simple question is answered after two calls:"""

_COMPLEX_INTRO = """\
A complex question goes through nine phases. Where a response has a `prompt_template`, the assistant follows it and
sends its answer with the next call:

| response | the next call, and what it needs |
|---|---|"""

_MAX_TEXT = 100
_MAX_ITEMS = 1
_MAX_DEPTH = 4


def build_sections() -> Iterator[str]:
    """Yield the paragraphs, in Markdown."""
    yield "## For assistants: three tools"
    more = "[Toolsets](docs/reference/tools.md#toolsets) add others on request."
    yield f"`aur mcp` offers these three to an assistant. {more}"
    yield "| tool | the same command | what it does |\n|---|---|---|\n" + "\n".join(_format_default_tools())
    yield _WALK_INTRO
    yield from _format_responses("SIMPLE")
    yield "\n".join((_COMPLEX_INTRO, *_format_calls("COMPLEX")))
    yield "### What six earlier tools became"
    rows = (f"| `{name}` | {instead} |" for name, instead in REPLACED_TOOLS.items())
    yield "\n".join(("| no longer there | use instead |", "|---|---|", *rows))


def _format_default_tools() -> Iterator[str]:
    toolbox = ToolRegistry()
    for name in DEFAULT_TOOLS:
        tool = toolbox.find(name)
        yield f"| `{tool.mcp}` | `aur {tool.command.words if tool.command else ''}` | {tool.description} |"


def _format_responses(level: str) -> Iterator[str]:
    for response in _read_responses(level):
        told = {name: response[name] for name in _SHOWN_FIELDS if name in response}
        yield f"```json\n{json.dumps(_shorten_value(told), ensure_ascii=False, indent=1)}\n```"


def _format_calls(level: str) -> Iterator[str]:
    for response in _read_responses(level):
        call = response["next_call"]
        needs = ", ".join(f"`{name}`" for name in call["needs"]) if call else ""
        phase = call["arguments"].get("phase", "") if call else ""
        following = f"`{phase}`{f' with {needs}' if needs else ''}" if call else "the end"
        yield f"| {response['progress']} | {following} |"


def _read_responses(level: str) -> Iterator[dict[str, Any]]:
    for path in sorted(RECORDED_RESPONSES.glob(f"*[[]{level}-*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


_SHOWN_FIELDS = (
    "phase",
    "progress",
    "status",
    "result",
    "prompt_template",
    "next_action",
    "early_exit",
    "next_call",
    "run",
)


def _shorten_value(value: Any, depth: int = 0) -> Any:
    """Shorten long texts and lists, and cut deep levels."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_TEXT else f"{value[:_MAX_TEXT].rstrip()}…"
    if isinstance(value, dict | list) and value and depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, dict):
        return {name: _shorten_value(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        kept = [_shorten_value(inner, depth + 1) for inner in value[:_MAX_ITEMS]]
        return [*kept, "…"] if len(value) > _MAX_ITEMS else kept
    return value
