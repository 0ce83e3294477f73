"""chunking."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .chunk import Piece, chunk_file

__all__ = ["Piece", "chunk_file"]

__getattr__ = export_lazily(
    __name__,
    {
        "chunk": ["Piece", "chunk_file"],
    },
)
