"""Changed source files without a test with their name or a changed test that names them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .patterns import PathPatterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .added_lines import AddedLine
    from .model import TestParams

_GENERIC_STEMS = frozenset({"__init__", "__main__", "index", "main", "mod", "lib"})
"""Stems of files that are known by their folder's name."""


def find_untested(
    paths: Iterable[str], everything: Iterable[str], added: Sequence[AddedLine], params: TestParams
) -> tuple[str, ...]:
    """Find the changed source files that have no test.

    Args:
        paths: changed files that exist.
        everything: all files of the project.
        added: lines that the change has added.
        params: patterns of source and test files.
    """
    tests = PathPatterns(params.tests)
    test_names = [_normalize_name(PurePosixPath(path).name) for path in everything if tests.match_file(path)]
    test_words: set[str] = set()
    for path, _, text in added:
        if tests.match_file(path):
            test_words.update(word.lower() for word in re.findall(r"\w+", text))
    return tuple(
        path
        for path in _select_sources(paths, params)
        if not _has_test(_find_source_name(path), test_names, test_words)
    )


def count_sources(paths: Iterable[str], params: TestParams) -> int:
    """Count the source files that should have a test."""
    return len(_select_sources(paths, params))


def _select_sources(paths: Iterable[str], params: TestParams) -> list[str]:
    sources = PathPatterns(params.source)
    tests, exempt = PathPatterns(params.tests), PathPatterns(params.exempt)

    def is_selected(path: str) -> bool:
        return sources.match_file(path) and not tests.match_file(path) and not exempt.match_file(path)

    return list(filter(is_selected, paths))


def _has_test(name: str, names: Iterable[str], words: set[str]) -> bool:
    return name.lower() in words or any(_normalize_name(name) in test for test in names)


def _find_source_name(path: str) -> str:
    pure = PurePosixPath(path)
    stem = pure.name.split(".", 1)[0] or pure.name
    return pure.parent.name or stem if stem in _GENERIC_STEMS else stem


def _normalize_name(name: str) -> str:
    """Normalize a name: `test_cart_items.py` and `CartItemsTest.java` both contain `cartitems`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
