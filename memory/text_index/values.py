"""Document of the text index and its table row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Document:
    """Document of the index: a file, or a record without a file.

    Attributes:
        type: the type of all its chunks.
        path: None for a record.
        chunks: text and defined names of each chunk.
    """

    type: str
    path: str | None
    chunks: Sequence[tuple[str, str]]

    @property
    def own_name(self) -> str:
        """The file's own name without extensions."""
        return self.path.rpartition("/")[2].partition(".")[0] if self.path else ""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """Row of a document: number of chunks, terms per field and per chunk."""

    type: str
    path: str | None
    chunks: int
    body_length: int
    name_length: int
    path_length: int
    lengths: bytes
