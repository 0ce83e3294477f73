"""Roles of files by path: test, old, copy; each has a ranking penalty."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROLE_PENALTIES: Mapping[str, float] = {"test": 0.4, "old": 0.4, "copy": 0.4}
"""Factor on the score of a file in this role; a copy has the same content as a file ranked before it."""

_VERSION = re.compile(r"(?:^|/)v(\d{1,4})/")

_ROLE_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "test": re.compile(
        r"(?:^|/)(?:tests?|testing|specs?|__tests__|fixtures?)/"
        r"|(?:^|/)(?:test_[^/]*|conftest\.py)$"
        r"|[._-](?:test|spec)s?\.\w+$"
    ),
    "old": re.compile(r"(?:^|/)(?:compat|legacy|deprecated|vendor|third_party)/|deprecated"),
}


class FileRoles:
    """Roles of a project's files; sibling folders determine which versions are old."""

    def __init__(self, paths: Iterable[str | None]) -> None:
        self._newest: dict[str, int] = {}
        for path in paths:
            if path is None or "/v" not in f"/{path}":  # true for most, and faster than the pattern
                continue
            for found in _VERSION.finditer(path):
                parent = path[: found.start()]
                self._newest[parent] = max(self._newest.get(parent, 1), int(found[1]))

    def get_roles(self, path: str) -> tuple[str, ...]:
        """Return the roles of a file, mostly none; a `v1/` is old even without a `v2/`."""
        found = _match_roles(path)
        if "old" not in found and any(self._is_outdated(path, one) for one in _VERSION.finditer(path)):
            return (*found, "old")
        return found

    def _is_outdated(self, path: str, found: re.Match[str]) -> bool:
        version = int(found[1])
        return version == 1 or version < self._newest.get(path[: found.start()], 0)


@lru_cache(maxsize=1 << 14)
def _match_roles(path: str) -> tuple[str, ...]:
    low = path.lower()
    return tuple(role for role, shape in _ROLE_PATTERNS.items() if shape.search(low))


def is_test_file(path: str | None) -> bool:
    """Return True for a test file."""
    return bool(path and "test" in _match_roles(path))
