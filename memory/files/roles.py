"""What part a file plays, by its path: tests and what is kept for old times' sake stand behind the thing itself."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROLE_PENALTIES: Mapping[str, float] = {"test": 0.4, "old": 0.4, "copy": 0.4}
"""What is left of the score of a file in this role; a copy says word for word what a file before it says."""

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
    """The roles of the files of one project; which version is an old one is seen from the others beside it."""

    def __init__(self, paths: Iterable[str | None]) -> None:
        self._newest: dict[str, int] = {}
        for path in paths:
            if path is None or "/v" not in f"/{path}":  # true of most, and found sooner than by the pattern
                continue
            for found in _VERSION.finditer(path):
                beside = path[: found.start()]
                self._newest[beside] = max(self._newest.get(beside, 1), int(found[1]))

    def get_roles(self, path: str) -> tuple[str, ...]:
        """The roles of a file; none for most. A `v1/` is old even alone, for why else would it be called so."""
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
    """Whether a file is there to test others."""
    return bool(path and "test" in _match_roles(path))
