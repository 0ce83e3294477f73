"""Which changed source files have a test beside them: one that bears their name, or a changed one that names them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .added_lines import Line
    from .model import TestParams

_NAMELESS = frozenset({"__init__", "__main__", "index", "main", "mod", "lib"})
"""Files that are called by the name of their folder."""


def untested(
    paths: Iterable[str], everything: Iterable[str], added: Sequence[Line], params: TestParams
) -> tuple[str, ...]:
    """Those of the changed source files that have no test.

    Args:
        paths: the changed files that are still there.
        everything: all files of the project.
        added: the lines that the change has added.
        params: what source files and tests are called.
    """
    sources, tests = _spec(params.source), _spec(params.tests)
    exempt = _spec(params.exempt)
    names = [_bare(PurePosixPath(path).name) for path in everything if tests.match_file(path)]
    words = {word.lower() for path, _, text in added if tests.match_file(path) for word in re.findall(r"\w+", text)}
    wanted = [
        path
        for path in paths
        if sources.match_file(path) and not tests.match_file(path) and not exempt.match_file(path)
    ]
    return tuple(path for path in wanted if not _has_test(_name(path), names, words))


def sources_of(paths: Iterable[str], params: TestParams) -> int:
    """How many of the paths are source files that should have a test."""
    sources, tests, exempt = _spec(params.source), _spec(params.tests), _spec(params.exempt)
    return sum(
        sources.match_file(path) and not tests.match_file(path) and not exempt.match_file(path) for path in paths
    )


def _has_test(name: str, names: Iterable[str], words: set[str]) -> bool:
    return name.lower() in words or any(_bare(name) in test for test in names)


def _name(path: str) -> str:
    pure = PurePosixPath(path)
    stem = pure.name.split(".", 1)[0] or pure.name
    return pure.parent.name or stem if stem in _NAMELESS else stem


def _bare(name: str) -> str:
    """`test_cart_items.py` and `CartItemsTest.java` both hold `cartitems`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _spec(patterns: Sequence[str]) -> Any:
    from pathspec import PathSpec  # noqa: PLC0415 - 20 ms that nobody but this check need pay

    return PathSpec.from_lines("gitignore", patterns)
