"""What setting a project up would change: the hosts' files, and the folder that Aurora keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.faults.suggest import quoted

from .model import ChangeRow, HostFound, TroubleRow

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from aurora.hosts import Change, Host, Launch, Person, Trouble


def chosen(names: tuple[str, ...], root: Path, person: Person) -> tuple[Host, ...]:
    """The hosts of these names, or those in use when none is named.

    Raises:
        Fault: NOT_FOUND for a name that no host has; INVALID_INPUT when the project is the person's home.
    """
    from aurora.hosts import in_use, named  # noqa: PLC0415 - listing tools must not pay for the hosts

    nowhere = person.nowhere(root)
    if nowhere:
        raise Fault(
            Code.INVALID_INPUT,
            f"{nowhere} is no project",
            help="Say it in the project's folder, or name that with --project.",
        )
    return named(names) if names else in_use(root, person)


def found(hosts: Iterable[Host], root: Path, person: Person) -> tuple[HostFound, ...]:
    """What shows of each that it is in use."""
    from aurora.hosts import evidence  # noqa: PLC0415 - as above

    return tuple(HostFound(name=one.name, title=one.title, found=evidence(one, root, person)) for one in hosts)


def rows(changes: Iterable[Change]) -> tuple[ChangeRow, ...]:
    """The changes, as they are shown."""
    return tuple(
        ChangeRow.model_validate({"path": one.shown, "action": one.action, "why": one.why, "diff": one.diff()})
        for one in changes
    )


def troubled(troubles: Iterable[Trouble]) -> tuple[TroubleRow, ...]:
    """The troubles, as they are shown."""
    return tuple(TroubleRow(host=one.host, where=one.where, message=one.message, help=one.help) for one in troubles)


def closing(one: TroubleRow) -> TroubleRow:
    """The trouble, its way out with the word of who looks closer."""
    if "`aur doctor`" in one.help:
        return one
    return one.model_copy(update={"help": f"{one.help.rstrip('.')}; `aur doctor` tells more."})


def nobody() -> TroubleRow:
    """What is said when no host is found in use."""
    from aurora.hosts import HOSTS  # noqa: PLC0415 - as above

    return TroubleRow(
        host="",
        where="",
        message="no assistant was found, neither in the project nor among your files and programs",
        help=f"Name yours with --hosts; there are {quoted(host.name for host in HOSTS)}.",
    )


def unshared(launch: Launch) -> tuple[str, ...]:
    """A word of warning when a file that a team shares names a program of this machine alone."""
    if launch.portable:
        return ()
    said = (
        f"The project's files name {launch.shared[0]}: `aur` is on PATH in a virtual environment alone, or not at all."
    )
    return (f"{said} Install it with `uv tool install` or pipx and say `aur init` again, and the files fit everybody.",)
