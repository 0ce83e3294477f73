"""A document of the text index, and the row that its table has for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or a fact that no file holds.

    Attributes:
        type: of all its chunks.
        path: None for a fact.
        chunks: of each its text, and the names that it defines.
    """

    type: str
    path: str | None
    chunks: Sequence[tuple[str, str]]

    @property
    def own_name(self) -> str:
        """The file's own name, without its endings."""
        return self.path.rpartition("/")[2].partition(".")[0] if self.path else ""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as its table holds it: chunks, terms in all of each field and in each chunk's text."""

    type: str
    path: str | None
    chunks: int
    body_length: int
    name_length: int
    path_length: int
    lengths: bytes
