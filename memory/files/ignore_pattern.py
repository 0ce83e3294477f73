"""Pattern of an ignore file, as Git reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .wildcards import build_path_expression, parse_ignored

_WILDCARD = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """Pattern from one line of an ignore file.

    Attributes:
        literal: the path or name that it matches, when it has no wildcard.
        regex: matches such a path or name; None for a literal one.
        names_only: it has no slash: it matches a name in any folder.
        ignores: False when the line begins with `!`.
        folders_only: the line ended with a slash.
    """

    literal: str
    regex: re.Pattern[str] | None
    names_only: bool
    ignores: bool
    folders_only: bool

    def matches_path(self, path: str, name: str, *, folder: bool) -> bool:
        """Return True when the pattern matches this exact path.

        A match of a parent folder does not count: whether to enter that was decided before.

        Args:
            path: relative to the folder of the ignore file, without a slash at its end.
            name: the last part of it.
            folder: True for a folder.
        """
        if self.folders_only and not folder:
            return False
        tested = name if self.names_only else path
        return tested == self.literal if self.regex is None else self.regex.fullmatch(tested) is not None

    def covers_file(self, path: str) -> bool:
        """Return True when the pattern matches a file, or a folder around it."""
        at = path.find("/")
        start = 0
        while at >= 0:
            if self.matches_path(path[:at], path[start:at], folder=True):
                return True
            start = at + 1
            at = path.find("/", start)
        return self.matches_path(path, path[start:], folder=False)


def parse_ignore_pattern(line: str) -> IgnorePattern | None:
    """Parse one line of an ignore file; None for a comment, and for a line that matches nothing."""
    text = _trim_spaces(line.partition("\0")[0])
    if text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    body = text if ignores else text[1:]
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    names_only = "/" not in body
    body = body.removeprefix("/")
    if not body:
        return None
    if _WILDCARD.search(body) is None:
        return IgnorePattern(body, None, names_only, ignores, folders_only)
    tokens = parse_ignored(body)
    if tokens is None:
        return None
    return IgnorePattern("", re.compile(build_path_expression(tokens)), names_only, ignores, folders_only)


def _trim_spaces(line: str) -> str:
    """Trim the spaces at the end, but not one after a backslash."""
    end = len(line.rstrip(" "))
    escapes = end - len(line[:end].rstrip("\\"))
    return line[: end + (escapes % 2 and end < len(line))]
