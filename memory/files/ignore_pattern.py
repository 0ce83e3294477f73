"""Pattern of an ignore file, as Git reads it."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """Pattern from one line of an ignore file.

    Attributes:
        regex: matches a path, or the path of a folder around it; the group `ps_d` is then that folder's slash.
        ignores: False when the line begins with `!`.
        folders_only: the line ended with a slash.
    """

    regex: re.Pattern[str]
    ignores: bool
    folders_only: bool

    def matches_path(self, path: str) -> bool:
        """Return True when the pattern matches this exact path; a folder ends with a slash.

        A match of a parent folder does not count: whether to enter that was decided before.
        """
        if self.folders_only and not path.endswith("/"):
            return False
        match = self.regex.match(path)
        return match is not None and (match.lastgroup != "ps_d" or match.end() == len(path))


def parse_ignore_pattern(line: str) -> IgnorePattern | None:
    """Parse one line of an ignore file; None for a comment, a blank or invalid line."""
    trimmed = line.rstrip(" ")
    if trimmed.endswith("\\") and trimmed != line:
        trimmed += " "
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # `re` warns about a class such as [[:alpha:]]
            parsed = GitIgnoreSpecPattern(trimmed.removesuffix("/"))
    except (GitIgnorePatternError, re.error):
        return None
    if parsed.include is None or parsed.regex is None:
        return None
    regex = parsed.regex
    if regex.pattern.endswith("/"):
        regex = re.compile(regex.pattern + ".")  # `a/**` matches the content of `a`, not `a` itself
    return IgnorePattern(regex, ignores=parsed.include, folders_only=trimmed.endswith("/"))
