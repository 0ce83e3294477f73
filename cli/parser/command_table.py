"""Every command in one literal: its words, the tool behind it, and the line that help shows for it.

It stands here so that `aur --help` imports no tool; a test holds it against the tools' own declarations. Options, their
types and their texts come from the tool's input model and are written nowhere else.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Word(NamedTuple):
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


COMMANDS: dict[str, Word] = {
    "agents list": Word("agents.list", "The agents that you and the project have defined."),
    "agents search": Word("agents.search", "The agents that fit a task.", ("query",)),
    "agents show": Word("agents.show", "One agent, with its instructions.", ("name",)),
    "doctor": Word(
        "doctor.run",
        "What is wrong here, and what mends it.",
        switches={"fix": ("doctor.fix", "Mend what is safe to mend, tell each step, and look again.")},
    ),
    "graph callers": Word("graph.callers", "Who calls it, and who calls them.", ("name",)),
    "graph diff": Word("graph.diff", "What changed since a revision or an earlier database.", ("against",)),
    "graph implementations": Word("graph.implementations", "What inherits from it or implements it.", ("name",)),
    "graph members": Word("graph.members", "What a class, a file or a document holds.", ("name",)),
    "graph neighbors": Word("graph.neighbors", "What it is linked with, and by which line.", ("name",)),
    "graph node": Word("graph.node", "One definition: where it is and how it is connected.", ("name",)),
    "graph path": Word("graph.path", "Why two definitions are connected.", ("start", "end")),
    "hosts list": Word("hosts.list", "The assistants there are, and which are in use here."),
    "hosts status": Word("hosts.status", "How each of them is connected to this project."),
    "jobs list": Word("jobs.list", "The workflows that run by themselves."),
    "jobs run": Word("jobs.run", "Run one of them to its end.", ("name",)),
    "logs": Word("logs.list", "The calls that were made here, on every surface."),
    "mem activation": Word("mem.activation", "Which chunks are most active.", ("chunks",)),
    "mem index": Word("mem.index", "Read the project into its memory.", ("path",), ("path",), anchor=True),
    "mem search": Word("mem.search", "Find code, documents and patterns.", ("query",)),
    "mem related": Word("mem.related", "What has to do with a chunk.", ("chunk",)),
    "mem get": Word("mem.get", "Read chunks by id, or lines of a file.", ("ids",), ("path",)),
    "mem stats": Word("mem.stats", "What the memory holds."),
    "mem add": Word("mem.add", "Remember a fact, or a pattern.", ("text",)),
    "mem consolidate": Word("mem.consolidate", "Merge what says nearly the same."),
    "mem export": Word("mem.export", "Facts, patterns and runs as lines.", ("path",), ("path",), target="path"),
    "mem import": Word("mem.import", "Take over such lines.", ("path",), ("path",), source="path"),
    "mem forget": Word("mem.forget", "Forget facts and patterns.", ("ids",)),
    "mem themes": Word("mem.themes", "What the memory turns around."),
    "mem goals": Word("mem.goals", "Goals that may lie behind it."),
    "mem undo": Word("mem.undo", "Take the last forgetting, consolidation or import back."),
    "mem check": Word("mem.check", "Whether it is whole."),
    "mem repair": Word("mem.repair", "Mend it; what is torn is set aside."),
    "mem rebuild": Word("mem.rebuild", "Read the project anew; facts and runs stay."),
    "mem backup": Word("mem.backup", "Keep the whole memory in a file."),
    "mem backups": Word("mem.backups", "The files that it was kept in."),
    "mem restore": Word("mem.restore", "Bring one of them back.", ("name",)),
    "runs list": Word("runs.list", "The newest runs."),
    "runs show": Word("runs.show", "One run: each phase, and why it went where it went.", ("run",)),
    "tools adapters": Word("tools.adapters", "The tools for OpenAI, Anthropic, Gemini or OpenAPI.", ("format",)),
    "tools list": Word("tools.list", "Every tool in a line."),
    "tools manifest": Word("tools.manifest", "Every tool whole, as JSON."),
    "tools show": Word("tools.show", "One tool: what it takes, gives and may do.", ("name",)),
    "tools skill": Word("tools.skill", "The skill that tells assistants how to use Aurora."),
    "workflow backtest": Word(
        "workflow.backtest",
        "Try recorded runs on an edited workflow.",
        ("workflow",),
        ("workflow",),
    ),
    "workflow diff": Word(
        "workflow.diff",
        "What changed between two editions of a workflow.",
        ("before", "after"),
        ("before", "after"),
    ),
    "workflow explain": Word("workflow.explain", "Why a run went where it went, rule by rule.", ("run",)),
    "workflow graph": Word("workflow.graph", "A picture of a workflow.", ("name",), ("name",)),
    "workflow list": Word("workflow.list", "The workflows of this project."),
    "workflow new": Word("workflow.new", "A new workflow to begin from.", ("name",)),
    "workflow schema": Word("workflow.schema", "The JSON Schema of the language, for editors."),
    "workflow show": Word("workflow.show", "One workflow: its phases and what follows what.", ("name",)),
    "workflow simulate": Word(
        "workflow.simulate",
        "Walk every branch, with no stubs to write.",
        ("files",),
        ("files", "answers"),
        anchor=True,
    ),
    "workflow suggest": Word("workflow.suggest", "Which workflow fits a task.", ("task",)),
    "workflow test": Word("workflow.test", "Play the cases beside workflows.", ("files",), ("files",), anchor=True),
    "workflow validate": Word(
        "workflow.validate",
        "Find every mistake before a run does.",
        ("files",),
        ("files",),
        anchor=True,
        piped="text",
        switches={"fix": ("workflow.fix", "Mend what can be mended without a doubt, then tell what is left.")},
    ),
}

BY_HAND: dict[str, tuple[str, str]] = {
    "init": ("commands.init", "Set this project up for your assistants."),
    "mem watch": ("commands.mem_watch", "Follow the project: index what changes."),
    "tools call": ("commands.tools_call", "Call any tool with its arguments as JSON."),
    "workflow run": ("walk.command", "Walk a workflow yourself, phase by phase."),
    "workflow step": ("commands.step", "Run one phase, as an assistant would."),
    "mcp": ("commands.mcp", "Serve the project to an assistant over stdio."),
}
"""Commands with a shape of their own: the module in this room that holds it as `COMMAND`, and its line of help."""

SPOKEN: dict[str, str] = {
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
