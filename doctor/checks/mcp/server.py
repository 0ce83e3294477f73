"""Checks that the configured server starts with the three tools, in both protocols."""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from aurora.doctor.finding import report_failure, report_pass, report_warning
from aurora.hosts import DEFAULT_TOOLS, ProbeResult, list_server_tools, split_trusted_command

from .entries import build_own_command, list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding
    from aurora.hosts import ProtocolEra

    from .entries import ServerEntry

_PROBE_ENVIRONMENT = {"READ_ONLY": "1", "AURORA_WATCH": "0", "AURORA_LOG": "error"}
"""Environment for a probe: the server must write nothing to the project."""


_MAX_NAMED_TOOLS = 5


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """Command that starts the server.

    Attributes:
        argv: the command line.
        environ: the environment variables that the entry adds.
        titles: the assistants that use it.
        file: the project's file that names it; empty for the user's own files, and for programs that any file may name.
    """

    argv: tuple[str, ...]
    environ: tuple[tuple[str, str], ...]
    titles: tuple[str, ...]
    file: str


def list_launch_commands(context: DoctorContext) -> tuple[LaunchCommand, ...]:
    """List the distinct launch commands, or this installation's own without any."""
    launches: dict[LaunchCommand, list[str]] = {}
    for entry in list_entries(context):
        if entry.state.url:  # no program starts
            continue
        titles = launches.setdefault(_read_launch(entry, context), [])
        if entry.host.title not in titles:
            titles.append(entry.host.title)
    if not launches:
        return (LaunchCommand(build_own_command(context), (), (), ""),)
    return tuple(replace(launch, titles=tuple(titles)) for launch, titles in launches.items())


def _read_launch(entry: ServerEntry, context: DoctorContext) -> LaunchCommand:
    """Read the command of an entry, without the assistants; a clone's files set nothing but the toolsets."""
    is_own = entry.state.scope == "person"
    environ = {
        name: value
        for name, value in sorted(entry.environ.items())
        if "${" not in value and (is_own or name == "AURORA_TOOLSETS")
    }
    arguments = split_trusted_command(entry.state.argv, context.root, context.person)
    is_startable = is_own or (arguments is not None and arguments[:1] == ("mcp",))
    return LaunchCommand(entry.state.argv, tuple(environ.items()), (), "" if is_startable else entry.state.file)


def check_handshake(context: DoctorContext) -> Iterator[Finding]:
    """Check that the server starts, completes the handshake and offers the three tools.

    A clone can name any program, so one that its files name is started only if it is Aurora's.
    """
    for launch, answer in _probe_all(context, "handshake"):
        command = shlex.join(launch.argv)
        for_whom = f", for {', '.join(launch.titles)}" if launch.titles else ""
        if answer.problem:
            message = f"`{command}`: {answer.problem}{for_whom}"
            yield report_failure(
                "mcp.server.fails", message, f"Run `{command}` in a shell to see why.", _REINSTALL_STEP
            )
        else:
            yield from _compare_tools(launch, answer, f"`{command}`", for_whom, context)
    for launch in list_launch_commands(context):
        if launch.file:
            yield _report_foreign(launch)


def _report_foreign(launch: LaunchCommand) -> Finding:
    names = ", ".join(launch.titles)
    return report_warning(
        "mcp.server.foreign",
        f"{launch.file}: `{shlex.join(launch.argv)}` was not started for {names}: it is not the program of this "
        "installation, nor `aur` on your PATH, and a file of the project names it",
        f"If you did not write it, correct {launch.file} before you start {names}: they may run it. "
        "`aur init` writes the command of this installation once the entry is removed.",
    )


def check_stateless(context: DoctorContext) -> Iterator[Finding]:
    """Check that the server answers without a handshake (protocol 2026-07-28 and later)."""
    for launch, answer in _probe_all(context, "stateless"):
        command = shlex.join(launch.argv)
        if answer.problem or set(DEFAULT_TOOLS) - set(answer.tools):
            message = answer.problem or f"it lists {', '.join(answer.tools) or 'nothing'}"
            message = f"`{command}` does not answer without a handshake: {message}"
            yield report_failure("mcp.stateless.fails", message, _REINSTALL_STEP)
        else:
            yield report_pass(f"`{command}` answers with and without a handshake")


def _probe_all(context: DoctorContext, era: ProtocolEra) -> Iterator[tuple[LaunchCommand, ProbeResult]]:
    """Start all launch commands in parallel and yield each with its answer."""
    launches = [launch for launch in list_launch_commands(context) if not launch.file]
    with ThreadPoolExecutor(len(launches) or 1, thread_name_prefix="server") as pool:
        yield from zip(launches, pool.map(partial(_probe_one, context, era), launches), strict=True)


def _probe_one(context: DoctorContext, era: ProtocolEra, launch: LaunchCommand) -> ProbeResult:
    environ = {**context.environ, **dict(launch.environ), **_PROBE_ENVIRONMENT}
    return list_server_tools(launch.argv, context.root, context.patience, era=era, environ=environ)


def _compare_tools(
    launch: LaunchCommand, answer: ProbeResult, command: str, for_whom: str, context: DoctorContext
) -> Iterator[Finding]:
    absent = [name for name in DEFAULT_TOOLS if name not in answer.tools]
    more = [name for name in answer.tools if name not in DEFAULT_TOOLS]
    if absent:
        message = f"{command} does not offer {_join_names(absent)}; another version of Aurora runs{for_whom}"
        yield report_failure("mcp.server.lacks", message, _REINSTALL_STEP)
    elif more and not _requests_more_tools(launch, context):
        message = f"{command} offers more than the three: {_join_names(more[:_MAX_NAMED_TOOLS])}{for_whom}"
        yield report_warning("mcp.server.more", message, _REINSTALL_STEP)
    elif more:
        yield report_pass(f"{command} starts and offers the three tools, and {len(more)} more as requested{for_whom}")
    else:
        yield report_pass(f"{command} starts and offers exactly {_join_names(DEFAULT_TOOLS)}{for_whom}")


def _requests_more_tools(launch: LaunchCommand, context: DoctorContext) -> bool:
    return "--toolsets" in launch.argv or bool({**context.environ, **dict(launch.environ)}.get("AURORA_TOOLSETS"))


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names)


_REINSTALL_STEP = "Reinstall Aurora: `uv tool install --reinstall .` in a clone of it, or `pip install .`."
