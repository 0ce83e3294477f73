"""Tools `tools.list` and `tools.show`: all tools in brief, or one in detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.faults import Code, Fault, did_you_mean
from aurora.interpreter.run import PhaseUse
from aurora.tools import extensions
from aurora.tools.core import Command, CompactModel, Example, Family, Risk, StrictModel, Tool
from aurora.tools.runtime import get_registry

from .manifest import ManifestTool, describe_tool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.tools.core import Context

    AnyTool = Tool[Any, Any]

ToolsetName = Literal["core", "graph", "knowledge", "workflow", "runs", "agents", "admin", "reasoning"]


class ListInput(StrictModel):
    """Filter of the list."""

    toolset: ToolsetName | None = Field(default=None, description="Only the tools of this family.")
    risk: Risk | None = Field(default=None, description="Only the tools of this risk.")


class ListedTool(CompactModel):
    """Summary of a tool."""

    name: str
    uses: str
    mcp: str | None
    command: str | None
    family: Family
    risk: Risk
    phase_use: PhaseUse = Field(description="Phases that may use it: `phases` of any workflow, of `jobs`, or `none`.")
    title: str
    aliases: tuple[str, ...]
    distribution: str = Field(default="", description="The installed distribution that has it; absent for Aurora's.")


class ListOutput(CompactModel):
    """Tools sorted by name, those of installed distributions last."""

    tools: tuple[ListedTool, ...]
    broken: tuple[str, ...] = Field(default=(), description="Tools of other packages that cannot be used, and why.")


class ShowInput(StrictModel):
    """Name of a tool."""

    name: str = Field(
        min_length=1, max_length=200, description="Its name, its name over MCP, an alias, or its command."
    )


def list_tools(given: ListInput, context: Context) -> ListOutput:
    """List the tools of Aurora and of installed distributions."""
    found = list(extensions.list_extensions(context.root))
    known = [(tool, "") for tool in get_registry().load_all()]
    known += [(tool, entry.distribution) for entry, tool in found if isinstance(tool, Tool)]
    return ListOutput(
        tools=tuple(
            _summarize_tool(tool, distribution)
            for tool, distribution in known
            if given.toolset in (None, tool.family) and given.risk in (None, tool.risk)
        ),
        broken=tuple(fault.message for _, fault in found if isinstance(fault, Fault)),
    )


def _summarize_tool(tool: AnyTool, distribution: str) -> ListedTool:
    return ListedTool(
        name=tool.stable_name,
        uses=tool.name,
        mcp=tool.mcp,
        command=f"aur {tool.command.words}" if tool.command else None,
        family=tool.family,
        risk=tool.risk,
        phase_use=tool.phase_use,
        title=tool.title,
        aliases=tool.alias_names,
        distribution=distribution,
    )


def show_tool(given: ShowInput, context: Context) -> ManifestTool:
    """Describe the tool with this name on any surface.

    Raises:
        Fault: NOT_FOUND, with the nearest name.
    """
    return describe_tool(find_tool(given.name, context.root))


def find_tool(name: str, root: Path | None = None) -> AnyTool:
    """Return the tool with this name: one of Aurora's, or one of an installed distribution.

    A name is `mem.search`, `mem_search`, `aurora_search`, `aur mem search`, or an alias.

    Args:
        name: the name.
        root: the project's folder, from which no distribution's code is loaded; None for Aurora's own tools alone.

    Raises:
        Fault: NOT_FOUND, with the nearest name; UPSTREAM_ERROR for a distribution's tool that cannot be used.
    """
    known = {called: tool for tool in get_registry().load_all() for called in _list_names(tool)}
    wanted = " ".join(name.split()).removeprefix("aur ")
    if wanted in known:
        return known[wanted]
    foreign = None if root is None else extensions.find_extension(wanted, root)
    if foreign is not None:
        return foreign
    meant = did_you_mean(wanted, known)
    raise Fault(
        Code.NOT_FOUND,
        f'there is no tool "{name[:80]}"' + (f"; {meant}" if meant else ""),
        help="`aur tools list` shows the tools.",
        details={"tool": name[:80], "choices": list(get_registry().names())},
    )


def _list_names(tool: AnyTool) -> Iterator[str]:
    yield tool.name
    yield tool.stable_name
    yield from tool.alias_names
    if tool.mcp:
        yield tool.mcp
    if tool.command:
        yield tool.command.words


TOOLS: tuple[AnyTool, ...] = (
    Tool(
        name="tools.list",
        title="List the tools",
        description=(
            "Every tool of Aurora in a line: its names for phases, over MCP and as a command, its toolset, its risk, "
            "the phases that may use it, and its aliases."
        ),
        input=ListInput,
        output=ListOutput,
        run=list_tools,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=10.0,
        examples=(Example("The tools of the code graph", {"toolset": "graph"}),),
        mcp="aurora_tools_list",
        command=Command("tools list", "List the tools."),
    ),
    Tool(
        name="tools.show",
        title="Show one tool",
        description=(
            "One tool of Aurora in detail: its input and output as JSON Schema, its examples, risk, timeout and "
            "constraints."
        ),
        input=ShowInput,
        output=ManifestTool,
        run=show_tool,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=10.0,
        examples=(Example("The search", {"name": "mem_search"}),),
        mcp="aurora_tools_show",
        command=Command("tools show", "Show one tool: its input, output, risk and examples.", arguments=("name",)),
    ),
)
