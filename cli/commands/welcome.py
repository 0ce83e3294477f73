"""`aur` by itself: what to do next, here and now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.context import CommonOptions, resolve_project_root
from aurora.cli.exit_codes import ExitCode
from aurora.cli.render import print_json
from aurora.cli.terminal import format_count, make_console, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

INIT_COMMAND = "aur init"


def show_welcome(session: CommonOptions) -> ExitCode:
    """Say what Aurora knows of this project and which commands come next; changes nothing."""
    root = resolve_project_root(session)
    state = _inspect_project(root)
    if session.json:
        print_json(state)
    else:
        _print_state(state)
    return ExitCode.OK


def _inspect_project(root: Path) -> dict[str, Any]:
    from aurora.hosts import HOSTS, UserPaths, read_host_states  # noqa: PLC0415 - as above
    from aurora.memory import Memory, database_path  # noqa: PLC0415 - help does not need the database

    with Memory.open(database_path(root), read_only=True) as memory:
        stats = memory.stats()
    files, runs = stats.files, stats.runs
    person = UserPaths.from_environment()
    connected = any(one.status == "connected" for host in HOSTS for one in read_host_states(host, root, person))
    return {
        "project": str(root),
        "files": files,
        "runs": runs,
        "connected": connected,
        "next": _suggest_commands(indexed=files > 0, connected=connected, runs=runs),
    }


def _suggest_commands(*, indexed: bool, connected: bool, runs: int) -> list[dict[str, str]]:
    """The commands that make sense now, the most useful first."""
    steps: list[tuple[str, str]] = []
    if not connected:
        steps.append(
            (INIT_COMMAND, "connect your assistants" if indexed else "read this project, connect your assistants")
        )
    elif not indexed:
        steps.append(("aur mem index", "read this project into its memory"))
    if indexed:
        steps.append(("aur mem search 'words or a symbol'", "try what the assistant will find"))
        steps.append(("aur workflow show soar", "see how a question is thought through"))
    if runs:
        steps.append(("aur runs list", "see the runs so far, and why each went where it went"))
    steps.append(("aur --help", "see every command"))
    return [{"command": command, "why": why} for command, why in steps]


def _print_state(state: Mapping[str, Any]) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    screen = make_console()
    files = state["files"]
    memory = (
        f"{format_count(files, 'file')} in memory, {format_count(state['runs'], 'run')}" if files else "not indexed yet"
    )
    screen.print(Text.assemble(("Aurora", "bold"), f"  {strip_controls(state['project'])}  ({memory})"), soft_wrap=True)
    screen.print("Next:")
    steps: Sequence[Mapping[str, str]] = state["next"]
    grid = Table.grid(padding=(0, 3))
    for step in steps:
        grid.add_row(Text(f"  {step['command']}", style="bold cyan"), Text(step["why"]))
    screen.print(grid)
