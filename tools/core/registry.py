"""Registry of the tools: every tool by name, each imported on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault, find_nearest, quote_names

from .alias_table import ALIASES
from .aliases import refuse_collisions
from .toolsets import parse_toolsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .declaration import Tool

    AnyTool = Tool[Any, Any]

TOOL_MODULES: dict[str, str] = {
    "agents.list": "agents",
    "agents.search": "agents",
    "agents.show": "agents",
    "answer.respond": "reasoning.tasks.respond",
    "changes.list": "reasoning.review.changes",
    "command.run": "commands.run",
    "complexity.assess": "reasoning.complexity.assess",
    "context.excerpt": "reasoning.context.excerpt",
    "context.retrieve": "reasoning.context.retrieve",
    "decomposition.brief": "reasoning.decomposition.brief",
    "decomposition.verify": "reasoning.decomposition.verify",
    "doctor.fix": "setup.doctor",
    "doctor.run": "setup.doctor",
    "evidence.check": "reasoning.review.evidence",
    "graph.callers": "graph_links",
    "graph.diff": "graph",
    "graph.implementations": "graph_links",
    "graph.members": "graph",
    "graph.neighbors": "graph_links",
    "graph.node": "graph",
    "graph.path": "graph_links",
    "hosts.list": "setup.hosts",
    "hosts.status": "setup.hosts",
    "init.plan": "setup.init",
    "init.remove": "setup.init",
    "init.run": "setup.init",
    "jobs.list": "runs.jobs",
    "jobs.run": "runs.jobs",
    "logs.list": "runs.logs",
    "mem.activation": "memory.analyses",
    "mem.add": "memory.records",
    "mem.backup": "memory.upkeep.backup",
    "mem.backups": "memory.upkeep.backup",
    "mem.consolidate": "memory.records",
    "mem.export": "memory.exchange",
    "mem.extract": "memory.stages",
    "mem.forget": "memory.records",
    "mem.check": "memory.upkeep.check",
    "mem.get": "memory.get",
    "mem.goals": "memory.analyses",
    "mem.import": "memory.exchange",
    "mem.index": "memory.index",
    "mem.link": "memory.stages",
    "mem.normalize": "memory.stages",
    "mem.rebuild": "memory.upkeep.rebuild",
    "mem.related": "memory.get",
    "mem.repair": "memory.upkeep.repair",
    "mem.restore": "memory.upkeep.backup",
    "mem.search": "memory.search",
    "mem.stats": "memory.stats",
    "mem.themes": "memory.analyses",
    "mem.undo": "memory.records",
    "mem.why": "memory.records",
    "options.weigh": "reasoning.weigh_options",
    "pattern.record": "reasoning.tasks.record_pattern",
    "readiness.check": "reasoning.review.readiness",
    "review.settle": "reasoning.review.settle",
    "runs.export": "runs.export",
    "runs.list": "runs.list",
    "runs.show": "runs.show",
    "runs.status": "runs.status",
    "tasks.collect": "reasoning.tasks.collect",
    "tasks.route": "reasoning.tasks.route",
    "tools.adapters": "catalog.tools",
    "tools.list": "catalog.tools",
    "tools.manifest": "catalog.tools",
    "tools.reference": "catalog.tools",
    "tools.show": "catalog.tools",
    "tools.skill": "catalog.tools",
    "version.show": "catalog.tools",
    "workflow.backtest": "workflows.backtest",
    "workflow.diff": "workflows.diff",
    "workflow.explain": "runs.explain",
    "workflow.fix": "workflows.validate",
    "workflow.graph": "workflows.show",
    "workflow.list": "workflows.show",
    "workflow.new": "workflows.new",
    "workflow.schema": "workflows.show",
    "workflow.show": "workflows.show",
    "workflow.simulate": "workflows.simulate",
    "workflow.step": "workflows.query",
    "workflow.suggest": "workflows.suggest",
    "workflow.test": "workflows.test",
    "workflow.validate": "workflows.validate",
}
"""Tool name -> the module under `aurora.tools` that declares it as `TOOL` or in `TOOLS`."""

DEFAULT_TOOLS = ("workflow.step", "mem.search", "mem.get")
"""Tools offered over MCP without any toolset, in this order."""


class ToolRegistry:
    """Registry of tools.

    Args:
        modules: tool name -> module; by default all shipped tools.
        aliases: alias -> tool name.

    Raises:
        ValueError: an alias is a tool's name, or belongs to no tool.
    """

    def __init__(self, modules: Mapping[str, str] = TOOL_MODULES, aliases: Mapping[str, str] = ALIASES) -> None:
        refuse_collisions(aliases, modules)
        self._modules = dict(modules)
        self._aliases = dict(aliases)
        self._loaded: dict[str, AnyTool] = {}

    @classmethod
    def from_tools(cls, tools: Iterable[AnyTool]) -> ToolRegistry:
        """Return a registry of these declarations.

        Raises:
            ValueError: as `build` does.
        """
        taken = tuple(tools)
        index = index_tools(taken)
        aliases = {name: tool.name for name, tool in index.items() if name != tool.name}
        box = cls({tool.name: "" for tool in taken}, aliases)
        box._loaded = {tool.name: tool for tool in taken}
        return box

    def names(self) -> tuple[str, ...]:
        """Return the sorted names of all tools without importing any."""
        return tuple(sorted(self._modules))

    def is_known(self, name: str) -> bool:
        """Return whether a tool has this name or alias, without importing it."""
        return name in self._modules or name in self._aliases

    def find(self, name: str) -> AnyTool:
        """Return the tool with this name or alias, case-sensitive.

        Raises:
            Fault: NOT_FOUND, with the nearest name.
        """
        called = self._aliases.get(name, name)
        if called in self._modules:
            return self._load_cached(called)
        guess = find_nearest(name, (*self._modules, *self._aliases))
        raise Fault(
            Code.NOT_FOUND,
            f'there is no tool "{name[:80]}"' + (f'; did you mean "{guess}"?' if guess else ""),
            help=f"The tools are {quote_names(self._modules)}.",
            details={"tool": name[:80], "suggestion": guess, "choices": list(self.names())},
        )

    def load_all(self) -> tuple[AnyTool, ...]:
        """Import every tool and return them sorted by name."""
        return tuple(self._load_cached(name) for name in self.names())

    def select_mcp(self, toolsets: Iterable[str] = ()) -> tuple[AnyTool, ...]:
        """Return the tools offered over MCP: the default tools, then those of the toolsets, by name.

        Args:
            toolsets: their names (`graph`, `workflow` …) or `all`; one text may list several, separated by commas.

        Raises:
            Fault: INVALID_INPUT for an unknown toolset.
        """
        wanted = parse_toolsets(toolsets)
        always = tuple(self.find(name) for name in DEFAULT_TOOLS if name in self._modules)
        if wanted == {"core"}:
            return always  # imports no other tool
        offered = (tool for tool in self.load_all() if tool.mcp and tool.family in wanted)
        return (*always, *(tool for tool in offered if tool not in always))

    def _load_cached(self, name: str) -> AnyTool:
        if name not in self._loaded:
            self._loaded[name] = _import_tool(name, self._modules[name])
        return self._loaded[name]


def index_tools(tools: Iterable[AnyTool]) -> dict[str, AnyTool]:
    """Return every name and alias with its tool.

    Raises:
        ValueError: two tools share a name, an alias, a manifest name, an MCP name or a command. It is a bug in
            Aurora, found when the registry is built.
    """
    index: dict[str, AnyTool] = {}
    seen: dict[tuple[str, str], str] = {}
    for tool in tools:
        for name in (tool.name, *tool.alias_names):
            if name in index:
                raise ValueError(f'"{name}" names both {index[name].name} and {tool.name}')
            index[name] = tool
        for kind, value in _list_claims(tool):
            other = seen.setdefault((kind, value), tool.name)
            if other != tool.name:
                raise ValueError(f'the {kind} "{value}" is claimed by both {other} and {tool.name}')
    aliases = {name: tool.name for name, tool in index.items() if name != tool.name}
    refuse_collisions(aliases, {tool.name: tool for tool in index.values()})
    return index


def _list_claims(tool: AnyTool) -> Iterable[tuple[str, str]]:
    yield "manifest name", tool.stable_name
    if tool.mcp:
        yield "MCP name", tool.mcp
    if tool.command:
        yield "command", tool.command.words


def _import_tool(name: str, module: str) -> AnyTool:
    """Return the declaration named `name` of a module under `aurora.tools`."""
    loaded = import_module(f"aurora.tools.{module}")
    declared: tuple[AnyTool, ...] = getattr(loaded, "TOOLS", None) or (loaded.TOOL,)
    for tool in declared:
        if tool.name == name:
            return tool
    raise LookupError(f'module "{module}" declares no tool "{name}"')
