"""Checks of each assistant's configuration file and of the entries in it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.hosts import (
    HOSTS,
    ConfigFileError,
    Draft,
    Launch,
    apply_changes,
    choose_file,
    find_evidence,
    find_used_hosts,
    get_hosts,
    plan_changes,
    read_entries,
    read_host_states,
    read_left_out,
    read_project_option,
)
from aurora.memory import database_path
from aurora.system.environment import read_value

from .model import NOT_FIXED, report_failure, report_pass, report_skip, report_warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.hosts import ChangePlan, Host, HostState, Scope

    from .model import DoctorContext, Finding


def check_config(context: DoctorContext) -> Iterator[Finding]:
    """Check each configuration file, and each assistant in use without an entry."""
    switched_off = {(entry.host.name, entry.state.scope) for entry in list_entries(context) if entry.is_disabled}
    has_entry = False
    lacking: list[Host] = []
    for host in HOSTS:
        for state in read_host_states(host, context.root, context.person):
            has_entry |= state.status != "absent"
            if state.status == "absent":
                if find_evidence(host, context.root, context.person):
                    lacking.append(host)
            elif (host.name, state.scope) in switched_off:
                message = f'{state.file}: the entry "{state.server}" is switched off'
                yield report_warning("mcp.config.off", message, f'Switch "{state.server}" on in {state.file}.')
            else:
                yield _report_state(host, state)
    # Whoever has connected one assistant has chosen; the others are mentioned and not missed.
    if has_entry:
        for host in lacking:
            yield report_skip("mcp.config.absent", f"{host.title} is in use, and has no entry for Aurora")
    else:
        yield from _report_unconnected(lacking, context)


def _report_state(host: Host, state: HostState) -> Finding:
    if state.status == "connected":
        does = f"leads to {state.url}" if state.url else f"starts `{shlex.join(state.argv)}`"
        return report_pass(f"{state.file} is valid for {host.title}, and {does}")
    if state.status in {"incomplete", "stale"}:
        kind = "mcp.config.stale" if state.status == "stale" else "mcp.config.incomplete"
        fix = None if state.url else select_entry_fix(state)  # which would not know the address
        return report_failure(kind, state.message, format_init_step(host, state), fix=fix, about=host.name)
    # The project's own file still connects the assistant.
    if state.status == "broken" and state.scope == "person" and host.project:
        return report_warning(
            "mcp.config.broken-own", f"{state.message} ({host.title} may not start)", f"Fix {state.file}."
        )
    if state.status == "taken":
        step = f'Rename the entry "{state.server}" in {state.file}. {format_init_step(host, state)}'
        return report_failure("mcp.config.taken", state.message, step)
    return report_failure("mcp.config.broken", state.message, state.help)


def format_init_step(host: Host, state: HostState) -> str:
    """Format the step that writes the host's entry again."""
    option = " --user" if state.scope == "person" and host.project else ""
    address = f" --url {state.url}" if state.url else ""
    return f"Run `aur init --no-index --hosts {host.name}{option}{address}`."


def format_first_init_step(host: Host) -> str:
    """Format the step that connects the host in a project without an entry for it."""
    return f"Run `aur init --hosts {host.name}`."


def select_entry_fix(state: HostState) -> EntryFix:
    """Select the fix that writes the host's entry and its texts again."""
    return EntryFix(state.host, state.scope == "person")


def _report_unconnected(lacking: list[Host], context: DoctorContext) -> Iterator[Finding]:
    """Report that no assistant starts Aurora in this project."""
    used_here = [host for host in lacking if is_used_in_project(host, context)]
    for host in used_here:
        yield report_warning(
            "mcp.config.unconnected",
            f"{host.title} is in use in this project, and has no entry for Aurora",
            format_first_init_step(host),
            fix=EntryFix(host.name),
            about=host.name,
        )
    if not used_here:
        # Without an assistant in use, `aur init` would not know which one to connect.
        option = "" if find_used_hosts(context.root, context.person) else " --hosts NAME"
        yield report_warning(
            "mcp.config.none",
            "no assistant starts Aurora in this project",
            f"Run `aur init{option}`; `aur hosts list` lists the names.",
        )


def is_used_in_project(host: Host, context: DoctorContext) -> bool:
    """Check whether the project has a file or folder of the host."""
    marks = [mark for mark in host.marks if not mark.startswith(("~/", "{"))]
    return any((context.root / mark).exists() for mark in marks)


@dataclass(frozen=True, slots=True)
class EntryFix:
    """Fix that writes missing or stale files of one host; a value, so that equal remedies compare equal."""

    name: str
    user: bool = False

    def __call__(self, context: DoctorContext) -> Iterator[str]:
        """Write the files; yield each change."""
        (host,) = get_hosts((self.name,))
        yield from write_plan(plan_host(host, context, user=self.user), context)


def plan_host(host: Host, context: DoctorContext, *, user: bool) -> ChangePlan:
    """Plan what `aur init` would write for a host, without what the person left out."""
    return plan_changes(
        context.root,
        context.person,
        (host,),
        Launch.detect(context.person),
        user=user,
        skill=context.equipment.skill(),
        # What the person did not want at `aur init` is not missing.
        left_out=read_left_out(context.root),
    )


def write_plan(plan: ChangePlan, context: DoctorContext) -> Iterator[str]:
    """Write planned changes; yield a line for each, and for each that was not made."""
    done, failed = apply_changes(plan.changes, context.root, context.person)
    for change in done:
        yield f"{_ACTION_VERBS[change.action]} {change.display_path}: {', '.join(change.reasons)}"
    for problem in (*plan.problems, *failed):
        yield f"{NOT_FIXED}{problem.message}. {problem.help}"


_ACTION_VERBS = {"create": "created", "edit": "edited", "delete": "deleted"}


_ENVIRONMENT_KEYS = ("env", "environment")
_SERVER_SETTINGS = ("AURORA_DATABASE", "AURORA_PROJECT")
_WORKING_DIRECTORY_KEYS = ("cwd", "working_directory")


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """Valid entry in a host's configuration file.

    Attributes:
        host: the assistant.
        state: the file, and the command that starts the server.
        raw: the entry as written.
    """

    host: Host
    state: HostState
    raw: Mapping[str, Any]

    @property
    def environ(self) -> dict[str, str]:
        """Environment variables that the entry adds for the server."""
        for key in _ENVIRONMENT_KEYS:
            variables = self.raw.get(key)
            if isinstance(variables, dict):
                return {str(name): value for name, value in variables.items() if isinstance(value, str)}
        return {}

    @property
    def working_directory(self) -> str | None:
        """Working directory of the server, if the entry names it without a variable."""
        for key in _WORKING_DIRECTORY_KEYS:
            folder = self.raw.get(key)
            if isinstance(folder, str) and "${" not in folder:
                return folder
        return None

    @property
    def is_disabled(self) -> bool:
        """True when the entry tells the host not to start the server."""
        return self.raw.get("disabled") is True or self.raw.get("enabled") is False


def list_entries(context: DoctorContext) -> tuple[ServerEntry, ...]:
    """List the valid entries in the order of the hosts."""
    return tuple(
        ServerEntry(host, state, read_server_entries(host, state.scope, context).get(state.server) or {})
        for host in HOSTS
        for state in read_host_states(host, context.root, context.person)
        if state.status == "connected"
    )


def read_server_entries(host: Host, scope: Scope, context: DoctorContext) -> dict[str, Any]:
    """Read the servers that a file names; none when it cannot be read."""
    draft = Draft(context.root, context.person)
    try:
        found = read_entries(host, draft.read_text(draft.resolve_path(choose_file(host, scope, draft))) or "")
    except ConfigFileError:
        return {}
    return {name: entry if isinstance(entry, dict) else {} for name, entry in found.items()}


def read_text_file(written: str, context: DoctorContext) -> str | None:
    """Read the text of an assistant's file; None when it is missing or unreadable."""
    draft = Draft(context.root, context.person)
    try:
        return draft.read_text(draft.resolve_path(written))
    except ConfigFileError:
        return None


def build_own_command(context: DoctorContext) -> tuple[str, ...]:
    """Build the command that starts this installation's server."""
    return (*Launch.detect(context.person).own, "mcp")


def find_changed_settings(entry: ServerEntry, context: DoctorContext) -> tuple[str, ...]:
    """List the settings of the database server that an entry changes, by name.

    A value may have a password. The project counts only where a database server is used. A variable that only the
    host can expand is not compared.
    """
    there = {**context.environ, **{name: value for name, value in entry.environ.items() if "${" not in value}}
    values = {name: (read_value(name, context.environ), read_value(name, there)) for name in _SERVER_SETTINGS}
    changed = tuple(name for name, (here, served) in values.items() if here != served)
    return changed if any(values["AURORA_DATABASE"]) else ()


def resolve_entry_database(entry: ServerEntry, context: DoctorContext) -> Path | None:
    """Resolve the database that an entry's server opens.

    None when the entry leaves it to the environment, or names it with a variable that only the host can expand.
    """
    named = entry.environ.get("AURORA_DB", "").strip()
    if not named or "${" in named:
        return None
    project = read_project_option(entry.state.argv) or entry.working_directory
    folder = Path(project).expanduser() if project else context.root
    return database_path(context.root / folder, {"AURORA_DB": named})
