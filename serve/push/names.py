"""Names of pushed files: plain, the same file on every system, and of no secret."""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults.paths import DEVICE_NAME, describe_odd_name, is_closed, is_plain_relative
from aurora.faults.secrets import has_secret
from aurora.memory.files import EXCLUDED_FOLDERS, is_secret_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_PATH_BYTES = 1_000
"""Longest path in bytes, as for a key of an index in PostgreSQL."""
MAX_LEVELS = 64
"""Most names of a path: a hostile list of deep paths would cost memory and folders for each of them."""

_ORDINARY_HERE = frozenset() if os.name == "nt" else frozenset({DEVICE_NAME})
"""Oddities that are none on this system: `aux.c` is a source file on Linux."""


def describe_bad_path(path: str) -> str:
    """Return why a file with this path is not pushed; empty for a good path."""
    if path.count("/") >= MAX_LEVELS:
        return f"its path has more than {MAX_LEVELS} names"
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


def count_folders(paths: Iterable[str]) -> int:
    """Count the different folders of paths.

    Args:
        paths: plain relative paths, in any order.
    """
    count = 0
    before: list[str] = []
    for path in sorted(paths):  # those of one folder follow each other
        folders = path.split("/")[:-1]
        count += len(folders) - _count_shared(folders, before)
        before = folders
    return count


def find_collisions(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the paths that some systems cannot keep together with an earlier one, and the reason.

    Such paths differ only in case or in the form of accents, also of a folder, or one is a folder of the other.

    Args:
        paths: good paths, in any order.
    """
    places = _FoldedPlaces()
    files: set[int] = set()
    known: dict[int, _Level] = {}
    levels: list[_Level] = []
    for path in sorted(paths):  # those of one folder follow each other, and share its level
        names = path.split("/")
        del levels[_count_shared(names, [level.name for level in levels]) :]
        for name in names[len(levels) :]:
            parent = levels[-1] if levels else _ROOT
            end = parent.end + len(name) + (parent is not _ROOT)
            levels.append(_Level(name, places.find_place(parent.place, name), path, end))
        clash = _find_clash(levels, known, files)
        if clash is not None:
            yield path, f'it cannot be kept next to "{clash.path[: clash.end]}" on every system'
            continue
        files.add(levels[-1].place)
        for level in levels:
            known.setdefault(level.place, level)


class _Level(NamedTuple):
    """Folder or file on a path.

    Attributes:
        name: its name.
        place: the number of its folded path.
        path: a path with it.
        end: the end of its own path there.
    """

    name: str
    place: int
    path: str
    end: int


_ROOT = _Level("", 0, "", 0)


class _FoldedPlaces:
    """Numbers of folded paths: each is stored once, as its last name and the number of its folder."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str], int] = {}

    def find_place(self, folder: int, name: str) -> int:
        """Return the number of a name in the folder with this number."""
        for part in _fold(name).split("/"):  # a character such as U+2100 is folded to letters around "/"
            folder = self._numbers.setdefault((folder, part), len(self._numbers) + 1)
        return folder


def _find_clash(levels: list[_Level], known: dict[int, _Level], files: set[int]) -> _Level | None:
    """Return the known level that the last of these levels cannot be kept with; None for none."""
    *folders, file = levels
    if file.place in known:
        return known[file.place]
    for folder in folders:
        other = known.get(folder.place)
        if other is not None and (other is not folder or folder.place in files):
            return other
    return None


def _count_shared(names: list[str], others: list[str]) -> int:
    """Count the names at the beginning that both lists have."""
    pairs = enumerate(zip(names, others, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(names), len(others)))


def _fold(name: str) -> str:
    """Fold a name as file systems that ignore case and the form of accents do."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
