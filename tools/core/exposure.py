"""Where a tool does not appear, and why; everywhere else every tool does, and a test keeps it so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PART = "a step of a workflow's own thinking: it needs the settings that its phase gives"
_HERE = "it is about the machine and the person that the command line speaks with"
_FILE = "it is for a file, and far longer than a host shows"

NO_COMMAND: Mapping[str, str] = {
    "answer.respond": _PART,
    "changes.list": _PART,
    "complexity.assess": _PART,
    "context.retrieve": _PART,
    "decomposition.brief": _PART,
    "decomposition.verify": _PART,
    "evidence.check": _PART,
    "doctor.fix": "`aur doctor --fix` is it",
    "init.plan": "`aur init --dry-run` is it",
    "init.remove": "`aur init --remove` is it",
    "options.weigh": _PART,
    "pattern.record": _PART,
    "readiness.check": _PART,
    "review.collect": _PART,
    "tasks.collect": _PART,
    "tasks.route": _PART,
    "workflow.fix": "`aur workflow validate --fix` is it",
}
"""Tool -> why it has no command of its own."""

NO_MCP: Mapping[str, str] = {
    **{name: why for name, why in NO_COMMAND.items() if why == _PART},
    "doctor.fix": _HERE,
    "hosts.list": _HERE,
    "hosts.status": _HERE,
    "init.plan": _HERE,
    "init.remove": _HERE,
    "init.run": _HERE,
    "tools.adapters": _FILE,
    "tools.manifest": _FILE,
    "tools.skill": _FILE,
    "workflow.fix": "a host edits files with its own tools, which ask the person first",
    "workflow.new": "as `workflow.fix`",
    "workflow.schema": "it is for an editor, and longer than a host shows",
    "workflow.test": "with `update` it writes into the person's own files, as `workflow.fix`",
}
"""Tool -> why it is not offered over MCP."""

NO_TOOL: Mapping[str, str] = {
    "mcp": "it is the surface itself: the server that the tools are called through",
    "mem watch": "it goes on until it is stopped; each of its rounds is what `mem.index` does",
    "tools call": "it is every tool, by name and JSON",
    "workflow run": "it asks the person at the terminal; each step of it is the tool `workflow.step`",
}
"""Command -> why there is no tool behind it."""
