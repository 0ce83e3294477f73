"""Visits of phases: dominators, and the values that a phase finds of the phases before it."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .dominance import DominatorTree
    from .limits import find_visit_limit
    from .written import has_known_targets, is_always_begun, is_always_written, is_never_begun, may_have_failed

__all__ = [
    "DominatorTree",
    "find_visit_limit",
    "has_known_targets",
    "is_always_begun",
    "is_always_written",
    "is_never_begun",
    "may_have_failed",
]

__getattr__ = export_lazily(
    __name__,
    {
        "dominance": ["DominatorTree"],
        "limits": ["find_visit_limit"],
        "written": ["has_known_targets", "is_always_begun", "is_always_written", "is_never_begun", "may_have_failed"],
    },
)
