"""What was written is looked at again by the doctor; setting up goes on, so what fails there is a warning here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .doctor_finding import GroupRow, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurora.hosts import Host, Person
    from aurora.tools.core.context import Context

    from .doctor_finding import FindingRow
    from .model import TroubleRow

GROUP = "mcp"
_FOLLOWS = frozenset({"mcp.config.nobody", "mcp.config.unconnected", "mcp.references.server"})
"""What follows where an entry could not be written, which has been told already."""
_BAD = frozenset({"warn", "fail"})
_CLOSER = "`aur doctor` looks closer."


def checked(context: Context, troubles: Sequence[TroubleRow]) -> tuple[GroupRow, ...]:
    """The doctor's own checks of what assistants need.

    Args:
        context: of the invocation.
        troubles: what has been told already, and is not told again.
    """
    from aurora.doctor import examine  # noqa: PLC0415 - listing tools must not pay for the doctor

    from .doctor_fixtures import subject  # noqa: PLC0415 - as above

    return tuple(
        group.model_copy(update={"findings": tuple(_softened(group.findings, troubles))})
        for group in grouped(examine(subject(context), (GROUP,)))
    )


def _softened(findings: Iterable[FindingRow], troubles: Sequence[TroubleRow]) -> Iterator[FindingRow]:
    places = {one.where for one in troubles if one.where}
    for one in findings:
        if one.status not in _BAD:
            yield one
        elif one.message.partition(": ")[0] not in places and not (one.kind in _FOLLOWS and troubles):
            yield one.model_copy(update={"status": "warn", "steps": (*one.steps, _CLOSER)})


def connected(hosts: Iterable[Host], root: Path, person: Person) -> Iterator[Host]:
    """Those whose file starts Aurora in this project."""
    from aurora.hosts import states  # noqa: PLC0415 - as above

    for host in hosts:
        if any(one.status == "connected" for one in states(host, root, person)):
            yield host
