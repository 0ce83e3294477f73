"""The toolbox: every tool by name, each imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..faults import Code, Fault
from ..faults.choices import nearest, quoted
from .aliases import ALIASES, refuse_collisions
from .toolsets import chosen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .declaration import Tool

    AnyTool = Tool[Any, Any]

SHELF: dict[str, str] = {
    "agents.list": "agents_list",
    "agents.search": "agents_list",
    "agents.show": "agents_show",
    "answer.respond": "respond",
    "changes.list": "changes_list",
    "complexity.assess": "complexity",
    "context.retrieve": "context_retrieve",
    "decomposition.brief": "decomposition_brief",
    "decomposition.verify": "decomposition_verify",
    "doctor.fix": "doctor",
    "doctor.run": "doctor",
    "evidence.check": "evidence_check",
    "graph.callers": "graph_links",
    "graph.diff": "graph_diff",
    "graph.implementations": "graph_links",
    "graph.members": "graph_node",
    "graph.neighbors": "graph_links",
    "graph.node": "graph_node",
    "graph.path": "graph_path",
    "hosts.list": "hosts_list",
    "hosts.status": "hosts_status",
    "init.plan": "init_plan",
    "init.remove": "init_remove",
    "init.run": "init_run",
    "jobs.list": "jobs_list",
    "jobs.run": "jobs_run",
    "logs.list": "logs_list",
    "mem.activation": "mem_activation",
    "mem.add": "mem_add",
    "mem.backup": "mem_backup",
    "mem.backups": "mem_backup",
    "mem.consolidate": "mem_consolidate",
    "mem.export": "mem_export",
    "mem.forget": "mem_forget",
    "mem.check": "mem_check",
    "mem.get": "mem_get",
    "mem.goals": "mem_themes",
    "mem.import": "mem_import",
    "mem.index": "mem_index",
    "mem.rebuild": "mem_rebuild",
    "mem.related": "mem_related",
    "mem.repair": "mem_repair",
    "mem.restore": "mem_backup",
    "mem.search": "mem_search",
    "mem.stats": "mem_stats",
    "mem.themes": "mem_themes",
    "mem.undo": "mem_undo",
    "options.weigh": "options_weigh",
    "pattern.record": "pattern_record",
    "readiness.check": "readiness",
    "review.collect": "review_collect",
    "runs.list": "runs_list",
    "runs.show": "runs_show",
    "tasks.collect": "collection",
    "tasks.route": "routing",
    "tools.adapters": "tools_made",
    "tools.list": "tools_list",
    "tools.manifest": "tools_made",
    "tools.show": "tools_list",
    "tools.skill": "tools_made",
    "workflow.backtest": "workflow_backtest",
    "workflow.diff": "workflow_diff",
    "workflow.explain": "workflow_explain",
    "workflow.fix": "workflow_fix",
    "workflow.graph": "workflow_graph",
    "workflow.list": "workflow_list",
    "workflow.new": "workflow_new",
    "workflow.schema": "workflow_schema",
    "workflow.show": "workflow_show",
    "workflow.simulate": "workflow_simulate",
    "workflow.step": "query",
    "workflow.suggest": "workflow_suggest",
    "workflow.test": "workflow_test",
    "workflow.validate": "workflow_validate",
}
"""Tool name -> the module in this room that declares it as `TOOL`, or in `TOOLS` with its family."""

ALWAYS = ("workflow.step", "mem.search", "mem.get")
"""What MCP shows when nothing else is asked for, in this order."""


class Toolbox:
    """The tools on a shelf.

    Args:
        shelf: tool name -> module; the shipped shelf unless a test brings its own.
        aliases: alias -> tool name.

    Raises:
        ValueError: an alias that is a tool's name, or that leads to none.
    """

    def __init__(self, shelf: Mapping[str, str] = SHELF, aliases: Mapping[str, str] = ALIASES) -> None:
        refuse_collisions(aliases, shelf)
        self._shelf = dict(shelf)
        self._aliases = dict(aliases)
        self._taken: dict[str, AnyTool] = {}

    @classmethod
    def of(cls, tools: Iterable[AnyTool]) -> Toolbox:
        """A toolbox of these declarations.

        Raises:
            ValueError: as `build` does.
        """
        taken = tuple(tools)
        index = build(taken)
        aliases = {name: tool.name for name, tool in index.items() if name != tool.name}
        box = cls({tool.name: "" for tool in taken}, aliases)
        box._taken = {tool.name: tool for tool in taken}
        return box

    def names(self) -> tuple[str, ...]:
        """The names of all tools, sorted; nothing is imported for it."""
        return tuple(sorted(self._shelf))

    def find(self, name: str) -> AnyTool:
        """The tool of this name or alias, exactly and by case.

        Raises:
            Fault: NOT_FOUND, with the nearest name.
        """
        called = self._aliases.get(name, name)
        if called in self._shelf:
            return self._take(called)
        guess = nearest(name, (*self._shelf, *self._aliases))
        raise Fault(
            Code.NOT_FOUND,
            f'there is no tool "{name[:80]}"' + (f'; did you mean "{guess}"?' if guess else ""),
            help=f"The tools are {quoted(self._shelf)}.",
            details={"tool": name[:80], "suggestion": guess, "choices": list(self.names())},
        )

    def all(self) -> tuple[AnyTool, ...]:
        """Every tool, sorted by name; this imports them all."""
        return tuple(self._take(name) for name in self.names())

    def mcp(self, toolsets: Iterable[str] = ()) -> tuple[AnyTool, ...]:
        """The tools that MCP shows: the three, then those of the toolsets asked for, by name.

        Args:
            toolsets: their names (`graph`, `workflow` …) or `all`, also several in one text with commas between.

        Raises:
            Fault: INVALID_INPUT for a toolset that does not exist.
        """
        wanted = chosen(toolsets)
        always = tuple(self.find(name) for name in ALWAYS if name in self._shelf)
        if wanted == {"core"}:
            return always  # and no other tool is imported
        offered = (tool for tool in self.all() if tool.mcp and tool.family in wanted)
        return (*always, *(tool for tool in offered if tool not in always))

    def _take(self, name: str) -> AnyTool:
        if name not in self._taken:
            self._taken[name] = _load(name, self._shelf[name])
        return self._taken[name]


def build(tools: Iterable[AnyTool]) -> dict[str, AnyTool]:
    """Every name and alias with its tool.

    Raises:
        ValueError: a name, an alias, a manifest name, an MCP name or a command stands for two tools. It is our own
            mistake, found when the toolbox is built, and no fault of whoever calls.
    """
    index: dict[str, AnyTool] = {}
    seen: dict[tuple[str, str], str] = {}
    for tool in tools:
        for name in (tool.name, *tool.aliases):
            if name in index:
                raise ValueError(f'"{name}" names both {index[name].name} and {tool.name}')
            index[name] = tool
        for kind, value in _claims(tool):
            other = seen.setdefault((kind, value), tool.name)
            if other != tool.name:
                raise ValueError(f'the {kind} "{value}" is claimed by both {other} and {tool.name}')
    return index


def _claims(tool: AnyTool) -> Iterable[tuple[str, str]]:
    yield "manifest name", tool.stable_name
    if tool.mcp:
        yield "MCP name", tool.mcp
    if tool.command:
        yield "command", " ".join(tool.command)


def _load(name: str, module: str) -> AnyTool:
    """The declaration called `name` in a module of this room."""
    loaded = import_module(f".{module}", __package__)
    declared: tuple[AnyTool, ...] = getattr(loaded, "TOOLS", None) or (loaded.TOOL,)
    for tool in declared:
        if tool.name == name:
            return tool
    raise LookupError(f'module "{module}" declares no tool "{name}"')
