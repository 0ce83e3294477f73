"""Checks of the rules of a phase: order, and outcomes over all cases."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .decisions import analyse_rules, find_dead_rules, is_failure_possible
    from .entering import can_enter, find_recalled_path
    from .enumerate import PhaseOutcomes, describe_values
    from .evaluate import UndecidedError, evaluate_tree

__all__ = [
    "PhaseOutcomes",
    "UndecidedError",
    "analyse_rules",
    "can_enter",
    "describe_values",
    "evaluate_tree",
    "find_dead_rules",
    "find_recalled_path",
    "is_failure_possible",
]

__getattr__ = export_lazily(
    __name__,
    {
        "decisions": ["analyse_rules", "find_dead_rules", "is_failure_possible"],
        "entering": ["can_enter", "find_recalled_path"],
        "enumerate": ["PhaseOutcomes", "describe_values"],
        "evaluate": ["UndecidedError", "evaluate_tree"],
    },
)
