"""Filters of a search: language, path pattern, time of change, kinds."""

from __future__ import annotations

import re
import time
from datetime import datetime
from fnmatch import translate
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from aurora.memory.sqlite.tables import Tables

    from .options import SearchOptions

_AGE = re.compile(r"(\d{1,9})\s*([smhdw])")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}

_GLOB_TOKENS = re.compile(
    r"\\(?P<kept>.)|(?P<any>\*\*/)|(?P<all>\*\*)|(?P<some>\*)|(?P<one>\?)|(?P<set>\[[!^]?[^\]/\\\[]+\])|(?P<plain>.)",
    re.DOTALL,
)
_GLOB_REGEXES = {"any": r"(?:.*/)?", "all": r".*", "some": r"[^/]*", "one": r"[^/]"}


class SearchFilter(NamedTuple):
    """Filter of a search; None means any.

    Attributes:
        paths: the allowed files.
        kinds: the allowed kinds of chunk, in lower case.
    """

    paths: frozenset[str] | None = None
    kinds: frozenset[str] | None = None

    def mask_documents(self, paths: Sequence[str | None]) -> NDArray[np.bool_] | None:
        """Return the mask of allowed documents; None when all are allowed."""
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never search

        if self.paths is None:
            return None
        return np.fromiter((path in self.paths for path in paths), np.bool_, len(paths))


def build_filter(db: Tables, wish: SearchOptions) -> SearchFilter:
    """Build the filter for these options.

    Raises:
        Fault: INVALID_INPUT for an invalid time.
    """
    kinds = frozenset(kind.lower() for kind in wish.kinds) or None
    if not (wish.language or wish.changed_since or wish.path_glob):
        return SearchFilter(kinds=kinds)
    language = wish.language.lower() if wish.language else None
    since = parse_moment(wish.changed_since) if wish.changed_since else None
    paths = db.files.list_paths(language=language, since=since)
    if wish.path_glob:
        shape = compile_glob(wish.path_glob)
        paths = [path for path in paths if shape.fullmatch(path)]
    return SearchFilter(frozenset(paths), kinds)


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
        return int(datetime.fromisoformat(text).timestamp()) * 10**9
    except (ValueError, OverflowError, OSError):
        raise Fault(
            Code.INVALID_INPUT,
            f'"{moment[:80]}" is not a date, time or age',
            help='write a date as "2026-01-31", a time as "2026-01-31T09:00", or an age as "3d", "12h" or "90m"',
            details={"changed_since": moment[:80]},
        ) from None


def compile_glob(glob: str) -> re.Pattern[str]:
    """Compile a glob as .gitignore reads it to a regular expression for paths.

    `*` and `?` stop at a slash, `**` does not; without a slash it is a name at any depth; a folder matches everything
    in it. A set in brackets also matches itself: `app/[slug]/page.tsx` is the path of a file.
    """
    body = glob.removeprefix("./").rstrip("/")
    anywhere = "" if "/" in body or glob.startswith("/") else r"(?:.*/)?"
    return re.compile(anywhere + _translate_glob(body.lstrip("/")) + r"(?:/.*)?", re.DOTALL)


def _translate_glob(glob: str) -> str:
    out = ""
    for found in _GLOB_TOKENS.finditer(glob):
        kind = found.lastgroup or "plain"
        if kind == "set":
            one_of = translate(found[0].replace("[^", "[!", 1))[:-2]  # without the end anchor
            out += f"(?:{one_of}|{re.escape(found[0])})"
        elif kind == "kept":
            out += re.escape(found["kept"])
        else:
            out += _GLOB_REGEXES.get(kind, re.escape(found[0]))
    return out
