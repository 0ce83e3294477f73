"""Where a tool does not appear, and why; everywhere else every tool does, and a test keeps it so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PHASE_ONLY = "a step of a workflow's own thinking: it needs the settings that its phase gives"
_LOCAL_ONLY = "it is about the machine and the person that the command line speaks with"
_TOO_LONG = "it is for a file, and far longer than a host shows"

NO_COMMAND: Mapping[str, str] = {
    "answer.respond": _PHASE_ONLY,
    "changes.list": _PHASE_ONLY,
    "complexity.assess": _PHASE_ONLY,
    "context.retrieve": _PHASE_ONLY,
    "decomposition.brief": _PHASE_ONLY,
    "decomposition.verify": _PHASE_ONLY,
    "evidence.check": _PHASE_ONLY,
    "doctor.fix": "`aur doctor --fix` is it",
    "init.plan": "`aur init --dry-run` is it",
    "init.remove": "`aur init --remove` is it",
    "options.weigh": _PHASE_ONLY,
    "pattern.record": _PHASE_ONLY,
    "readiness.check": _PHASE_ONLY,
    "review.collect": _PHASE_ONLY,
    "tasks.collect": _PHASE_ONLY,
    "tasks.route": _PHASE_ONLY,
    "workflow.fix": "`aur workflow validate --fix` is it",
}
"""Tool -> why it has no command of its own."""

NO_MCP: Mapping[str, str] = {
    **{name: why for name, why in NO_COMMAND.items() if why == _PHASE_ONLY},
    "doctor.fix": _LOCAL_ONLY,
    "hosts.list": _LOCAL_ONLY,
    "hosts.status": _LOCAL_ONLY,
    "init.plan": _LOCAL_ONLY,
    "init.remove": _LOCAL_ONLY,
    "init.run": _LOCAL_ONLY,
    "tools.adapters": _TOO_LONG,
    "tools.manifest": _TOO_LONG,
    "tools.skill": _TOO_LONG,
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
