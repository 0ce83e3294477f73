"""Roles of files by path, such as test, example, vendored; each has a ranking penalty."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROLE_PENALTIES: Mapping[str, float] = {
    "test": 0.4,
    "old": 0.4,
    "vendored": 0.4,
    "generated": 0.4,
    "example": 0.6,
    "changelog": 0.4,
    "documentation": 0.8,
    "declaration": 0.8,
    "configuration": 0.5,
    "copy": 0.4,
}
"""Factor on the score of a file in this role; a copy has the same content as a file ranked before it."""

_VERSION = re.compile(r"(?:^|/)v(\d{1,4})/")

_ROLE_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "test": re.compile(
        r"(?:^|/)(?:tests?|testing|specs?|__tests__|fixtures?|testdata|test[-_]\w+)/"
        r"|(?:^|/)(?:test_[^/]*|conftest\.py)$"
        r"|[._-](?:test|spec)s?\.\w+$"
    ),
    "old": re.compile(r"(?:^|/)(?:compat|legacy|deprecated)/|deprecated"),
    "vendored": re.compile(
        r"(?:^|/)(?:_?vendor(?:ed)?|third[_-]?party|externals?|extern|node_modules|bower_components)/"
        r"|(?:^|/)jquery[^/]*\.js$|\.min\.(?:js|css)$"
    ),
    "generated": re.compile(
        r"(?:^|/)(?:dist|generated|__generated__|priv/static)/|_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h)$|[._]generated\.\w+$"
    ),
    "example": re.compile(
        r"(?:^|/)(?:examples?|samples?|demos?|tutorials?|docs_src|galler(?:y|ies)|playground|bench(?:es|marks?)?|asv_bench)/"
    ),
    "changelog": re.compile(
        r"(?:^|/)(?:changes|changelogs?|history|news|release[-_ ]?notes?|whats?[-_]?new)"
        r"(?:/|(?:[-_.][\w.-]*)?\.(?:adoc|html?|mdx?|old|rst|txt)$|$)"
    ),
    "documentation": re.compile(r"(?:^|/)(?:docs?|documentation|guides?|website)/"),
    "declaration": re.compile(r"\.(?:d\.[cm]?ts|pyi)$"),
    "configuration": re.compile(
        r"(?:^|/)\.(?:github|gitlab|circleci|azure-pipelines|buildkite)[^/]*/|\.(?:ya?ml|toml|json5?|jsonc|cfg|ini|lock)$"
        r"|(?:^|/)(?:(?:gnu)?makefile|dockerfile|jenkinsfile|procfile)[^/]*$"
    ),
}

_ROLE_WORDS: Mapping[str, re.Pattern[str]] = {
    "test": re.compile(r"\b(?:tests?|testing|tested|pytest|unittest|specs?|fixtures?|mock(?:s|ed)?)\b", re.IGNORECASE),
    "example": re.compile(r"\b(?:examples?|samples?|demos?|tutorials?|bench(?:es|marks?)?)\b", re.IGNORECASE),
    "changelog": re.compile(r"\b(?:change ?logs?|release notes?|changed in|what'?s new|history)\b", re.IGNORECASE),
    "documentation": re.compile(r"\b(?:docs?|documentation|documented|guides?)\b", re.IGNORECASE),
    "old": re.compile(r"\b(?:legacy|deprecated|deprecations?|compatib\w+|compat)\b", re.IGNORECASE),
    "vendored": re.compile(r"\b(?:vendor(?:ed)?|third[- ]party)\b", re.IGNORECASE),
    "configuration": re.compile(
        r"\b(?:config\w*|settings?|ci|pipelines?|workflows?|makefile|docker\w*|dependenc\w+|ya?ml|toml|json|package\.json"
        r"|pyproject)\b",
        re.IGNORECASE,
    ),
}
"""Words of a question that is about files in the role; these then have no penalty."""


def find_asked_roles(text: str) -> frozenset[str]:
    """Find the roles that a question is about."""
    return frozenset(role for role, words in _ROLE_WORDS.items() if words.search(text))


class FileRoles:
    """Roles of a project's files; other folders determine which versions are old."""

    def __init__(self, paths: Iterable[str | None]) -> None:
        known = frozenset(path for path in paths if path is not None)
        self._newest: dict[str, int] = {}
        sizes: Counter[str] = Counter()
        twins: Counter[str] = Counter()
        for path in known:
            if "/v" not in f"/{path}":  # true for most, and faster than the pattern
                continue
            for found in _VERSION.finditer(path):
                parent = path[: found.start()]
                self._newest[parent] = max(self._newest.get(parent, 0), int(found[1]))
                sizes[path[: found.end()]] += 1
                twins[path[: found.end()]] += _join_path(parent, path[found.end() :]) in known
        # More than half: one namesake outside is chance, such as an `index.ts` in both.
        self._replaced = {folder for folder, size in sizes.items() if 2 * twins[folder] > size}

    def get_roles(self, path: str) -> tuple[str, ...]:
        """Return the roles of a file, mostly none.

        A folder `v1/` is old next to a `v2/`, and when most of its files exist outside of it, too.
        """
        found = _match_roles(path)
        if "old" not in found and any(self._is_outdated(path, one) for one in _VERSION.finditer(path)):
            return (*found, "old")
        return found

    def _is_outdated(self, path: str, found: re.Match[str]) -> bool:
        return path[: found.end()] in self._replaced or int(found[1]) < self._newest[path[: found.start()]]


def _join_path(parent: str, rest: str) -> str:
    return f"{parent}/{rest}" if parent else rest


@lru_cache(maxsize=1 << 14)
def _match_roles(path: str) -> tuple[str, ...]:
    low = path.lower()
    return tuple(role for role, shape in _ROLE_PATTERNS.items() if shape.search(low))


def is_test_file(path: str | None) -> bool:
    """Return True for a test file."""
    return bool(path and "test" in _match_roles(path))
