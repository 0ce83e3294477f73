"""Registry of the terminal views; a tool without one is shown as indented lines."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from aurora.cli import terminal
from aurora.cli.exit_codes import ExitCode
from aurora.cli.terminal import format_json_lines
from aurora.faults import SHIPPED_FOLDER, escape_json, mark_material
from aurora.tools import text

from .search_hits import print_hits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

Renderer: TypeAlias = "Callable[[Mapping[str, Any], Console], None]"
Check: TypeAlias = "Callable[[Mapping[str, Any]], bool]"

VIEW_MODULES: Mapping[str, str] = {
    "agents": "agents",
    "doctor": "doctor",
    "graph": "graph",
    "hosts": "hosts",
    "init": "init",
    "jobs": "jobs",
    "logs": "logs",
    "mem": "memory",
    "runs": "runs",
    "tools": "tools",
    "workflow": "workflows",
}
"""First word of a tool's name -> the module of this package whose `RENDERERS` show such tools."""


def _is_ok(output: Mapping[str, Any]) -> bool:
    return bool(output["ok"])


def _has_no_failure(output: Mapping[str, Any]) -> bool:
    return not output["failed"]


def _is_set_up(output: Mapping[str, Any]) -> bool:
    return bool(import_module(".init", __package__).is_set_up(output))


SUCCESS_CHECKS: Mapping[str, Check] = {
    "doctor.fix": _is_ok,
    "doctor.run": _is_ok,
    "init.plan": _has_no_failure,
    "init.run": _is_set_up,
    "jobs.run": lambda output: bool(output["exit_code"] == 0),
    "mem.check": _is_ok,
    "mem.repair": _is_ok,
    "mem.search": lambda output: bool(output["hits"]) or output.get("index") is not None,
    "workflow.backtest": _is_ok,
    "workflow.diff": lambda output: bool(output["same"]),
    "workflow.fix": _is_ok,
    "workflow.simulate": _is_ok,
    "workflow.step": lambda output: bool(output["status"] != "error"),
    "workflow.test": _is_ok,
    "workflow.validate": _is_ok,
}
"""Tool -> whether its output is a success; without an entry every output is.

A search that finds nothing in the index is one; without an index there was nothing to search.
"""


def show_output(tool: str, output: Mapping[str, Any], *, as_json: bool, query: str = "", **marks: bool) -> ExitCode:
    """Print a tool's output and return the exit code for it.

    Args:
        tool: the tool's name.
        output: its output as JSON values.
        as_json: print the output and nothing else.
        query: the query of a search, whose matches are highlighted.
        marks: what the view finds in the output besides: `verbose` to show more, `filtered` if it is not all there is.
    """
    if as_json:
        print_json(output)
    else:
        _show_text(tool, output, query, marks)
    check = SUCCESS_CHECKS.get(tool)
    return ExitCode.OK if check is None or check(output) else ExitCode.PROBLEMS


def _show_text(tool: str, output: Mapping[str, Any], query: str, marks: Mapping[str, bool]) -> None:
    """Print the view of an output, with short names of shipped files; one line says where they are."""
    shown = text.shorten_places(output)
    if isinstance(output.get("path"), str):  # of a view with a heading
        shown = {**shown, "path": output["path"]}
    elif shown != output and tool.startswith("workflow."):
        sys.stdout.write(f"shipped workflows: {SHIPPED_FOLDER}\n")
    if tool == "mem.search":
        print_hits(
            output, query, verbose=marks.get("verbose", False)
        )  # without rich: it answers sooner than rich is loaded
    elif renderer := find_renderer(tool):
        renderer({**shown, **{name: True for name, is_set in marks.items() if is_set}}, terminal.make_console())
    else:
        sys.stdout.writelines(f"{line}\n" for line in format_json_lines(shown))


def find_renderer(tool: str) -> Renderer | None:
    """Return the function that prints a tool's output; None where there is none."""
    module = VIEW_MODULES.get(tool.partition(".")[0])
    renderers: Mapping[str, Renderer] = import_module(f".{module}", __package__).RENDERERS if module else {}
    return renderers.get(tool)


def print_json(output: Mapping[str, Any]) -> None:
    """Print indented JSON: mark foreign text, escape hidden characters and those that the stream lacks."""
    shown = mark_material(output)
    text = escape_json(json.dumps(shown, indent=2, ensure_ascii=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = escape_json(json.dumps(shown, indent=2))
    sys.stdout.write(text + "\n")
