"""Options of a search: its times and paths, and the files that changed since they were indexed."""

from __future__ import annotations

import re
import stat
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.errors import ArgumentFault, Code, Fault
from aurora.memory import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.storage.store import Tables

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


Relation = Literal["callers", "callees", "implementers", "overrides", "tests", "references"]
"""What places are to a definition; here, and not in the module that finds them, so that a search need not load it."""

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


_INSIDE = r"(?:/[\s\S]*)?"
"""Expression for what is in a folder that matches."""


def compile_glob(glob: str) -> re.Pattern[str]:
    """Compile a glob as .gitignore reads it to a regular expression for paths.

    `*` and `?` stop at a slash, `**` does not; without a slash it is a name at any depth; a folder matches everything
    in it. A set in brackets also matches itself: `app/[slug]/page.tsx` is the path of a file.
    """
    body = glob.removeprefix("./").rstrip("/")
    anywhere = "" if "/" in body or glob.startswith("/") else "**/"
    tokens = files.parse_glob(anywhere + body.lstrip("/"))
    return re.compile(files.build_path_expression(tokens) + _INSIDE)


def find_stale_paths(db: Tables, root: Path | str | None, paths: Iterable[str]) -> set[str]:
    """Find the paths whose file has changed or was deleted since it was indexed; one `stat` each.

    A file with only another time, as after a copy or a switch of branches and back, is read and compared.
    Nothing is stale when the project's folder is missing: then it cannot be determined.
    """
    wanted = sorted(set(paths))
    if not wanted or root is None or not Path(root).is_dir():
        return set()
    known = db.files.get_known_in(wanted)
    return {path for path, state in known.items() if not _is_unchanged(Path(root, path), *state)}


def _is_unchanged(path: Path, size: int, mtime_ns: int, sha256: str) -> bool:
    try:
        current = path.lstat()
        if not stat.S_ISREG(current.st_mode) or current.st_size != size:
            return False
        if current.st_mtime_ns == mtime_ns:
            return True
        return files.has_hash(path, sha256)
    except OSError:
        return False
