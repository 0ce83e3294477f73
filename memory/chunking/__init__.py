"""Chunking: splitting a file into pieces of whole lines."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .chunk import chunk_file

__all__ = ["chunk_file"]

__getattr__ = export_lazily(
    __name__,
    {
        "chunk": ["chunk_file"],
    },
)
