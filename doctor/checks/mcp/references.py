"""What slash commands, skills and agents refer to is in their assistant's configuration, and the other way round."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.doctor.finding import skipped, warning
from aurora.hosts import HOSTS, OFFERED, Launch, plan, states

from .config import again, entering
from .entries import entries, raw
from .removed_tools import REMOVED
from .texts import read, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding
    from aurora.hosts import Host, State

    from .entries import Entry
    from .texts import Text

_CALLED = re.compile(r"(?<![\w-])mcp__(?P<server>[\w-]*?aurora[\w-]*?)__(?P<tool>\w+)")
"""A tool as Claude Code calls it; other servers may come from plug-ins, of which nothing is known here."""
_BARE = re.compile(rf"(?<![\w-])({'|'.join(OFFERED)})(?![\w-])")


def look(subject: Subject) -> Iterator[Finding]:
    """One finding for each reference that leads nowhere, and for each text that should be there."""
    good: dict[str, list[Entry]] = {}
    for entry in entries(subject):
        good.setdefault(entry.host.name, []).append(entry)
    told: set[tuple[str, str]] = set()
    for host in HOSTS:
        for finding, shown in _from_texts(host, tuple(one.state.server for one in good.get(host.name, ())), subject):
            if (shown, finding.message) not in told:  # a note that several hosts read
                told.add((shown, finding.message))
                yield finding
    yield from _to_texts(good, subject)


def _from_texts(host: Host, connected: tuple[str, ...], subject: Subject) -> Iterator[tuple[Finding, str]]:
    """Findings with their files; `connected` are the names of Aurora's own servers in this host's files."""
    found = states(host, subject.root, subject.person)
    if not connected and any(one.status != "absent" for one in found):
        return  # the entry is there, and wrong, which another check tells
    servers = _servers(host, subject)
    for text in texts(host, subject):
        called = sorted({(one["server"], one["tool"]) for one in _CALLED.finditer(text.text)})
        missing = sorted({server for server, _ in called if server not in servers})
        if not missing and not connected and text.kind != "note" and _BARE.search(text.text):
            missing = ["aurora"]
        for server in missing:
            yield _nowhere(host, text, server, connected, subject), text.shown
        for server, tool in called:
            if server in servers and tool not in OFFERED and tool not in REMOVED and connected:
                said = f'{text.shown}: the {text.kind} refers to the tool "{tool}", which the server does not offer'
                told = (
                    f"Name one of {', '.join(OFFERED)} in {text.shown}, or add `--toolsets all` to the server's words."
                )
                yield warning("mcp.references.tool", said, told), text.shown


def _nowhere(host: Host, text: Text, server: str, connected: tuple[str, ...], subject: Subject) -> Finding:
    said = f'{text.shown}: the {text.kind} refers to the MCP server "{server}", which is not in the configuration of'
    if connected:
        return warning(
            "mcp.references.server", f"{said} {host.title}", f'Call the server "{connected[0]}" in {text.shown}.'
        )
    own = text.shown.startswith("~/")
    state = states(host, subject.root, subject.person)[0]
    repaired = server == "aurora" and not own
    if own and state.status == "absent":  # the person's text serves every project; this one need not be among them
        return skipped("mcp.references.server-own", f"{said} {host.title} for this project")
    mend = entering(state) if repaired else None
    return warning("mcp.references.server", f"{said} {host.title}", again(host, state), mend=mend, about=host.name)


def _servers(host: Host, subject: Subject) -> set[str]:
    """The servers that a host knows in this project."""
    found = {name for state in states(host, subject.root, subject.person) for name in raw(host, state.scope, subject)}
    if host.project:
        found |= set(raw(host, "person", subject))
    return found


def _to_texts(good: dict[str, list[Entry]], subject: Subject) -> Iterator[Finding]:
    """Texts that belong to a good entry, and are missing or of an earlier edition."""
    told: set[str] = set()
    for found in good.values():
        host, state = found[0].host, found[0].state
        for change in _wanting(host, state, subject):
            if change.message not in told:
                told.add(change.message)
                yield change


def _wanting(host: Host, state: State, subject: Subject) -> Iterator[Finding]:
    """One finding for each change that setting up again would make, and for each that it could not."""
    made = plan(
        subject.root,
        subject.person,
        (host,),
        Launch.of(subject.person),
        user=state.scope == "person",
        skill=subject.equipment.skill(),
    )
    for change in made.changes:
        what = ", ".join(change.why)
        held = read(change.shown, subject)
        kind, said = "mcp.references.older", "is of an earlier edition"
        if held is None or "aurora" not in held[1]:
            kind, said = "mcp.references.missing", "is missing"
        yield warning(kind, f"{change.shown}: {what} {said}", again(host, state), mend=entering(state), about=host.name)
    for trouble in made.troubles:
        yield warning(
            "mcp.references.blocked",
            trouble.message.removesuffix("; the file was left as it is"),
            f"Put {trouble.where} right. {again(host, state)}",
        )
