"""Which changed source files have a test beside them: one that bears their name, or a changed one that names them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .added_lines import AddedLine
    from .model import TestParams

_GENERIC_STEMS = frozenset({"__init__", "__main__", "index", "main", "mod", "lib"})
"""Files that are called by the name of their folder."""


def find_untested(
    paths: Iterable[str], everything: Iterable[str], added: Sequence[AddedLine], params: TestParams
) -> tuple[str, ...]:
    """Those of the changed source files that have no test.

    Args:
        paths: the changed files that are still there.
        everything: all files of the project.
        added: the lines that the change has added.
        params: what source files and tests are called.
    """
    sources, tests = _compile_patterns(params.source), _compile_patterns(params.tests)
    exempt = _compile_patterns(params.exempt)
    names = [_normalize_name(PurePosixPath(path).name) for path in everything if tests.match_file(path)]
    words = {word.lower() for path, _, text in added if tests.match_file(path) for word in re.findall(r"\w+", text)}
    wanted = [
        path
        for path in paths
        if sources.match_file(path) and not tests.match_file(path) and not exempt.match_file(path)
    ]
    return tuple(path for path in wanted if not _has_test(_find_source_name(path), names, words))


def count_sources(paths: Iterable[str], params: TestParams) -> int:
    """How many of the paths are source files that should have a test."""
    sources, tests, exempt = (
        _compile_patterns(params.source),
        _compile_patterns(params.tests),
        _compile_patterns(params.exempt),
    )
    return sum(
        sources.match_file(path) and not tests.match_file(path) and not exempt.match_file(path) for path in paths
    )


def _has_test(name: str, names: Iterable[str], words: set[str]) -> bool:
    return name.lower() in words or any(_normalize_name(name) in test for test in names)


def _find_source_name(path: str) -> str:
    pure = PurePosixPath(path)
    stem = pure.name.split(".", 1)[0] or pure.name
    return pure.parent.name or stem if stem in _GENERIC_STEMS else stem


def _normalize_name(name: str) -> str:
    """`test_cart_items.py` and `CartItemsTest.java` both hold `cartitems`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _compile_patterns(patterns: Sequence[str]) -> Any:
    from pathspec import PathSpec  # noqa: PLC0415 - 20 ms that nobody but this check need pay

    return PathSpec.from_lines("gitignore", patterns)
