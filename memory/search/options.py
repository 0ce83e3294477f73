"""What a search is asked for beside its query."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.memory.model import ChunkType

CHUNK_TYPES: tuple[ChunkType, ...] = ("code", "know", "reas")


class SearchOptions(NamedTuple):
    """What may be found.

    Attributes:
        limit: how many hits at most.
        offset: how many of the best to pass over.
        types: of chunk.
        path_glob: the shape of a path, as .gitignore reads it.
        language: of a file.
        kinds: of chunk, `function`, `class`, `section` …; empty: any.
        changed_since: a moment or an age, see `search_filter.nanoseconds`.
        embeddings: whether meaning has a say.
        root: where the project is now; None: where it was indexed.
    """

    limit: int = 10
    offset: int = 0
    types: Sequence[ChunkType] = CHUNK_TYPES
    path_glob: str | None = None
    language: str | None = None
    kinds: Sequence[str] = ()
    changed_since: str | None = None
    embeddings: bool = True
    root: Path | None = None

    def validate(self) -> None:
        """Raise a Fault, INVALID_INPUT, for a type that does not exist or a negative number."""
        unknown = sorted(set(self.types) - set(CHUNK_TYPES))
        if unknown:
            raise Fault(
                Code.INVALID_INPUT,
                f'there is no chunk type "{unknown[0]}"',
                help='use any of "code", "know", "reas"',
                details={"types": unknown},
            )
        if self.limit < 0 or self.offset < 0:
            raise Fault(
                Code.INVALID_INPUT,
                f"limit {self.limit} and offset {self.offset} must not be negative",
                help="use a limit from 1 and an offset from 0",
            )
