"""Briefing and verification of a query's decomposition into subgoals."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .model import Subgoal
    from .order import find_order_faults
    from .verify import Verification

__all__ = ["Subgoal", "Verification", "find_order_faults"]

__getattr__ = export_lazily(
    __name__,
    {
        "model": ["Subgoal"],
        "order": ["find_order_faults"],
        "verify": ["Verification"],
    },
)
