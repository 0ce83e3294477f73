"""What setting a project up would change: the hosts' files, and the folder that Aurora keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, quote_names

from .model import ChangeRow, DetectedHost, TroubleRow

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from aurora.hosts import ConfigProblem, FileChange, Host, Launch, UserPaths


def choose_hosts(names: tuple[str, ...], root: Path, person: UserPaths) -> tuple[Host, ...]:
    """The hosts of these names, or those in use when none is named.

    Raises:
        Fault: NOT_FOUND for a name that no host has; INVALID_INPUT when the project is the person's home.
    """
    from aurora.hosts import find_used_hosts, get_hosts  # noqa: PLC0415 - listing tools must not pay for the hosts

    nowhere = person.describe_unusable_root(root)
    if nowhere:
        raise Fault(
            Code.INVALID_INPUT,
            f"{nowhere} is no project",
            help="Say it in the project's folder, or name that with --project.",
        )
    return get_hosts(names) if names else find_used_hosts(root, person)


def to_detected_hosts(hosts: Iterable[Host], root: Path, person: UserPaths) -> tuple[DetectedHost, ...]:
    """What shows of each that it is in use."""
    from aurora.hosts import find_evidence  # noqa: PLC0415 - as above

    return tuple(DetectedHost(name=one.name, title=one.title, found=find_evidence(one, root, person)) for one in hosts)


def to_change_rows(changes: Iterable[FileChange]) -> tuple[ChangeRow, ...]:
    """The changes, as they are shown."""
    return tuple(
        ChangeRow.model_validate(
            {"path": one.display_path, "action": one.action, "why": one.reasons, "diff": one.to_diff()}
        )
        for one in changes
    )


def to_trouble_rows(troubles: Iterable[ConfigProblem]) -> tuple[TroubleRow, ...]:
    """The troubles, as they are shown."""
    return tuple(TroubleRow(host=one.host, where=one.where, message=one.message, help=one.help) for one in troubles)


def add_doctor_hint(one: TroubleRow) -> TroubleRow:
    """The trouble, its way out with the word of who looks closer."""
    if "`aur doctor`" in one.help:
        return one
    return one.model_copy(update={"help": f"{one.help.rstrip('.')}; `aur doctor` shows details."})


def report_no_host() -> TroubleRow:
    """What is said when no host is found in use."""
    from aurora.hosts import HOSTS  # noqa: PLC0415 - as above

    return TroubleRow(
        host="",
        where="",
        message="no assistant was found, neither in the project nor among your files and programs",
        help=f"Name yours with --hosts; there are {quote_names(host.name for host in HOSTS)}.",
    )


def warn_unshared_program(launch: Launch) -> tuple[str, ...]:
    """A word of warning when a file that a team shares names a program of this machine alone."""
    if launch.is_portable:
        return ()
    said = (
        f"The project's files name {launch.shared[0]}: `aur` is on PATH in a virtual environment alone, or not at all."
    )
    return (f"{said} Install it with `uv tool install` or pipx and say `aur init` again, and the files fit everybody.",)
