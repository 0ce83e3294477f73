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
        problem = "is not a folder" if isinstance(error, NotADirectoryError) else "does not exist"
        raise Fault(
            Code.NOT_FOUND, f'the project folder "{root}" {problem}', help="name a folder that contains a project"
        ) from error
    except OSError as error:
        raise Fault(
            Code.FORBIDDEN,
            f'the project folder "{root}" cannot be read: {error.strerror}',
            help="let your user read it, or name another folder",
        ) from error
    rules, above = read_parent_rules(real)
    return _Walk(real, above, within).iter_files(rules)


@dataclass(frozen=True, slots=True)
class _Walk:
    """Walk over the folders of a project.

    Attributes:
        root: the project's folder, resolved.
        above: the prefix of the project in its repository.
        within: the selected files and folders; all when empty.
    """

    root: Path
    above: str
    within: Sequence[str]

    def iter_files(self, ignores: IgnoreRules) -> Iterator[SourceFile | SkippedFile]:
        """Yield the files below the root, in a stable order."""
        stack = [_Folder(str(self.root), "", ignores)]
        while stack:
            folder = stack.pop()
            try:
                entries = _list_entries(folder)
            except FileNotFoundError:
                continue  # deleted since its parent was read
            except OSError as error:
                message = f"the folder cannot be read: {error.strerror}"
                yield SkippedFile(_escape_path(folder.prefix), "unreadable", message)
                continue
            names = {entry.name for entry in entries}
            if folder.prefix and not names.isdisjoint(CACHE_MARKERS):
                continue
            rules = self._read_rules(folder, names)
            inner: list[_Folder] = []
            for entry in entries:
                if self.within and not _is_selected(folder.prefix + entry.name, self.within):
                    continue
                found = self._classify_entry(folder._replace(ignores=rules), entry)
                if isinstance(found, _Folder):
                    inner.append(found)
                elif found is not None:
                    yield found
            stack.extend(reversed(inner))

    def _read_rules(self, folder: _Folder, names: set[str]) -> IgnoreRules:
        """Read the ignore files among the names in a folder; return the rules that apply inside it."""
        present = [name for name in IGNORE_FILES if name in names]
        return folder.ignores.enter_folder(self.above + folder.prefix, Path(folder.path), present)

    def _classify_entry(self, folder: _Folder, entry: os.DirEntry[str]) -> SourceFile | SkippedFile | _Folder | None:
        """Return a file, the reason to skip it, a folder to read, or None for an excluded entry."""
        path = folder.prefix + entry.name
        if not _is_utf8(entry.name):
            return SkippedFile(_escape_path(path), "name", "the file's name is not UTF-8")
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in EXCLUDED_FOLDERS or folder.ignores.is_ignored(self.above + path, folder=is_folder):
                return None
            if is_folder:
                return _Folder(entry.path, path + "/", folder.ignores)
            return _describe_link(self.root, path, entry.path) if entry.is_symlink() else _stat_file(path, entry)
        except FileNotFoundError:
            return None  # deleted since the folder was read
        except OSError as error:
            return SkippedFile(path, "unreadable", f"{error.strerror}")


def _list_entries(folder: _Folder) -> list[os.DirEntry[str]]:
    with os.scandir(folder.path) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _is_selected(path: str, within: Sequence[str]) -> bool:
    """Return True for a selected path, a path inside one, or a folder around one."""
    return any(path == place or path.startswith(f"{place}/") or place.startswith(f"{path}/") for place in within)


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
