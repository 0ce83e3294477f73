"""The name `last` in place of a run's id: the newest run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from aurora.tools.core import Project

LAST = "last"
"""No id: ids have eight characters."""


def resolve_run_id(project: Project, name: str) -> str:
    """Return the id of the newest run for `last`; any other name unchanged.

    Raises:
        Fault: NOT_FOUND for `last` without any run.
    """
    if name != LAST:
        return name
    newest = project.memory.journal.runs(1)
    if not newest:
        help_ = "Ask a question with aurora_query, or run `aur workflow run`."
        raise Fault(Code.NOT_FOUND, "there is no run yet", help=help_)
    return newest[0].run
