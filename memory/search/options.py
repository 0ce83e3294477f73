"""Options of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.memory.model.chunks import ChunkType

INDEX_STEP = "run `aur mem index`"
CHUNK_TYPES: tuple[ChunkType, ...] = ("code", "know", "reas")


class SearchOptions(NamedTuple):
    """Options of a search.

    Attributes:
        limit: maximum number of hits.
        offset: number of best hits to skip.
        types: types of chunk.
        path_glob: a path pattern as in .gitignore.
        language: language of a file.
        kinds: kinds of chunk, `function`, `class`, `section` …; empty means any.
        changed_since: a time or an age, see `moment.parse_moment`.
        embeddings: rank by embeddings too.
        root: the project's current folder; None means where it was indexed.
        index_step: how the reader of the note gets the files indexed, as an imperative.
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
    index_step: str = INDEX_STEP

    def validate(self) -> None:
        """Raise a Fault, INVALID_INPUT, for an unknown type or a negative number."""
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
