"""Tools for the code graph: definitions, links, paths and changes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .model import MinConfidence, PagedInput

__all__ = ["MinConfidence", "PagedInput"]

__getattr__ = export_lazily(
    __name__,
    {
        "model": ["MinConfidence", "PagedInput"],
    },
)
