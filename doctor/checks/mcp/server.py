"""Checks that the configured server starts with the three tools, in both protocols."""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aurora.doctor.finding import report_failure, report_pass, report_warning
from aurora.hosts import DEFAULT_TOOLS, ProbeResult, list_server_tools

from .entries import build_own_command, list_entries
from .removed_tools import REMOVED_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding
    from aurora.hosts import ProtocolEra

_PROBE_ENVIRONMENT = {"READ_ONLY": "1", "AURORA_WATCH": "0", "AURORA_LOG": "error"}
"""Environment for a probe: the server must write nothing to the project."""


_MAX_NAMED_TOOLS = 5


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """Command that starts the server, its environment, and the assistants that use it."""

    argv: tuple[str, ...]
    environ: tuple[tuple[str, str], ...]
    titles: tuple[str, ...]


def list_launch_commands(context: DoctorContext) -> tuple[LaunchCommand, ...]:
    """List the distinct launch commands, or this installation's own without any."""
    launches: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], list[str]] = {}
    for entry in list_entries(context):
        if entry.state.url:  # no program starts
            continue
        environ = tuple(sorted((name, value) for name, value in entry.environ.items() if "${" not in value))
        titles = launches.setdefault((entry.state.argv, environ), [])
        if entry.host.title not in titles:
            titles.append(entry.host.title)
    if not launches:
        return (LaunchCommand(build_own_command(context), (), ()),)
    return tuple(LaunchCommand(argv, environ, tuple(titles)) for (argv, environ), titles in launches.items())


def check_handshake(context: DoctorContext) -> Iterator[Finding]:
    """Check that the server starts, completes the handshake and offers the three tools."""
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
    launches = list_launch_commands(context)
    with ThreadPoolExecutor(len(launches), thread_name_prefix="server") as pool:
        yield from zip(launches, pool.map(partial(_probe_one, context, era), launches), strict=True)


def _probe_one(context: DoctorContext, era: ProtocolEra, launch: LaunchCommand) -> ProbeResult:
    environ = {**context.environ, **dict(launch.environ), **_PROBE_ENVIRONMENT}
    return list_server_tools(launch.argv, context.root, context.patience, era=era, environ=environ)


def _compare_tools(
    launch: LaunchCommand, answer: ProbeResult, command: str, for_whom: str, context: DoctorContext
) -> Iterator[Finding]:
    absent = [name for name in DEFAULT_TOOLS if name not in answer.tools]
    removed = [name for name in answer.tools if name in REMOVED_TOOLS]
    more = [name for name in answer.tools if name not in DEFAULT_TOOLS]
    if absent or removed:
        kind, message = "mcp.server.removed", f"still offers {_join_names(removed)}"
        if absent:
            kind, message = "mcp.server.lacks", f"does not offer {_join_names(absent)}"
        yield report_failure(kind, f"{command} {message}; another version of Aurora runs{for_whom}", _REINSTALL_STEP)
    elif more and not _requests_more_tools(launch, context):
        message = f"{command} offers more than the three: {_join_names(more[:_MAX_NAMED_TOOLS])}{for_whom}"
        yield report_warning("mcp.server.more", message, _REINSTALL_STEP)
    elif more:
        yield report_pass(
            f"{command} starts and offers the three tools, and {len(more)} that it is asked for{for_whom}"
        )
    else:
        yield report_pass(f"{command} starts and offers exactly {_join_names(DEFAULT_TOOLS)}{for_whom}")


def _requests_more_tools(launch: LaunchCommand, context: DoctorContext) -> bool:
    return "--toolsets" in launch.argv or bool({**context.environ, **dict(launch.environ)}.get("AURORA_TOOLSETS"))


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names)


_REINSTALL_STEP = "Reinstall Aurora: `uv tool install --reinstall .` in a clone of it, or `pip install .`."
