"""File name patterns in the syntax of .gitignore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def compile_patterns(patterns: Iterable[str]) -> Any:
    """Compile patterns to a `PathSpec`, whose `match_file` tests a path."""
    from pathspec import PathSpec  # noqa: PLC0415 - its import takes 20 ms, and listing tools does without

    return PathSpec.from_lines("gitignore", patterns)
