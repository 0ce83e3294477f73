"""State of the index in an answer: the commit at which it stands, and how many files it is behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Fault
from aurora.tools.core import CompactModel

if TYPE_CHECKING:
    from aurora.tools.core import Context


class IndexState(CompactModel):
    """Commit at which the index stands, and the number of files that changed since."""

    commit: str = Field(default="", description="Indexed at.")
    behind: int | None = Field(default=None, description="Files changed since; absent: not known.")


def read_index_state(context: Context) -> IndexState | None:
    """Read the state of the project's index; None when the project was never indexed."""
    try:
        found = context.project.memory.freshness.measure(context.root)
    except Fault:  # an answer is not lost because the tree cannot be listed
        return IndexState()
    return IndexState(commit=found.commit, behind=found.behind) if found else None
