"""Checks of the servers that entries name: they start, answer, and open the same memory."""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from aurora.errors import Fault
from aurora.hosts import (
    DEFAULT_TOOLS,
    ProbeResult,
    RemoteServer,
    list_http_tools,
    list_server_tools,
    read_token_name,
    split_trusted_command,
)
from aurora.memory import database_path
from aurora.system.environment import read_value
from aurora.system.paths.read import read_inside

from .configuration import ServerEntry, build_own_command, find_changed_settings, list_entries, resolve_entry_database
from .model import report_failure, report_nothing, report_pass, report_skip, report_warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.hosts import ProtocolEra

    from .model import DoctorContext, Finding


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
    # A variable of a clone's file could change what the server loads or where its memory is, before anybody trusts
    # the folder.
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
    # In parallel, since each may take as long as the patience for one, and the check has one time limit.
    with ThreadPoolExecutor(len(launches) or 1, thread_name_prefix="server") as pool:
        yield from zip(launches, pool.map(partial(_probe_one, context, era), launches), strict=True)


def _probe_one(context: DoctorContext, era: ProtocolEra, launch: LaunchCommand) -> ProbeResult:
    # The probe's variables come last, so that no entry makes it write.
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
    # Each tool more costs an assistant context in each conversation.
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


_MAX_BYTES = 2_000_000


def check_http(context: DoctorContext) -> Iterator[Finding]:
    """Check each address once for each token.

    A clone can name any address and any variable, so only those of a trusted folder are called, and the one of the
    command line.
    """
    addresses: dict[RemoteServer, list[ServerEntry]] = {}
    for entry in list_entries(context):
        if entry.state.url and not entry.is_disabled:
            # Directly and not by `parse`, which raises for what a person may have written into the file.
            remote = RemoteServer(entry.state.url, read_token_name(entry.host, entry.raw))
            addresses.setdefault(remote, []).append(entry)
    if not addresses:
        yield report_nothing("no assistant's file names a server over HTTP")
    for remote, entries in addresses.items():
        titles = ", ".join(entry.host.title for entry in entries)
        # One call serves all entries of an address, so each file that names it must be trusted.
        is_trusted = remote.url == context.named_url or all(_is_trusted(entry, context) for entry in entries)
        yield _check_address(remote, f", for {titles}", context, is_trusted=is_trusted)


def _is_trusted(entry: ServerEntry, context: DoctorContext) -> bool:
    """Return whether the person trusts the folder, and was shown its file that names the address."""
    if entry.state.scope != "project":
        return context.equipment.trust().trusted
    try:
        content = read_inside(context.root, entry.state.file, _MAX_BYTES)
    except Fault:
        return False
    return context.equipment.is_used(context.root / entry.state.file, content)


def _check_address(remote: RemoteServer, for_whom: str, context: DoctorContext, *, is_trusted: bool) -> Finding:
    if not is_trusted:
        is_changed = context.equipment.trust().trusted
        reason = (
            "the file is new or changed since you trusted this folder" if is_changed else "this folder is not trusted"
        )
        message = f"{remote.url} is not called, since {reason}{for_whom}"
        return report_skip("mcp.http.untrusted", message)
    token = context.environ.get(remote.token_name, "").strip() if remote.token_name else ""
    # The assistant may have the variable where this shell has not, so this is no failure.
    if remote.token_name and not token:
        message = f"{remote.url} is not called, since {remote.token_name} is not set here{for_whom}"
        return report_skip("mcp.http.token", message)
    answer = list_http_tools(remote, token, context.patience)
    lacking = [name for name in DEFAULT_TOOLS if name not in answer.tools]
    if answer.problem or lacking:
        message = f"{remote.url}: {answer.problem or 'it does not offer ' + ', '.join(lacking)}{for_whom}"
        return report_failure("mcp.http.fails", message, "Start the server with `aur serve`, or correct the address.")
    return report_pass(f"{remote.url} answers, and offers {', '.join(DEFAULT_TOOLS)}{for_whom}")


def check_tools(context: DoctorContext) -> Iterator[Finding]:
    """Check that the three tools load and no other is offered by default."""
    offered = context.equipment.offered()
    if set(offered) != set(DEFAULT_TOOLS):
        message = f"this installation offers {', '.join(offered)}, and not {', '.join(DEFAULT_TOOLS)}"
        yield report_failure("mcp.tools.others", message, "Reinstall Aurora; its files are of different versions.")


def check_phases(context: DoctorContext) -> Iterator[Finding]:
    """Check that the default workflow loads with all its phases."""
    name = context.equipment.workflow
    step = f"Run `aur workflow validate {name}`."
    try:
        flow = context.equipment.catalog().load(name)
    except Fault as fault:
        yield report_failure("mcp.phases.broken", fault.details.get("problems", [fault.message])[0], step)
        return
    if flow.fallback_reason:  # this process has loaded a valid version before
        yield report_failure("mcp.phases.broken", f'the workflow "{name}" does not load: {flow.fallback_reason}', step)
        return
    yield report_pass(f"the {len(flow.workflow.phases)} phases of {name} can be loaded")


def check_database(context: DoctorContext) -> Iterator[Finding]:
    """Check that each server opens the memory of the command line, in a file or in a database server."""
    found = list_entries(context)
    if not found:
        yield report_nothing("no assistant's file starts a server here, which might open another memory")
    for url in dict.fromkeys(entry.state.url for entry in found if entry.state.url):
        yield report_skip("mcp.database.elsewhere", f"{url} has its own memory, not that of `aur mem` here")
    here = database_path(context.root, context.environ)
    for entry in found:
        if entry.state.url:
            continue
        changed = find_changed_settings(entry, context)
        if changed:
            yield _report_settings(entry, " and ".join(changed))
            continue
        if read_value("AURORA_DATABASE", context.environ):
            continue  # then no file is opened
        there = resolve_entry_database(entry, context)
        if there is not None and there.resolve() != here.resolve():
            yield report_failure(
                "mcp.database.other",
                f'{entry.state.file}: the server opens "{there}", and the command line "{here}"',
                f'Remove AURORA_DB from the entry "{entry.state.server}" in {entry.state.file}, or set it to the same '
                "in your shell.",
            )


def _report_settings(entry: ServerEntry, names: str) -> Finding:
    return report_failure(
        "mcp.database.other",
        f"{entry.state.file}: the server has another {names} than the command line, and opens another memory",
        f'Remove {names} from the entry "{entry.state.server}" in {entry.state.file}, or set the same in your shell.',
    )
