"""Options of a search, and the parser of its times: dates, times of day and ages."""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import ArgumentFault, Code, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.memory.model.chunks import ChunkType

_AGE = re.compile(r"(\d{1,9})\s*([smhdw])")

_MAX_SECONDS = 9 * 10**9
"""Time in the year 2255 that still fits into 64 bits as nanoseconds; a later one finds the same."""

_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def parse_moment(moment: str, now: float | None = None) -> int:
    """Parse a date, time or age as nanoseconds since 1970.

    Args:
        moment: ISO 8601, local where it names no zone: `2026-01-31`, `2026-01-31T09:00:00Z`; or an age: `90m`, `12h`,
            `3d`, `2w`.
        now: seconds since 1970; the current time when None.

    Raises:
        Fault: INVALID_INPUT when it is neither.
    """
    text = moment.strip()
    if age := _AGE.fullmatch(text):
        seconds = int(age[1]) * _UNIT_SECONDS[age[2]]
        return int((time.time() if now is None else now) - min(seconds, 10**10)) * 10**9
    try:
        seconds = int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        raise ArgumentFault(
            Code.INVALID_INPUT,
            f'"{moment[:80]}" is not a date, time or age',
            help='write a date as "2026-01-31", a time as "2026-01-31T09:00", or an age as "3d", "12h" or "90m"',
            details={"changed_since": moment[:80]},
        ) from None
    return max(-_MAX_SECONDS, min(seconds, _MAX_SECONDS)) * 10**9


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
        by_file: a file is one hit, its best chunk, with the next ones as places; else each chunk is a hit.
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
    by_file: bool = False

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
