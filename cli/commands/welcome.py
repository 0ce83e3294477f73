"""`aur` without a command: what to do next in this project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.exit_codes import ExitCode
from aurora.cli.project import resolve_project_root
from aurora.cli.render import print_json
from aurora.cli.render.view import Cell, Line, Table, View
from aurora.cli.terminal import Column, format_count, make_console
from aurora.faults import Code, Fault
from aurora.hosts import HOSTS, UserPaths, read_host_states
from aurora.memory import Memory
from aurora.tools.trust import survey_project
from aurora.trust import FolderTrust

from .trust import TRUST_COMMAND

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.cli.context import CommonOptions

INIT_COMMAND = "aur init"


def show_welcome(options: CommonOptions) -> ExitCode:
    """Show the state of the project and the next commands; change nothing."""
    root = resolve_project_root(options)
    state = _inspect_project(root)
    if options.json:
        print_json(state)
    else:
        _VIEW(state, make_console())
    return ExitCode.OK


def _inspect_project(root: Path) -> dict[str, Any]:
    files, runs = _count_contents(root)
    paths = UserPaths.from_environment()
    states = [state for host in HOSTS for state in read_host_states(host, root, paths)]
    connected = any(state.status == "connected" for state in states)
    is_trusted = FolderTrust(root).is_trusted()
    own = survey_project(root)
    unused = bool(own) and not is_trusted
    return {
        "project": str(root),
        "files": files,
        "runs": runs,
        "connected": connected,
        "trusted": is_trusted,
        "unused": own.describe_files() if unused else "",
        "next": _suggest_commands(indexed=files > 0, connected=connected, runs=runs, unused=unused),
    }


def _count_contents(root: Path) -> tuple[int, int]:
    """Count the files and runs in the memory; none in a database server without its tables."""
    try:
        with Memory.open_project(root, read_only=True) as memory:
            stats = memory.stats()
    except Fault as fault:
        if fault.code is not Code.NOT_FOUND:
            raise
        return 0, 0
    return stats.files, stats.runs


def _suggest_commands(*, indexed: bool, connected: bool, runs: int, unused: bool) -> list[dict[str, str]]:
    """Return the commands that are useful now, the most useful first."""
    steps: list[tuple[str, str]] = []
    if not connected:
        steps.append(
            (INIT_COMMAND, "connect your assistants" if indexed else "index this project, connect your assistants")
        )
    elif not indexed:
        steps.append(("aur mem index", "index this project"))
    if unused:
        steps.append((TRUST_COMMAND, "see this folder's own workflows and agents, and decide"))
    if indexed:
        steps.append(("aur mem search 'words or a symbol'", "try what the assistant finds"))
        steps.append(("aur workflow show soar", "see how Aurora works through a question"))
    if runs:
        steps.append(("aur runs list", "see the runs so far and their decisions"))
    steps.append(("aur --help", "see every command"))
    return [{"command": command, "why": why} for command, why in steps]


def _format_memory(state: Mapping[str, Any]) -> str:
    if not state["files"]:
        return "not indexed yet"
    return f"{format_count(state['files'], 'file')} in memory, {format_count(state['runs'], 'run')}"


_VIEW = View(
    Line(("Aurora", "bold"), "  {project}", lambda state: f"  ({_format_memory(state)})"),
    Line(("Not used, because this folder is not trusted: {unused}", "yellow")),
    Line("Next:"),
    Table(
        "next",
        Cell(Column("command"), "  {command}", "bold cyan"),
        Cell(Column("why", wraps=True), " {why}"),
        titled=False,
    ),
)
