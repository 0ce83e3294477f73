"""Patterns in the syntax of .gitignore: the last one that fits decides, and no pattern keeps the matcher busy."""

from __future__ import annotations

import pytest

from aurora.tools.reasoning.review.changes import PathPatterns


@pytest.mark.parametrize(
    ("lines", "path", "fits"),
    [
        (["*.lock"], "a/b/poetry.lock", True),
        (["dist/"], "dist/app.js", True),
        (["dist/"], "src/dist", False),
        (["*.py", "!keep.py"], "a/keep.py", False),
        (["!keep.py", "*.py"], "a/keep.py", True),
        (["# a comment", ""], "# a comment", False),
        (["/*.md"], "docs/a.md", False),
        ([], "a", False),
        (["*a" * 12 + "*b"], "a" * 250, False),
    ],
)
def test_the_last_pattern_that_fits_decides(lines: list[str], path: str, *, fits: bool) -> None:
    assert PathPatterns(lines).match_file(path) is fits
