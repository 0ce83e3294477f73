"""Analyses of the memory: use, activation, themes, statistics."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .activation import ChunkActivation, rank_active_chunks
    from .stats import collect_stats
    from .themes import Theme, find_themes
    from .usage import MAX_USES, compute_activation, record_use, write_uses
    from .usage_recorder import UsageRecorder

__all__ = [
    "MAX_USES",
    "ChunkActivation",
    "Theme",
    "UsageRecorder",
    "collect_stats",
    "compute_activation",
    "find_themes",
    "rank_active_chunks",
    "record_use",
    "write_uses",
]

__getattr__ = export_lazily(
    __name__,
    {
        "activation": ["ChunkActivation", "rank_active_chunks"],
        "stats": ["collect_stats"],
        "themes": ["Theme", "find_themes"],
        "usage": ["MAX_USES", "compute_activation", "record_use", "write_uses"],
        "usage_recorder": ["UsageRecorder"],
    },
)
