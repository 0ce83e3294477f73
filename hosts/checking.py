"""What was written is looked at again, as the host will: the file, the entry, the program, and the server itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .starting import OFFERED, started
from .state import state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from .host import Host
    from .person import Person
    from .state import State

Result = Literal["pass", "warn"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and how it was found.

    Attributes:
        host: whose file it is; empty for a server that several start.
        file: the file; empty for a server.
        title: what was looked at.
        result: how it was found.
        message: what was found.
        help: the way out; empty when all is well.
    """

    host: str
    file: str
    title: str
    result: Result
    message: str = ""
    help: str = ""


DOCTOR = "`aur doctor` looks closer."


def check_hosts(root: Path, person: Person, hosts: Iterable[Host], *, user: bool = False) -> Iterator[Check]:
    """Look at the file of each host, and start each server once.

    Args:
        root: the project's folder, resolved.
        person: whose files are looked at where the project has none.
        hosts: which.
        user: look at the person's file also where the project has one.
    """
    servers: dict[tuple[str, ...], list[str]] = {}
    for host in hosts:
        found = state(host, root, person, "person" if user or not host.project else "project")
        yield _filed(host, found)
        if found.status == "connected":
            servers.setdefault(found.argv, []).append(host.title)
    for argv, titles in servers.items():
        yield check_server(argv, root, titles)


def check_server(argv: tuple[str, ...], root: Path, titles: Iterable[str]) -> Check:
    """Start a server and compare the tools that it lists.

    Args:
        argv: the words that start it.
        root: where it is started.
        titles: the hosts that start it so.
    """
    title = f"`{' '.join(argv)}` starts and lists its tools, for {', '.join(titles)}"
    found = started(argv, root)
    if found.problem:
        return Check(
            "", "", title, "warn", f"`{' '.join(argv)}`: {found.problem}", f"Say it in a shell to see why; {DOCTOR}"
        )
    absent = [name for name in OFFERED if name not in found.tools]
    if absent:
        said = f"`{' '.join(argv)}` does not offer {', '.join(absent)}"
        return Check("", "", title, "warn", said, f"Another edition of Aurora may be meant; {DOCTOR}")
    return Check("", "", title, "pass", f"it lists {', '.join(found.tools)}")


def _filed(host: Host, found: State) -> Check:
    title = f"{found.file} is right for {host.title}"
    if found.status == "connected":
        return Check(host.name, found.file, title, "pass", f"{found.server} is `{' '.join(found.argv)}`")
    message = found.message or f"{found.file}: there is no entry for Aurora"
    return Check(host.name, found.file, title, "warn", message, f"{found.help} {DOCTOR}")
