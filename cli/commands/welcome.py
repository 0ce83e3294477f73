"""`aur` without a command: what to do next in this project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.exits import ExitCode
from aurora.cli.output import Column, Output, format_count, has_fixed_width
from aurora.cli.project import resolve_project_root
from aurora.cli.render.printer import print_json
from aurora.errors import Code, Fault, show_hidden_line
from aurora.hosts import HOSTS, UserPaths, read_host_states
from aurora.interpreter.problems import select_errors
from aurora.memory.files import has_memory
from aurora.tools import trust
from aurora.tools.runs import list_in_flight
from aurora.tools.runtime import Workspace
from aurora.trust import FolderTrust

from .trust import TRUST_COMMAND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.cli.context import CommonOptions
    from aurora.tools.runs import InFlightRun
    from aurora.trust import OwnDefinitions

INIT_COMMAND = "aur init"
_MAX_CHECKED = 20
"""Workflow files that are checked; a check takes some milliseconds, and this command should answer at once."""
_MAX_RUNS = 3
"""Runs that wait for the person, and runs that wait for the assistant, which are named; the others are counted."""
_MAX_TITLE = 80
_NARROW_WIDTH = 70
"""Width in columns below which a reason has its own line."""


def show_welcome(options: CommonOptions) -> ExitCode:
    """Show the state of the project and the next commands; change nothing."""
    root = resolve_project_root(options)
    state = _inspect_project(root)
    if options.json:
        print_json(state)
    else:
        _print_state(state, Output())
    return ExitCode.OK


def _inspect_project(root: Path) -> dict[str, Any]:
    contents = _read_contents(root)
    files, runs = contents["files"], contents["runs"]
    paths = UserPaths.from_environment()
    states = [state for host in HOSTS for state in read_host_states(host, root, paths)]
    connected = any(state.status == "connected" for state in states)
    is_trusted = FolderTrust(root).is_trusted()
    own = trust.survey_project(root)
    with Workspace(root, read_only=True, untouched=not has_memory(root)) as workspace:
        unused = trust.survey_unused(workspace)
    return {
        "project": str(root),
        **contents,
        "connected": connected,
        "trusted": is_trusted,
        "unused": unused.describe_files() if unused else "",
        "unused_reason": unused.reason if unused else "",
        "broken": _count_broken(root, own) if own.workflows and is_trusted else 0,
        "next": _suggest_commands(indexed=files > 0, connected=connected, runs=runs, unused=bool(unused)),
    }


def _count_broken(root: Path, own: OwnDefinitions) -> int:
    """Count the project's own workflows that have errors, among its first files."""
    # A look at a new project leaves no memory behind, as everywhere in this command.
    with Workspace(root, read_only=True, untouched=not has_memory(root)) as workspace:
        files = [str(root / path) for path in own.workflows[:_MAX_CHECKED]]
        return sum(bool(select_errors(workspace.workflows.find_problems(file))) for file in files)


def _read_contents(root: Path) -> dict[str, Any]:
    """Read the figures of the memory and the runs in flight; none in a database server without its tables."""
    try:
        with Workspace(root, read_only=True, untouched=not has_memory(root)) as workspace:
            stats, states = workspace.memory.stats(), workspace.memory.journal.count_states()
            waiting, begun = list_in_flight(workspace, _MAX_RUNS)
    except Fault as fault:
        if fault.code is not Code.NOT_FOUND:
            raise
        return {"files": 0, "runs": 0, "waiting": [], "open": [], "states": {}, "more": 0}
    left = states.get("waiting", 0) + states.get("open", 0) - len(waiting) - len(begun)
    return {
        "files": stats.files,
        "runs": stats.runs,
        "waiting": [{"run": one.run, "workflow": one.workflow, "message": one.message} for one in waiting],
        "open": [_describe_open(one) for one in begun],
        "states": states,
        "more": max(left, 0),
    }


def _describe_open(run: InFlightRun) -> dict[str, Any]:
    return {name: getattr(run, name) for name in ("run", "workflow", "question", "phase", "answer")}


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


def _print_state(state: Mapping[str, Any], out: Output) -> None:
    files, runs = format_count(state["files"], "file"), format_count(state["runs"], "run")
    memory = f"{files} in memory, {runs}" if state["files"] else "not indexed yet"
    out.line(("Aurora", "bold"), f"  {state['project']}  ({memory})")
    _print_waiting(state, out)
    if state["open"]:
        out.line("Open runs:")
    for run in state["open"]:
        place = f"{run['phase']} waits for the assistant's answer" if run["answer"] else f"next is {run['phase']}"
        out.line(f"  {run['run']}  {run['workflow']}: {place}", _format_title(run["question"]))
    if state["more"]:
        out.line((f"  and {format_count(state['more'], 'run')} more: aur runs list --status open", "dim"))
    if state["unused"]:
        out.line((f"Not used, {state['unused_reason']}: {state['unused']}", "yellow"))
    if state["broken"]:
        have = "has" if state["broken"] == 1 else "have"
        broken = format_count(state["broken"], "workflow")
        out.line((f"{broken} {have} errors: run `aur workflow validate`", "yellow"))
    _print_next(state["next"], out)


def _print_next(steps: Sequence[Mapping[str, str]], out: Output) -> None:
    out.line("Next:")
    if has_fixed_width() and out.width < _NARROW_WIDTH:
        for step in steps:
            out.line((f"  {step['command']}", "bold cyan"))
            out.text(step["why"], wraps=True, indent="    ")
    else:
        rows = [((f"  {step['command']}", "bold cyan"), f" {step['why']}") for step in steps]
        out.table([Column("command"), Column("why", wraps=True)], rows, titled=False)


def _print_waiting(state: Mapping[str, Any], out: Output) -> None:
    """Print the runs that wait for the person, with the commands that answer them."""
    waiting = state["waiting"]
    if len(waiting) != 1 and waiting:
        out.line((f"{format_count(state['states']['waiting'], 'run')} wait for you:", "bold yellow"))
    for run in waiting:
        prefix = "1 run waits for you:" if len(waiting) == 1 else " "
        out.line((f"{prefix} aur runs approve {run['run']}", "bold yellow"), _format_title(run["message"]))


def _format_title(text: str) -> str:
    """Format what a run asks or is about, in brackets on one line; empty for nothing."""
    line = show_hidden_line(" ".join(text.split()))
    return "" if not line else f"  ({line if len(line) <= _MAX_TITLE else line[: _MAX_TITLE - 1] + '…'})"
