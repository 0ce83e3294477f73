"""Differences in behaviour between two versions of a workflow."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .change import Change
    from .comparison import Comparison, compare_definitions

__all__ = ["Change", "Comparison", "compare_definitions"]

__getattr__ = export_lazily(
    __name__,
    {
        "change": ["Change"],
        "comparison": ["Comparison", "compare_definitions"],
    },
)
