"""Doctor's checks after the setup; a failed check is only a warning there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora import doctor, hosts

from .doctor_finding import GroupRow, to_group_rows
from .doctor_fixtures import build_doctor_context

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurora.hosts import Host, UserPaths
    from aurora.tools.core import Context

    from .doctor_finding import FindingRow
    from .model import TroubleRow

CHECK_GROUP = "mcp"
SERVER_FAILS = frozenset({"mcp.server.fails", "mcp.http.fails"})
"""Kinds of the findings of a server that does not start or answer; the message ends with `, for ` and the titles."""
_CONSEQUENCES = frozenset({"mcp.config.none", "mcp.config.unconnected", "mcp.references.server"})
"""Findings that follow from an entry that could not be written, which is reported already."""
_BAD_STATUSES = frozenset({"warn", "fail"})
_DOCTOR_HINT = "Run `aur doctor` for details."


def check_setup(context: Context, troubles: Sequence[TroubleRow], url: str = "") -> tuple[GroupRow, ...]:
    """Run the doctor's checks of the assistants' files.

    Args:
        context: context of the call.
        troubles: problems that are reported already and are left out of the findings.
        url: the address that the person named, which may be asked.
    """
    report = doctor.examine_project(build_doctor_context(context, url), (CHECK_GROUP,))
    return tuple(
        group.model_copy(update={"findings": tuple(_soften_findings(group.findings, troubles))})
        for group in to_group_rows(report)
    )


def _soften_findings(findings: Iterable[FindingRow], troubles: Sequence[TroubleRow]) -> Iterator[FindingRow]:
    """Turn failures into warnings; drop what is reported already."""
    reported_places = {trouble.where for trouble in troubles if trouble.where}
    for finding in findings:
        if finding.status not in _BAD_STATUSES:
            yield finding
            continue
        place = finding.message.partition(": ")[0]
        is_consequence = bool(troubles) and finding.kind in _CONSEQUENCES
        if place not in reported_places and not is_consequence:
            yield finding.model_copy(update={"status": "warn", "steps": (*finding.steps, _DOCTOR_HINT)})


def find_connected_hosts(candidates: Iterable[Host], root: Path, person: UserPaths) -> Iterator[Host]:
    """Find the hosts whose configuration starts Aurora in this project."""
    for host in candidates:
        if any(state.status == "connected" for state in hosts.read_host_states(host, root, person)):
            yield host
