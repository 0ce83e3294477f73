"""A tool's output for people's eyes: one renderer a tool; JSON where there is none."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from aurora.cli.exit_codes import ExitCode
from aurora.cli.terminal import make_console

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

Renderer: TypeAlias = "Callable[[Mapping[str, Any], Console], None]"
PlainRenderer: TypeAlias = "Callable[[Mapping[str, Any]], None]"

RENDERERS: dict[str, str] = {
    "agents.list": "agents.list",
    "agents.search": "agents.search",
    "agents.show": "agents.show",
    "doctor.fix": "doctor",
    "doctor.run": "doctor",
    "graph.callers": "graph.links",
    "graph.diff": "graph.diff",
    "graph.implementations": "graph.links",
    "graph.members": "graph.node",
    "graph.neighbors": "graph.links",
    "graph.node": "graph.node",
    "graph.path": "graph.path",
    "jobs.list": "jobs",
    "jobs.run": "jobs",
    "logs.list": "logs",
    "mem.activation": "memory.activation",
    "mem.add": "memory.facts",
    "hosts.list": "hosts",
    "hosts.status": "hosts",
    "init.plan": "init",
    "init.remove": "init",
    "init.run": "init",
    "mem.backup": "memory.backup",
    "mem.backups": "memory.backup",
    "mem.consolidate": "memory.consolidate",
    "mem.export": "memory.exchange",
    "mem.forget": "memory.facts",
    "mem.check": "memory.check",
    "mem.get": "memory.get",
    "mem.goals": "memory.themes",
    "mem.import": "memory.exchange",
    "mem.index": "memory.index",
    "mem.rebuild": "memory.index",
    "mem.related": "memory.related",
    "mem.repair": "memory.repair",
    "mem.restore": "memory.backup",
    "mem.stats": "memory.stats",
    "mem.themes": "memory.themes",
    "mem.undo": "memory.facts",
    "runs.list": "runs_list",
    "runs.show": "runs_show",
    "tools.adapters": "tools.generate",
    "tools.list": "tools.list",
    "tools.manifest": "tools.generate",
    "tools.show": "tools.show",
    "tools.skill": "tools.generate",
    "workflow.backtest": "testing.backtest",
    "workflow.diff": "workflows.diff",
    "workflow.explain": "workflows.explain",
    "workflow.fix": "workflows.fix",
    "workflow.graph": "workflows.graph",
    "workflow.list": "workflows.list",
    "workflow.new": "workflows.new",
    "workflow.schema": "workflows.schema",
    "workflow.show": "workflows.show",
    "workflow.simulate": "testing.simulate",
    "workflow.step": "workflows.step",
    "workflow.suggest": "workflows.suggest",
    "workflow.test": "testing.test",
    "workflow.validate": "workflows.validate",
}
"""Tool -> the module in this room whose `render(output, console)` shows it."""

PLAIN_RENDERERS: dict[str, str] = {"mem.search": "memory.search"}
"""Tool -> the module whose `render(output)` shows it with `ink` alone: it answers sooner than rich is loaded."""


def _has_no_error(output: Mapping[str, Any]) -> bool:
    return bool(output["status"] != "error")


def _is_ok(output: Mapping[str, Any]) -> bool:
    return bool(output["ok"])


def _is_same(output: Mapping[str, Any]) -> bool:
    return bool(output["same"])


def _has_exit_code_zero(output: Mapping[str, Any]) -> bool:
    return bool(output["exit_code"] == 0)


SUCCESS_CHECKS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "doctor.fix": _is_ok,
    "doctor.run": _is_ok,
    "jobs.run": _has_exit_code_zero,
    "mem.check": _is_ok,
    "mem.repair": _is_ok,
    "workflow.backtest": _is_ok,
    "workflow.diff": _is_same,
    "workflow.simulate": _is_ok,
    "workflow.step": _has_no_error,
    "workflow.test": _is_ok,
    "workflow.fix": _is_ok,
    "workflow.validate": _is_ok,
}
"""Tool -> whether its output is good news; without an entry every output is."""


def show_output(tool: str, output: Mapping[str, Any], *, as_json: bool) -> ExitCode:
    """Print the output and tell what it means.

    Args:
        tool: the tool's name.
        output: what it gave, as JSON values.
        as_json: print the output and nothing else.
    """
    if as_json or not (tool in RENDERERS or tool in PLAIN_RENDERERS):
        print_json(output)
    elif tool in PLAIN_RENDERERS:
        write: PlainRenderer = import_module(f".{PLAIN_RENDERERS[tool]}", __package__).render
        write(output)
    else:
        render: Renderer = import_module(f".{RENDERERS[tool]}", __package__).render
        render(output, make_console())
    verdict = SUCCESS_CHECKS.get(tool)
    return ExitCode.OK if verdict is None or verdict(output) else ExitCode.PROBLEMS


def print_json(output: Mapping[str, Any]) -> None:
    """The output as indented JSON; characters that the stream cannot carry are escaped, so that it stays JSON."""
    text = json.dumps(output, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(output, indent=2)
    sys.stdout.write(text + "\n")
