"""`aur` by itself: what to do next, here and now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.context import Session, project_root
from aurora.cli.exit_codes import ExitCode
from aurora.cli.render.registry import print_json
from aurora.cli.terminal.console import console, plain
from aurora.cli.terminal.units import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SET_UP = "aur init"


def welcome(session: Session) -> ExitCode:
    """Say what Aurora knows of this project and which commands come next; changes nothing."""
    root = project_root(session)
    state = _state(root)
    if session.json:
        print_json(state)
    else:
        _shown(state)
    return ExitCode.OK


def _state(root: Path) -> dict[str, Any]:
    from aurora.hosts import HOSTS, Person, states  # noqa: PLC0415 - as above
    from aurora.memory import Memory, database_path  # noqa: PLC0415 - help does not need the database

    with Memory.open(database_path(root), read_only=True) as memory:
        stats = memory.stats()
    files, runs = stats.files, stats.runs
    person = Person.of()
    connected = any(one.status == "connected" for host in HOSTS for one in states(host, root, person))
    return {
        "project": str(root),
        "files": files,
        "runs": runs,
        "connected": connected,
        "next": _next(indexed=files > 0, connected=connected, runs=runs),
    }


def _next(*, indexed: bool, connected: bool, runs: int) -> list[dict[str, str]]:
    """The commands that make sense now, the most useful first."""
    steps: list[tuple[str, str]] = []
    if not connected:
        steps.append((SET_UP, "connect your assistants" if indexed else "read this project, connect your assistants"))
    elif not indexed:
        steps.append(("aur mem index", "read this project into its memory"))
    if indexed:
        steps.append(("aur mem search 'words or a symbol'", "try what the assistant will find"))
        steps.append(("aur workflow show soar", "see how a question is thought through"))
    if runs:
        steps.append(("aur runs list", "see the runs so far, and why each went where it went"))
    steps.append(("aur --help", "see every command"))
    return [{"command": command, "why": why} for command, why in steps]


def _shown(state: Mapping[str, Any]) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    screen = console()
    files = state["files"]
    memory = f"{counted(files, 'file')} in memory, {counted(state['runs'], 'run')}" if files else "not indexed yet"
    screen.print(Text.assemble(("Aurora", "bold"), f"  {plain(state['project'])}  ({memory})"), soft_wrap=True)
    screen.print("Next:")
    steps: Sequence[Mapping[str, str]] = state["next"]
    grid = Table.grid(padding=(0, 3))
    for step in steps:
        grid.add_row(Text(f"  {step['command']}", style="bold cyan"), Text(step["why"]))
    screen.print(grid)
