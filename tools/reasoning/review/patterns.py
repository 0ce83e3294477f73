"""File name patterns in the syntax of .gitignore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.files import parse_ignore_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable


class PathPatterns:
    """Patterns of which the last one that fits a path decides; one that begins with `!` excludes it."""

    def __init__(self, lines: Iterable[str]) -> None:
        parsed = (parse_ignore_pattern(line) for line in lines)
        self._patterns = [pattern for pattern in parsed if pattern is not None]

    def match_file(self, path: str) -> bool:
        """Check a path, relative to the project; a pattern may fit the file or a folder around it."""
        fitting = (pattern.ignores for pattern in reversed(self._patterns) if pattern.covers_file(path))
        return next(fitting, False)
