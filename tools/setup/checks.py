"""What was written is looked at again by the doctor; setting up goes on, so what fails there is a warning here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .doctor_finding import GroupRow, to_group_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurora.hosts import Host, UserPaths
    from aurora.tools.core import Context

    from .doctor_finding import FindingRow
    from .model import TroubleRow

CHECK_GROUP = "mcp"
_CONSEQUENCES = frozenset({"mcp.config.nobody", "mcp.config.unconnected", "mcp.references.server"})
"""What follows where an entry could not be written, which has been told already."""
_BAD_STATUSES = frozenset({"warn", "fail"})
_DOCTOR_HINT = "`aur doctor` looks closer."


def check_setup(context: Context, troubles: Sequence[TroubleRow]) -> tuple[GroupRow, ...]:
    """The doctor's own checks of what assistants need.

    Args:
        context: of the invocation.
        troubles: what has been told already, and is not told again.
    """
    from aurora.doctor import examine_project  # noqa: PLC0415 - listing tools must not pay for the doctor

    from .doctor_fixtures import build_doctor_context  # noqa: PLC0415 - as above

    return tuple(
        group.model_copy(update={"findings": tuple(_soften_findings(group.findings, troubles))})
        for group in to_group_rows(examine_project(build_doctor_context(context), (CHECK_GROUP,)))
    )


def _soften_findings(findings: Iterable[FindingRow], troubles: Sequence[TroubleRow]) -> Iterator[FindingRow]:
    places = {one.where for one in troubles if one.where}
    for one in findings:
        if one.status not in _BAD_STATUSES:
            yield one
        elif one.message.partition(": ")[0] not in places and not (one.kind in _CONSEQUENCES and troubles):
            yield one.model_copy(update={"status": "warn", "steps": (*one.steps, _DOCTOR_HINT)})


def find_connected_hosts(hosts: Iterable[Host], root: Path, person: UserPaths) -> Iterator[Host]:
    """Those whose file starts Aurora in this project."""
    from aurora.hosts import read_host_states  # noqa: PLC0415 - as above

    for host in hosts:
        if any(one.status == "connected" for one in read_host_states(host, root, person)):
            yield host
