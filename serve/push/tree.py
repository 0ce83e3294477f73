"""Tree of pushed files: a folder that contains these files and no others."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OWN_ENTRIES = frozenset({".aurora", ".git"})
"""Entries of a tree's top folder that are not pushed."""


def write_tree(top: Path, files: Mapping[str, Path]) -> None:
    """Make a folder contain these files and no others; going on after a kill is the same as beginning.

    Each file is a copy that appears whole, with its content's time of change. It is no link: a program that changes a
    file of one tree must not change another.

    Args:
        top: the folder; its own entries `.aurora` and `.git` stay.
        files: the contents by checked path.

    Raises:
        OSError: the folder cannot be written.
    """
    top.mkdir(parents=True, exist_ok=True)
    for path in list(_list_entries(top)):
        if path not in files:
            _remove_entry(top, top / path)
    for path, content in files.items():
        _copy_content(top / path, content)


def _list_entries(top: Path) -> Iterator[str]:
    """Yield the paths of all files and links, without following a link."""
    for folder, folders, names in os.walk(top):
        inner = Path(folder).relative_to(top)
        left_alone = OWN_ENTRIES if inner == Path() else frozenset()
        folders[:] = [name for name in folders if name not in left_alone]
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        yield from ((inner / name).as_posix() for name in (*names, *links) if name not in left_alone)


def _remove_entry(top: Path, path: Path) -> None:
    """Remove a file or a link, and the folders around it that are empty then; never the top folder."""
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # a folder has other entries
        for folder in path.relative_to(top).parents[:-1]:
            (top / folder).rmdir()


def _copy_content(path: Path, content: Path) -> None:
    wanted = content.stat()
    with contextlib.suppress(OSError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode) and _describe(found) == _describe(wanted):
            return
        if stat.S_ISDIR(found.st_mode):
            shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".aurora-{hashlib.sha256(path.name.encode()).hexdigest()[:16]}")
    partial.unlink(missing_ok=True)
    shutil.copyfile(content, partial)
    os.utime(partial, ns=(wanted.st_mtime_ns, wanted.st_mtime_ns))
    partial.replace(path)


def _describe(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns
