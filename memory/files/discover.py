"""Discovery of the files to index, with a reason for each skipped file."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault
from aurora.memory.model import SkippedFile

from .gitignore import IGNORE_FILES, IgnoreRules, read_parent_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXCLUDED_FOLDERS = frozenset(
    {
        ".aurora",
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".gradle",
        ".hg",
        ".hypothesis",
        ".mypy_cache",
        ".next",
        ".nox",
        ".nuxt",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".terraform",
        ".tox",
        ".yarn",
        "__pycache__",
        "bower_components",
        "node_modules",
    }
)
"""Folders that never contain the project's own source, whatever the ignore files say."""

CACHE_MARKERS = ("pyvenv.cfg", "CACHEDIR.TAG")
"""A folder with one of these files is a virtual environment or a cache, whatever its name."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Regular file inside the project, as discovery found it.

    Attributes:
        path: project-relative, with forward slashes.
        size: in bytes.
        mtime_ns: time of the last change, in nanoseconds since the epoch.
    """

    path: str
    absolute: Path
    size: int
    mtime_ns: int


class _Folder(NamedTuple):
    """Folder to read; `prefix` is its path in the project, "" or with a final slash."""

    path: str
    prefix: str
    ignores: IgnoreRules


def discover_files(root: Path, within: Sequence[str] = ()) -> Iterator[SourceFile | SkippedFile]:
    """Yield the files that no ignore file excludes, in a stable order.

    Symbolic links are not followed: one that leads out of the project is skipped as `outside`, one that leads to
    another place inside as `link`, since its target has its own name there.

    Args:
        root: the project's folder.
        within: only these files and folders, as paths inside the project; all when empty. Others are neither
            entered nor examined.

    Raises:
        Fault: `NOT_FOUND` when there is no such folder, `FORBIDDEN` when it may not be read.
    """
    real = Path(os.path.realpath(root))
    try:
        with os.scandir(real):
            pass
    except (FileNotFoundError, NotADirectoryError) as error:
        what = "is not a folder" if isinstance(error, NotADirectoryError) else "does not exist"
        raise Fault(
            Code.NOT_FOUND, f'the project folder "{root}" {what}', help="name a folder that holds a project"
        ) from error
    except OSError as error:
        raise Fault(
            Code.FORBIDDEN,
            f'the project folder "{root}" cannot be read: {error.strerror}',
            help="let your user read it, or name another folder",
        ) from error
    return _walk_folders(real, within)


def _walk_folders(root: Path, within: Sequence[str]) -> Iterator[SourceFile | SkippedFile]:
    ignores, above = read_parent_rules(root)
    stack = [_Folder(str(root), "", ignores)]
    while stack:
        folder = stack.pop()
        try:
            with os.scandir(folder.path) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue  # deleted since its parent was read
        except OSError as error:
            yield SkippedFile(_escape_path(folder.prefix), "unreadable", f"the folder cannot be read: {error.strerror}")
            continue
        names = {entry.name for entry in entries}
        if folder.prefix and not names.isdisjoint(CACHE_MARKERS):
            continue
        ignored_by = folder.ignores.enter_folder(
            above + folder.prefix, Path(folder.path), [name for name in IGNORE_FILES if name in names]
        )
        inner: list[_Folder] = []
        for entry in entries:
            if within and not _is_selected(folder.prefix + entry.name, within):
                continue
            yield from _classify_entry(root, folder.prefix, above, entry, ignored_by, inner)
        stack.extend(reversed(inner))


def _is_selected(path: str, within: Sequence[str]) -> bool:
    """Return True for a selected path, a path inside one, or a folder around one."""
    return any(path == place or path.startswith(f"{place}/") or place.startswith(f"{path}/") for place in within)


def _classify_entry(  # noqa: PLR0913, PLR0917 - what the loop above knows; a class would only rename it
    root: Path, prefix: str, above: str, entry: os.DirEntry[str], ignores: IgnoreRules, inner: list[_Folder]
) -> Iterator[SourceFile | SkippedFile]:
    """Yield a file or the reason to skip it, or append a folder to `inner`."""
    path = prefix + entry.name
    if not _is_utf8(entry.name):
        yield SkippedFile(_escape_path(path), "name", "the file's name is not UTF-8")
        return
    try:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name in EXCLUDED_FOLDERS or ignores.is_ignored(above + path, folder=is_folder):
            return
        if is_folder:
            inner.append(_Folder(entry.path, path + "/", ignores))
        elif entry.is_symlink():
            yield _describe_link(root, path, entry.path)
        else:
            yield _stat_file(path, entry)
    except FileNotFoundError:
        return  # deleted since the folder was read
    except OSError as error:
        yield SkippedFile(path, "unreadable", f"{error.strerror}")


def _stat_file(path: str, entry: os.DirEntry[str]) -> SourceFile | SkippedFile:
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        return SkippedFile(path, "special", "a device, a socket or a pipe, not a file")
    return SourceFile(path, Path(entry.path), found.st_size, found.st_mtime_ns)


def _describe_link(root: Path, path: str, absolute: str) -> SkippedFile:
    """Describe a symbolic link; name its target only when it is inside the project."""
    target = Path(os.path.realpath(absolute))
    if target != root and root not in target.parents:
        return SkippedFile(path, "outside", "a symbolic link that leads out of the project")
    if not os.path.lexists(target) or target.is_symlink():
        return SkippedFile(path, "link", "a symbolic link that leads nowhere")
    return SkippedFile(path, "link", f'a symbolic link to "{_escape_path(target.relative_to(root).as_posix())}"')


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _escape_path(path: str) -> str:
    r"""Escape bytes of a path that are not UTF-8 as `\xff`."""
    return os.fsencode(path.rstrip("/")).decode("utf-8", "backslashreplace")
