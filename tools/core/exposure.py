"""Exceptions to the rule that every tool has a command and is offered over MCP, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_PHASE_ONLY = "only for phases: it needs the params that a phase of a workflow gives"
_LOCAL_ONLY = "it concerns the machine and the person at the command line"
_TERMINAL_JOB = "its phases may use tools that no host may call, so a person starts it in a terminal"
_TOO_LONG = "its output is for a file and longer than a host shows"

NO_COMMAND: Mapping[str, str] = {
    "answer.respond": _PHASE_ONLY,
    "changes.list": _PHASE_ONLY,
    "command.run": _PHASE_ONLY,
    "complexity.assess": _PHASE_ONLY,
    "context.retrieve": _PHASE_ONLY,
    "decomposition.brief": _PHASE_ONLY,
    "decomposition.verify": _PHASE_ONLY,
    "evidence.check": _PHASE_ONLY,
    "doctor.fix": "`aur doctor --fix` runs it",
    "init.plan": "`aur init --dry-run` runs it",
    "init.remove": "`aur init --remove` runs it",
    "options.weigh": _PHASE_ONLY,
    "pattern.record": _PHASE_ONLY,
    "readiness.check": "`aur tools call readiness.check '{}'` runs it",
    "review.settle": _PHASE_ONLY,
    "tasks.collect": _PHASE_ONLY,
    "tasks.route": _PHASE_ONLY,
    "tools.reference": "`aur tools skill --reference` runs it",
    "workflow.fix": "`aur workflow validate --fix` runs it",
}
"""Tool -> the reason why it has no command of its own."""

NO_MCP: Mapping[str, str] = {
    **{name: why for name, why in NO_COMMAND.items() if why == _PHASE_ONLY},
    "answer.check": "the workflow `check` offers it: `aurora_query` with an answer",
    "doctor.fix": _LOCAL_ONLY,
    "hosts.list": _LOCAL_ONLY,
    "hosts.status": _LOCAL_ONLY,
    "init.plan": _LOCAL_ONLY,
    "init.remove": _LOCAL_ONLY,
    "init.run": _LOCAL_ONLY,
    "jobs.run": _TERMINAL_JOB,
    "runs.export": "its output is a page for a browser and longer than a host shows",
    "tools.adapters": _TOO_LONG,
    "tools.manifest": _TOO_LONG,
    "tools.reference": _TOO_LONG,
    "tools.skill": _TOO_LONG,
    "workflow.fix": "a host edits files with its own tools, which ask the user first",
    "workflow.new": "as `workflow.fix`",
    "workflow.schema": "its output is for an editor and longer than a host shows",
    "workflow.test": "with `update` it writes into the user's own files, as `workflow.fix`",
}
"""Tool -> the reason why it is not offered over MCP."""


class CommandOnly(NamedTuple):
    """Command that has no tool of its own.

    Attributes:
        reason: the reason why it has none.
        interactive: it needs a terminal with a person, or runs until it is stopped.
        tool: the tool that does the same without a person, one step at a time; empty if there is none.
    """

    reason: str
    interactive: bool
    tool: str = ""


NO_TOOL: Mapping[str, CommandOnly] = {
    "hook": CommandOnly(
        "an assistant runs it at its own events; over MCP the assistant searches by itself", interactive=False
    ),
    "mcp": CommandOnly("it is the server through which the tools are called", interactive=True),
    "mem adopt": CommandOnly("only a person decides what of another account's memory to take over", interactive=False),
    "mem confirm": CommandOnly("only a person confirms, at a terminal; no host and no phase may", interactive=True),
    "mem migrate": CommandOnly(
        "it copies the memory to a server that the person's environment names, so only a person starts it",
        interactive=False,
    ),
    "mem watch": CommandOnly(
        "it runs until it is stopped; each round does what `mem.index` does", interactive=True, tool="mem.index"
    ),
    "runs approve": CommandOnly(
        "only a person answers it, at a terminal or on the page; no host and no phase may", interactive=True
    ),
    "runs prune": CommandOnly("it deletes runs for good, so only a person does, at a terminal", interactive=True),
    "serve": CommandOnly("it is the server through which the tools are called", interactive=True),
    "serve token add": CommandOnly("only a person gives access, at a terminal", interactive=False),
    "serve token list": CommandOnly("it concerns the machine and the person at the command line", interactive=False),
    "serve token revoke": CommandOnly("only a person ends access, at a terminal", interactive=False),
    "tools call": CommandOnly("it calls every tool, by name with JSON arguments", interactive=False),
    "trust": CommandOnly("a person decides it at a terminal; no host and no phase may", interactive=True),
    "ui": CommandOnly(
        "a person starts it, and what they send from the page is theirs; no host and no phase may", interactive=True
    ),
    "workflow run": CommandOnly(
        "it asks the user at the terminal; each of its steps is the tool `workflow.step`",
        interactive=True,
        tool="workflow.step",
    ),
}
"""Command -> the reason why it has no tool."""
