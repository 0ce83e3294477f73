"""A tool's output for people's eyes: one renderer a tool; JSON where there is none."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from .exits import ExitCode
from .screen import console

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

Renderer: TypeAlias = "Callable[[Mapping[str, Any], Console], None]"
InkRenderer: TypeAlias = "Callable[[Mapping[str, Any]], None]"

RENDERERS: dict[str, str] = {
    "agents.list": "render_agents_list",
    "agents.search": "render_agents_search",
    "agents.show": "render_agents_show",
    "doctor.fix": "render_doctor",
    "doctor.run": "render_doctor",
    "graph.callers": "render_graph_links",
    "graph.diff": "render_graph_diff",
    "graph.implementations": "render_graph_links",
    "graph.members": "render_graph_node",
    "graph.neighbors": "render_graph_links",
    "graph.node": "render_graph_node",
    "graph.path": "render_graph_path",
    "jobs.list": "render_jobs",
    "jobs.run": "render_jobs",
    "logs.list": "render_logs_list",
    "mem.activation": "render_mem_activation",
    "mem.add": "render_mem_facts",
    "hosts.list": "render_hosts",
    "hosts.status": "render_hosts",
    "init.plan": "render_init",
    "init.remove": "render_init",
    "init.run": "render_init",
    "mem.backup": "render_mem_backup",
    "mem.backups": "render_mem_backup",
    "mem.consolidate": "render_mem_consolidate",
    "mem.export": "render_mem_exchange",
    "mem.forget": "render_mem_facts",
    "mem.check": "render_mem_check",
    "mem.get": "render_mem_get",
    "mem.goals": "render_mem_themes",
    "mem.import": "render_mem_exchange",
    "mem.index": "render_mem_index",
    "mem.rebuild": "render_mem_index",
    "mem.related": "render_mem_related",
    "mem.repair": "render_mem_repair",
    "mem.restore": "render_mem_backup",
    "mem.stats": "render_mem_stats",
    "mem.themes": "render_mem_themes",
    "mem.undo": "render_mem_facts",
    "runs.list": "render_runs_list",
    "runs.show": "render_runs_show",
    "tools.adapters": "render_tools_made",
    "tools.list": "render_tools_list",
    "tools.manifest": "render_tools_made",
    "tools.show": "render_tools_show",
    "tools.skill": "render_tools_made",
    "workflow.backtest": "render_workflow_backtest",
    "workflow.diff": "render_workflow_diff",
    "workflow.explain": "render_workflow_explain",
    "workflow.fix": "render_workflow_fix",
    "workflow.graph": "render_workflow_graph",
    "workflow.list": "render_workflow_list",
    "workflow.new": "render_workflow_new",
    "workflow.schema": "render_workflow_schema",
    "workflow.show": "render_workflow_show",
    "workflow.simulate": "render_workflow_simulate",
    "workflow.step": "render_workflow_step",
    "workflow.suggest": "render_workflow_suggest",
    "workflow.test": "render_workflow_test",
    "workflow.validate": "render_workflow_validate",
}
"""Tool -> the module in this room whose `render(output, console)` shows it."""

INKED: dict[str, str] = {"mem.search": "render_mem_search"}
"""Tool -> the module whose `render(output)` shows it with `ink` alone: it answers sooner than rich is loaded."""


def _went_well(output: Mapping[str, Any]) -> bool:
    return bool(output["status"] != "error")


def _is_fine(output: Mapping[str, Any]) -> bool:
    return bool(output["ok"])


def _is_same(output: Mapping[str, Any]) -> bool:
    return bool(output["same"])


def _is_done(output: Mapping[str, Any]) -> bool:
    return bool(output["exit_code"] == 0)


VERDICTS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "doctor.fix": _is_fine,
    "doctor.run": _is_fine,
    "jobs.run": _is_done,
    "mem.check": _is_fine,
    "mem.repair": _is_fine,
    "workflow.backtest": _is_fine,
    "workflow.diff": _is_same,
    "workflow.simulate": _is_fine,
    "workflow.step": _went_well,
    "workflow.test": _is_fine,
    "workflow.fix": _is_fine,
    "workflow.validate": _is_fine,
}
"""Tool -> whether its output is good news; without an entry every output is."""


def show(tool: str, output: Mapping[str, Any], *, as_json: bool) -> ExitCode:
    """Print the output and tell what it means.

    Args:
        tool: the tool's name.
        output: what it gave, as JSON values.
        as_json: print the output and nothing else.
    """
    if as_json or not (tool in RENDERERS or tool in INKED):
        print_json(output)
    elif tool in INKED:
        write: InkRenderer = import_module(f".{INKED[tool]}", __package__).render
        write(output)
    else:
        render: Renderer = import_module(f".{RENDERERS[tool]}", __package__).render
        render(output, console())
    verdict = VERDICTS.get(tool)
    return ExitCode.OK if verdict is None or verdict(output) else ExitCode.PROBLEMS


def print_json(output: Mapping[str, Any]) -> None:
    """The output as indented JSON; characters that the stream cannot carry are escaped, so that it stays JSON."""
    text = json.dumps(output, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(output, indent=2)
    sys.stdout.write(text + "\n")
