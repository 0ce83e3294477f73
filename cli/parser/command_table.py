"""Every command in one literal: its words, the tool behind it, and the line that help shows for it.

It stands here so that `aur --help` imports no tool; a test holds it against the tools' own declarations. Options, their
types and their texts come from the tool's input model and are written nowhere else.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class CommandSpec(NamedTuple):
    """A command made from a tool.

    Attributes:
        tool: the tool's name.
        help: one line for the list of commands.
        arguments: fields of the input that are given by position; all others are options.
        files: those of its fields that name files as the person's shell sees them.
        anchor: True when a path in `files` may lie in another project, which then is the one that is meant.
        piped: the field that takes standard input, which `-` among the files asks for.
        source: the field among its files whose `-` is standard input, however long.
        target: the field among its files whose `-` is standard output, as it is when the field is left out.
        switches: options that hand the same input to another tool: option -> the tool and the option's line of help.
    """

    tool: str
    help: str
    arguments: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    anchor: bool = False
    piped: str = ""
    source: str = ""
    target: str = ""
    switches: Mapping[str, tuple[str, str]] = MappingProxyType({})


COMMANDS: dict[str, CommandSpec] = {
    "agents list": CommandSpec("agents.list", "The agents that you and the project have defined."),
    "agents search": CommandSpec("agents.search", "The agents that fit a task.", ("query",)),
    "agents show": CommandSpec("agents.show", "One agent, with its instructions.", ("name",)),
    "doctor": CommandSpec(
        "doctor.run",
        "What is wrong here, and what mends it.",
        switches={"fix": ("doctor.fix", "Mend what is safe to mend, tell each step, and look again.")},
    ),
    "graph callers": CommandSpec("graph.callers", "Who calls it, and who calls them.", ("name",)),
    "graph diff": CommandSpec("graph.diff", "What changed since a revision or an earlier database.", ("against",)),
    "graph implementations": CommandSpec("graph.implementations", "What inherits from it or implements it.", ("name",)),
    "graph members": CommandSpec("graph.members", "What a class, a file or a document holds.", ("name",)),
    "graph neighbors": CommandSpec("graph.neighbors", "What it is linked with, and by which line.", ("name",)),
    "graph node": CommandSpec("graph.node", "One definition: where it is and how it is connected.", ("name",)),
    "graph path": CommandSpec("graph.path", "Why two definitions are connected.", ("start", "end")),
    "hosts list": CommandSpec("hosts.list", "The assistants there are, and which are in use here."),
    "hosts status": CommandSpec("hosts.status", "How each of them is connected to this project."),
    "jobs list": CommandSpec("jobs.list", "The workflows that run by themselves."),
    "jobs run": CommandSpec("jobs.run", "Run one of them to its end.", ("name",)),
    "logs": CommandSpec("logs.list", "The calls that were made here, on every surface."),
    "mem activation": CommandSpec("mem.activation", "Which chunks are most active.", ("chunks",)),
    "mem index": CommandSpec("mem.index", "Read the project into its memory.", ("path",), ("path",), anchor=True),
    "mem search": CommandSpec("mem.search", "Find code, documents and patterns.", ("query",)),
    "mem related": CommandSpec("mem.related", "What has to do with a chunk.", ("chunk",)),
    "mem get": CommandSpec("mem.get", "Read chunks by id, or lines of a file.", ("ids",), ("path",)),
    "mem stats": CommandSpec("mem.stats", "What the memory holds."),
    "mem add": CommandSpec("mem.add", "Remember a fact, or a pattern.", ("text",)),
    "mem consolidate": CommandSpec("mem.consolidate", "Merge what says nearly the same."),
    "mem export": CommandSpec("mem.export", "Facts, patterns and runs as lines.", ("path",), ("path",), target="path"),
    "mem import": CommandSpec("mem.import", "Take over such lines.", ("path",), ("path",), source="path"),
    "mem forget": CommandSpec("mem.forget", "Forget facts and patterns.", ("ids",)),
    "mem themes": CommandSpec("mem.themes", "What the memory turns around."),
    "mem goals": CommandSpec("mem.goals", "Goals that may lie behind it."),
    "mem undo": CommandSpec("mem.undo", "Take the last forgetting, consolidation or import back."),
    "mem check": CommandSpec("mem.check", "Whether it is whole."),
    "mem repair": CommandSpec("mem.repair", "Mend it; what is torn is set aside."),
    "mem rebuild": CommandSpec("mem.rebuild", "Read the project anew; facts and runs stay."),
    "mem backup": CommandSpec("mem.backup", "Keep the whole memory in a file."),
    "mem backups": CommandSpec("mem.backups", "The files that it was kept in."),
    "mem restore": CommandSpec("mem.restore", "Bring one of them back.", ("name",)),
    "runs list": CommandSpec("runs.list", "The newest runs."),
    "runs show": CommandSpec("runs.show", "One run: each phase, and why it went where it went.", ("run",)),
    "tools adapters": CommandSpec("tools.adapters", "The tools for OpenAI, Anthropic, Gemini or OpenAPI.", ("format",)),
    "tools list": CommandSpec("tools.list", "Every tool in a line."),
    "tools manifest": CommandSpec("tools.manifest", "Every tool whole, as JSON."),
    "tools show": CommandSpec("tools.show", "One tool: what it takes, gives and may do.", ("name",)),
    "tools skill": CommandSpec("tools.skill", "The skill that tells assistants how to use Aurora."),
    "workflow backtest": CommandSpec(
        "workflow.backtest",
        "Try recorded runs on an edited workflow.",
        ("workflow",),
        ("workflow",),
    ),
    "workflow diff": CommandSpec(
        "workflow.diff",
        "What changed between two editions of a workflow.",
        ("before", "after"),
        ("before", "after"),
    ),
    "workflow explain": CommandSpec("workflow.explain", "Why a run went where it went, rule by rule.", ("run",)),
    "workflow graph": CommandSpec("workflow.graph", "A picture of a workflow.", ("name",), ("name",)),
    "workflow list": CommandSpec("workflow.list", "The workflows of this project."),
    "workflow new": CommandSpec("workflow.new", "A new workflow to begin from.", ("name",)),
    "workflow schema": CommandSpec("workflow.schema", "The JSON Schema of the language, for editors."),
    "workflow show": CommandSpec("workflow.show", "One workflow: its phases and what follows what.", ("name",)),
    "workflow simulate": CommandSpec(
        "workflow.simulate",
        "Walk every branch, with no stubs to write.",
        ("files",),
        ("files", "answers"),
        anchor=True,
    ),
    "workflow suggest": CommandSpec("workflow.suggest", "Which workflow fits a task.", ("task",)),
    "workflow test": CommandSpec(
        "workflow.test", "Play the cases beside workflows.", ("files",), ("files",), anchor=True
    ),
    "workflow validate": CommandSpec(
        "workflow.validate",
        "Find every mistake before a run does.",
        ("files",),
        ("files",),
        anchor=True,
        piped="text",
        switches={"fix": ("workflow.fix", "Mend what can be mended without a doubt, then tell what is left.")},
    ),
}

CUSTOM_COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("commands.init", "Set this project up for your assistants."),
    "mem watch": ("commands.mem_watch", "Follow the project: index what changes."),
    "tools call": ("commands.tools_call", "Call any tool with its arguments as JSON."),
    "workflow run": ("walk.command", "Walk a workflow yourself, phase by phase."),
    "workflow step": ("commands.step", "Run one phase, as an assistant would."),
    "mcp": ("commands.mcp", "Serve the project to an assistant over stdio."),
}
"""Commands with a shape of their own: the module in this room that holds it as `COMMAND`, and its line of help."""

CLI_EQUIVALENTS: dict[str, str] = {
    "aurora_get": "`aur mem get`",
    "aurora_query": "`aur workflow step`",
    "aurora_search": "`aur mem search`",
}
"""What a description calls a tool by its MCP name, and what a person types for it."""

GROUPS: dict[str, str] = {
    "agents": "The agents of your assistants: list, search, show.",
    "graph": "The code graph: callers, implementations, ways between.",
    "hosts": "The assistants that Aurora sets up: list, status.",
    "jobs": "Workflows that run by themselves: list, run.",
    "mem": "The memory of the project: index, search, read.",
    "runs": "Finished and open runs, phase by phase.",
    "tools": "Every capability: list, show, and what is made from them.",
    "workflow": "Workflows: begin, check, try and walk them.",
}
