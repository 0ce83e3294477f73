"""linking."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .adjacency import PathFinder

__all__ = ["PathFinder"]

__getattr__ = export_lazily(
    __name__,
    {
        "adjacency": ["PathFinder"],
    },
)
