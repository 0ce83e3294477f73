"""Ways that a run has gone through a workflow, to be marked in its drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


class Visits(NamedTuple):
    """Counts of a run.

    Attributes:
        phases: how often each phase ran.
        ways: how often the run went from one phase to another, or to `end`.
        links: the address of a phase's last step in the same page.
        current: the phase at which the run stands; empty after its end.
        failed: the phases that failed in it.
    """

    phases: Mapping[str, int]
    ways: Mapping[tuple[str, str], int]
    links: Mapping[str, str]
    current: str
    failed: Collection[str] = ()
