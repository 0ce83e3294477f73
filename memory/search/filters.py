"""Filters of a search: language, path pattern, time of change, kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory import files

from .moment import parse_moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aurora.memory.storage import Tables

    from .options import SearchOptions
_INSIDE = r"(?:/[\s\S]*)?"
"""Expression for what is in a folder that matches."""


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
        if self.paths is None:
            return None
        return np.fromiter((path in self.paths for path in paths), np.bool_, len(paths))


def build_filter(db: Tables, options: SearchOptions) -> SearchFilter:
    """Build the filter for these options.

    Raises:
        Fault: INVALID_INPUT for an invalid time.
    """
    kinds = frozenset(kind.lower() for kind in options.kinds) or None
    if not (options.language or options.changed_since or options.path_glob):
        return SearchFilter(kinds=kinds)
    language = options.language.lower() if options.language else None
    since = parse_moment(options.changed_since) if options.changed_since else None
    paths = db.files.list_paths(language=language, since=since)
    if options.path_glob:
        pattern = compile_glob(options.path_glob)
        paths = [path for path in paths if pattern.fullmatch(path)]
    return SearchFilter(frozenset(paths), kinds)


def compile_glob(glob: str) -> re.Pattern[str]:
    """Compile a glob as .gitignore reads it to a regular expression for paths.

    `*` and `?` stop at a slash, `**` does not; without a slash it is a name at any depth; a folder matches everything
    in it. A set in brackets also matches itself: `app/[slug]/page.tsx` is the path of a file.
    """
    body = glob.removeprefix("./").rstrip("/")
    anywhere = "" if "/" in body or glob.startswith("/") else "**/"
    tokens = files.parse_glob(anywhere + body.lstrip("/"))
    return re.compile(files.build_path_expression(tokens) + _INSIDE)
