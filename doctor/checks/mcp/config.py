"""Check of each assistant's configuration file and the server that it names."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from aurora.doctor.finding import NOT_FIXED, report_failure, report_pass, report_skip, report_warning
from aurora.hosts import (
    HOSTS,
    Launch,
    apply_changes,
    find_evidence,
    find_used_hosts,
    get_hosts,
    plan_changes,
    read_host_states,
    read_left_out,
)

from .entries import list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding, FixFunction
    from aurora.hosts import Host, HostState


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


def select_entry_fix(state: HostState) -> FixFunction:
    """Select the function that writes the host's entry and its texts again."""
    return _USER_FIXES[state.host] if state.scope == "person" else _PROJECT_FIXES[state.host]


def _report_unconnected(lacking: list[Host], context: DoctorContext) -> Iterator[Finding]:
    """Report that no assistant starts Aurora in this project."""
    used_here = [host for host in lacking if is_used_in_project(host, context)]
    for host in used_here:
        yield report_warning(
            "mcp.config.unconnected",
            f"{host.title} is in use in this project, and has no entry for Aurora",
            format_first_init_step(host),
            fix=_PROJECT_FIXES[host.name],
            about=host.name,
        )
    if not used_here:
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


def write_entry(context: DoctorContext, name: str, *, user: bool) -> Iterator[str]:
    """Write missing or stale files for one host; yield each change."""
    (host,) = get_hosts((name,))
    plan = plan_changes(
        context.root,
        context.person,
        (host,),
        Launch.detect(context.person),
        user=user,
        skill=context.equipment.skill(),
        reference=context.equipment.skill_reference(),
        left_out=read_left_out(context.root),
    )
    done, failed = apply_changes(plan.changes, context.root, context.person)
    for change in done:
        yield f"{_ACTION_VERBS[change.action]} {change.display_path}: {', '.join(change.reasons)}"
    for problem in (*plan.problems, *failed):
        yield f"{NOT_FIXED}{problem.message}. {problem.help}"


_ACTION_VERBS = {"create": "created", "edit": "edited", "delete": "deleted"}


def _make_entry_fix(name: str, *, user: bool) -> FixFunction:
    return lambda context: write_entry(context, name, user=user)


_PROJECT_FIXES = {host.name: _make_entry_fix(host.name, user=False) for host in HOSTS}
_USER_FIXES = {host.name: _make_entry_fix(host.name, user=True) for host in HOSTS}
"""One function object per host, so that equal remedies compare equal."""
