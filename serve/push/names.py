"""Names of pushed files: plain, the same file on every system, and of no secret."""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING

from aurora.faults.paths import DEVICE_NAME, describe_odd_name, is_closed, is_plain_relative
from aurora.faults.secrets import has_secret
from aurora.memory.files import EXCLUDED_FOLDERS, is_secret_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_PATH_BYTES = 1_000
"""Longest path in bytes, as for a key of an index in PostgreSQL."""

_ORDINARY_HERE = frozenset() if os.name == "nt" else frozenset({DEVICE_NAME})
"""Oddities that are none on this system: `aux.c` is a source file on Linux."""


def describe_bad_path(path: str) -> str:
    """Return why a file with this path is not pushed; empty for a good path."""
    if len(path) > MAX_PATH_BYTES or not is_plain_relative(path):
        return f"it is no relative path of at most {MAX_PATH_BYTES:,} bytes with plain names"
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"its path has more than {MAX_PATH_BYTES:,} bytes"
    parts = path.split("/")
    if is_closed(parts) or any(_fold(part) in EXCLUDED_FOLDERS for part in parts):
        return "a folder on its path never contains the project's own source"
    odd = next((why for part in parts if (why := describe_odd_name(part)) and why not in _ORDINARY_HERE), "")
    if odd:
        return f"its path {odd}"
    return "its name is that of a secret" if is_secret_name(path) or has_secret(path) else ""


def find_collisions(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the paths that some systems cannot keep together with an earlier one, and the reason.

    Such paths differ only in case or in the form of accents, also of a folder, or one is a folder of the other.

    Args:
        paths: good paths, in any order.
    """
    spelt: dict[str, str] = {}
    files: set[str] = set()
    for path in sorted(paths):
        folded = _fold(path)
        clash = _find_clash(path, folded, spelt, files)
        if clash:
            yield path, f'it cannot be kept next to "{clash}" on every system'
            continue
        files.add(folded)
        for end in _list_ends(path):
            spelt.setdefault(_fold(path[:end]), path[:end])


def _find_clash(path: str, folded: str, spelt: dict[str, str], files: set[str]) -> str:
    if folded in spelt:
        return spelt[folded]
    for end in _list_ends(path)[:-1]:
        folder = path[:end]
        known = spelt.get(_fold(folder))
        if known is not None and (known != folder or _fold(folder) in files):
            return known
    return ""


def _list_ends(path: str) -> list[int]:
    return [*(place for place, one in enumerate(path) if one == "/"), len(path)]


def _fold(name: str) -> str:
    """Fold a name as file systems that ignore case and the form of accents do."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
