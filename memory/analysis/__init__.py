"""Analyses of the memory: use, activation, themes, statistics."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .activation import ChunkActivation, rank_active_chunks
    from .clustering import Algorithm, require_algorithm
    from .goals import StatedGoal, find_stated_goals, is_boilerplate
    from .stats import collect_stats
    from .themes import Theme, find_groups, find_themes, read_embedded
    from .usage import MAX_USES, compute_activation, find_chunks_at_lines, record_use, write_uses
    from .usage_recorder import UsageRecorder

__all__ = [
    "MAX_USES",
    "Algorithm",
    "ChunkActivation",
    "StatedGoal",
    "Theme",
    "UsageRecorder",
    "collect_stats",
    "compute_activation",
    "find_chunks_at_lines",
    "find_groups",
    "find_stated_goals",
    "find_themes",
    "is_boilerplate",
    "rank_active_chunks",
    "read_embedded",
    "record_use",
    "require_algorithm",
    "write_uses",
]

__getattr__ = export_lazily(
    __name__,
    {
        "activation": ["ChunkActivation", "rank_active_chunks"],
        "clustering": ["Algorithm", "require_algorithm"],
        "goals": ["StatedGoal", "find_stated_goals", "is_boilerplate"],
        "stats": ["collect_stats"],
        "themes": ["Theme", "find_groups", "find_themes", "read_embedded"],
        "usage": ["MAX_USES", "compute_activation", "find_chunks_at_lines", "record_use", "write_uses"],
        "usage_recorder": ["UsageRecorder"],
    },
)
