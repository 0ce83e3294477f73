"""Registry of the tools: names, aliases and toolsets; a tool is imported on its first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault, did_you_mean, find_nearest, quote_names

from .alias_table import ALIASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .declaration import Tool

    AnyTool = Tool[Any, Any]

TOOL_MODULES: dict[str, str] = {
    "agents.list": "agents",
    "agents.search": "agents",
    "agents.show": "agents",
    "answer.check": "answers.answer",
    "answer.respond": "reasoning.tasks.respond",
    "changes.list": "reasoning.review.changes",
    "command.run": "commands.run",
    "complexity.assess": "reasoning.complexity.assess",
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
    "mem.backup": "memory.backup",
    "mem.backups": "memory.backup",
    "mem.consolidate": "memory.records",
    "mem.export": "memory.exchange",
    "mem.extract": "memory.stages",
    "mem.forget": "memory.records",
    "mem.check": "memory.maintenance",
    "mem.get": "memory.get",
    "mem.goals": "memory.analyses",
    "mem.import": "memory.exchange",
    "mem.index": "memory.index",
    "mem.link": "memory.stages",
    "mem.normalize": "memory.stages",
    "mem.rebuild": "memory.maintenance",
    "mem.related": "memory.get",
    "mem.repair": "memory.maintenance",
    "mem.restore": "memory.backup",
    "mem.search": "memory.search",
    "mem.stats": "memory.maintenance",
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
        # The order of the default tools is theirs; the others follow by name, so that a list is the same in each
        # process.
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
    # A tool is imported by its first use: to list the names, or to answer one call, must not load all of them.
    loaded = import_module(f"aurora.tools.{module}")
    declared: tuple[AnyTool, ...] = getattr(loaded, "TOOLS", None) or (loaded.TOOL,)
    for tool in declared:
        if tool.name == name:
            return tool
    raise LookupError(f'module "{module}" declares no tool "{name}"')


OWN_PREFIX = "aurora_"
"""Beginning of the tools' names over MCP; no alias has it."""


def resolve_alias(name: str) -> str:
    """Return the tool's name for an alias; any other name unchanged."""
    return ALIASES.get(name, name)


def refuse_collisions(aliases: Mapping[str, str], names: Mapping[str, object]) -> None:
    """Check that no alias is the name of a tool on any surface, and that each belongs to a tool.

    No tool is imported.

    Raises:
        ValueError: a bug in Aurora, found when the registry is built.
    """
    stable_names = {name.replace(".", "_") for name in names}
    for alias, name in aliases.items():
        if alias in names or alias in stable_names or alias.startswith(OWN_PREFIX):
            raise ValueError(f'"{alias}" is an alias of {name} and the name of a tool')
        if name not in names:
            raise ValueError(f'the alias "{alias}" belongs to "{name}", and there is no such tool')


ALL_TOOLSETS = "all"


TOOLSETS: dict[str, str] = {
    "core": "The three default tools: run a phase, search, read.",
    "graph": "The code graph: callers, implementations, members, neighbors, paths, changes.",
    "knowledge": "Knowledge from people and runs: add, forget, find themes, import and export.",
    "workflow": "Workflows: list, show, check, simulate, compare, explain.",
    "runs": "Open and finished runs: list, show, explain.",
    "agents": "The agents that the project and the user define.",
    "admin": "Maintenance: index, statistics, integrity, repair, backups, logs, the list of tools.",
}
"""Toolset -> its tools in a sentence; `all` selects every toolset."""


def parse_toolsets(asked: Iterable[str]) -> frozenset[str]:
    """Return the toolsets that are named, separated by commas or spaces, in any number of texts.

    Raises:
        Fault: INVALID_INPUT for an unknown toolset.
    """
    names = {name for text in asked for name in text.replace(",", " ").split()}
    known = {*TOOLSETS, ALL_TOOLSETS}
    for name in sorted(names - known):
        meant = did_you_mean(name, known)
        raise Fault(
            Code.INVALID_INPUT,
            f'there is no toolset "{name[:80]}"' + (f"; {meant}" if meant else ""),
            help=f"The toolsets are {quote_names(known)}.",
            details={"toolset": name[:80], "choices": sorted(known)},
        )
    return frozenset(TOOLSETS) if ALL_TOOLSETS in names else frozenset(names | {"core"})
