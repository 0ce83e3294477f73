"""Is each assistant's file valid, and does it name a server that exists?"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from aurora.doctor.finding import LEFT, failure, passed, skipped, warning
from aurora.hosts import HOSTS, Launch, apply, evidence, in_use, named, plan, states

from .entries import entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding, Mend
    from aurora.hosts import Host, State


def look(subject: Subject) -> Iterator[Finding]:
    """One finding for each file that says anything, and for each assistant in use that says nothing."""
    switched_off = {(entry.host.name, entry.state.scope) for entry in entries(subject) if entry.off}
    told = False
    lacking: list[Host] = []
    for host in HOSTS:
        for state in states(host, subject.root, subject.person):
            told |= state.status != "absent"
            if state.status == "absent":
                if evidence(host, subject.root, subject.person):
                    lacking.append(host)
            elif (host.name, state.scope) in switched_off:
                said = f'{state.file}: the entry "{state.server}" is switched off'
                yield warning("mcp.config.off", said, f'Switch "{state.server}" on in {state.file}.')
            else:
                yield _judged(host, state)
    if told:
        for host in lacking:
            yield skipped("mcp.config.absent", f"{host.title} is in use, and has no entry for Aurora")
    else:
        yield from _unconnected(lacking, subject)


def _judged(host: Host, state: State) -> Finding:
    if state.status == "connected":
        return passed(f"{state.file} is valid for {host.title}, and starts `{shlex.join(state.argv)}`")
    if state.status in {"incomplete", "stale"}:
        kind = "mcp.config.stale" if state.status == "stale" else "mcp.config.incomplete"
        return failure(kind, state.message, again(host, state), mend=entering(state), about=host.name)
    if state.status == "broken" and state.scope == "person" and host.project:
        return warning("mcp.config.broken-own", f"{state.message} ({host.title} may not start)", f"Mend {state.file}.")
    if state.status == "taken":
        step = f'Call the entry "{state.server}" in {state.file} something else. {again(host, state)}'
        return failure("mcp.config.taken", state.message, step)
    return failure("mcp.config.broken", state.message, state.help)


def again(host: Host, state: State) -> str:
    """The command that writes the host's entry anew."""
    own = " --user" if state.scope == "person" and host.project else ""
    return f"Run `aur init --no-index --hosts {host.name}{own}`."


def entering(state: State) -> Mend:
    """What writes the host's entry, and what belongs to it, anew."""
    return _USER[state.host] if state.scope == "person" else _PROJECT[state.host]


def _unconnected(lacking: list[Host], subject: Subject) -> Iterator[Finding]:
    """What is said when no assistant starts Aurora here."""
    here = [host for host in lacking if any((subject.root / mark).exists() for mark in host.marks if _shared(mark))]
    for host in here:
        yield warning(
            "mcp.config.unconnected",
            f"{host.title} is in use in this project, and has no entry for Aurora",
            f"Run `aur init --hosts {host.name}`.",
            mend=_PROJECT[host.name],
            about=host.name,
        )
    if not here:
        known = "" if in_use(subject.root, subject.person) else " --hosts NAME"
        yield warning(
            "mcp.config.nobody",
            "no assistant starts Aurora in this project",
            f"Run `aur init{known}`; `aur hosts list` has names.",
        )


def _shared(mark: str) -> bool:
    return not mark.startswith(("~/", "{"))


def write(subject: Subject, name: str, *, user: bool) -> Iterator[str]:
    """Write what is missing or stale for one host; gives what was done."""
    (host,) = named((name,))
    made = plan(
        subject.root,
        subject.person,
        (host,),
        Launch.of(subject.person),
        user=user,
        skill=subject.equipment.skill(),
    )
    done, failed = apply(made.changes, subject.root, subject.person)
    for change in done:
        yield f"{_DONE[change.action]} {change.shown}: {', '.join(change.why)}"
    for trouble in (*made.troubles, *failed):
        yield f"{LEFT}{trouble.message}. {trouble.help}"


_DONE = {"create": "wrote", "edit": "mended", "delete": "deleted"}


def _writing(name: str, *, user: bool) -> Mend:
    return lambda subject: write(subject, name, user=user)


_PROJECT = {host.name: _writing(host.name, user=False) for host in HOSTS}
_USER = {host.name: _writing(host.name, user=True) for host in HOSTS}
"""One function for each host and never two, so that equal remedies are equal."""
