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
)

from .entries import list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding, FixFunction
    from aurora.hosts import Host, HostState


def check_config(subject: DoctorContext) -> Iterator[Finding]:
    """Check each configuration file, and each assistant in use without an entry."""
    switched_off = {(entry.host.name, entry.state.scope) for entry in list_entries(subject) if entry.is_disabled}
    told = False
    lacking: list[Host] = []
    for host in HOSTS:
        for state in read_host_states(host, subject.root, subject.person):
            told |= state.status != "absent"
            if state.status == "absent":
                if find_evidence(host, subject.root, subject.person):
                    lacking.append(host)
            elif (host.name, state.scope) in switched_off:
                said = f'{state.file}: the entry "{state.server}" is switched off'
                yield report_warning("mcp.config.off", said, f'Switch "{state.server}" on in {state.file}.')
            else:
                yield _report_state(host, state)
    if told:
        for host in lacking:
            yield report_skip("mcp.config.absent", f"{host.title} is in use, and has no entry for Aurora")
    else:
        yield from _report_unconnected(lacking, subject)


def _report_state(host: Host, state: HostState) -> Finding:
    if state.status == "connected":
        return report_pass(f"{state.file} is valid for {host.title}, and starts `{shlex.join(state.argv)}`")
    if state.status in {"incomplete", "stale"}:
        kind = "mcp.config.stale" if state.status == "stale" else "mcp.config.incomplete"
        return report_failure(
            kind, state.message, format_init_step(host, state), mend=select_entry_fix(state), about=host.name
        )
    if state.status == "broken" and state.scope == "person" and host.project:
        return report_warning(
            "mcp.config.broken-own", f"{state.message} ({host.title} may not start)", f"Fix {state.file}."
        )
    if state.status == "taken":
        step = f'Rename the entry "{state.server}" in {state.file}.  {format_init_step(host, state)}'
        return report_failure("mcp.config.taken", state.message, step)
    return report_failure("mcp.config.broken", state.message, state.help)


def format_init_step(host: Host, state: HostState) -> str:
    """Format the step that writes the host's entry again."""
    own = " --user" if state.scope == "person" and host.project else ""
    return f"Run `aur init --no-index --hosts {host.name}{own}`."


def select_entry_fix(state: HostState) -> FixFunction:
    """Select the function that writes the host's entry and its texts again."""
    return _USER_FIXES[state.host] if state.scope == "person" else _PROJECT_FIXES[state.host]


def _report_unconnected(lacking: list[Host], subject: DoctorContext) -> Iterator[Finding]:
    """Report that no assistant starts Aurora in this project."""
    here = [
        host for host in lacking if any((subject.root / mark).exists() for mark in host.marks if _is_in_project(mark))
    ]
    for host in here:
        yield report_warning(
            "mcp.config.unconnected",
            f"{host.title} is in use in this project, and has no entry for Aurora",
            f"Run `aur init --hosts {host.name}`.",
            mend=_PROJECT_FIXES[host.name],
            about=host.name,
        )
    if not here:
        known = "" if find_used_hosts(subject.root, subject.person) else " --hosts NAME"
        yield report_warning(
            "mcp.config.nobody",
            "no assistant starts Aurora in this project",
            f"Run `aur init{known}`; `aur hosts list` has names.",
        )


def _is_in_project(mark: str) -> bool:
    return not mark.startswith(("~/", "{"))


def write_entry(subject: DoctorContext, name: str, *, user: bool) -> Iterator[str]:
    """Write missing or stale files for one host; yield each change."""
    (host,) = get_hosts((name,))
    made = plan_changes(
        subject.root,
        subject.person,
        (host,),
        Launch.detect(subject.person),
        user=user,
        skill=subject.equipment.skill(),
    )
    done, failed = apply_changes(made.changes, subject.root, subject.person)
    for change in done:
        yield f"{_ACTION_VERBS[change.action]} {change.display_path}: {', '.join(change.reasons)}"
    for trouble in (*made.problems, *failed):
        yield f"{NOT_FIXED}{trouble.message}. {trouble.help}"


_ACTION_VERBS = {"create": "created", "edit": "edited", "delete": "deleted"}


def _make_entry_fix(name: str, *, user: bool) -> FixFunction:
    return lambda subject: write_entry(subject, name, user=user)


_PROJECT_FIXES = {host.name: _make_entry_fix(host.name, user=False) for host in HOSTS}
_USER_FIXES = {host.name: _make_entry_fix(host.name, user=True) for host in HOSTS}
"""One function object per host, so that equal remedies compare equal."""
