"""Stages of indexing one by one, as reports: nothing is written into the memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .extract import ExtractedFile, extract_tree
    from .link import LinkedFile, link_tree
    from .normalize import NormalizedFile, normalize_tree

__all__ = ["ExtractedFile", "LinkedFile", "NormalizedFile", "extract_tree", "link_tree", "normalize_tree"]

__getattr__ = export_lazily(
    __name__,
    {
        "extract": ["ExtractedFile", "extract_tree"],
        "link": ["LinkedFile", "link_tree"],
        "normalize": ["NormalizedFile", "normalize_tree"],
    },
)
