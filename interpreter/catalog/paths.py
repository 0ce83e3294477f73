"""Workflow files by name, the project's before the shipped ones."""

from __future__ import annotations

import os
import re
import stat
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import check_cancelled
from aurora.interpreter.problems import MAX_BYTES, UnreadableFileError, read_file
from aurora.interpreter.yaml import read_yaml
from aurora.system.paths.read import is_linked_elsewhere
from aurora.system.paths.resolve import is_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from pathlib import Path

    from aurora.interpreter.language.definition import WorkflowSource

FileStamps = tuple[tuple[str, int, int], ...]
"""Path, time of change and size of every file."""

WORKFLOW_SUFFIXES = (".yaml", ".yml")
MAX_FILES = 200
"""Workflow files of a project that are used, the first by name."""
MAX_TOTAL_BYTES = 4 * 1024 * 1024
"""Bytes of a project's workflow files together; each has at most 1 MB."""
MAX_ENTRIES = 100_000
"""Entries of a folder that are looked at, 1 µs each."""
MAX_STAMPED = 5_000
"""Files under a folder whose changes are noticed, 5 µs each at every step of a run."""
_NAME_LINE = re.compile(rb"^(name|extends):[ \t]+([\"']?)([a-z][a-z0-9_-]{0,39})\2[ \t]*(?:#.*)?\r?$", re.MULTILINE)


class WorkflowPaths:
    """Folders of workflow files.

    Args:
        folders: the folders to scan, the ones that hide the others first.
        is_used: decides by its content whether a file of the project is used; None uses all.

    Attributes:
        folders: these folders.
        left_out: the number of files that the last scan left out, because a project has too many, or too large ones.
    """

    def __init__(
        self, folders: tuple[tuple[WorkflowSource, Path], ...], is_used: Callable[[Path, bytes], bool] | None = None
    ) -> None:
        self.folders = folders
        self._is_used = is_used
        self._names: dict[Path, str] = {}
        self._sources: dict[Path, WorkflowSource] = {}
        self.left_out = 0

    def stamp_folders(self) -> FileStamps:
        """Return a stamp that changes whenever a file under one of the folders changes."""
        return tuple(sorted(entry for _, folder in self.folders for entry in _scan_stamps(folder)))

    def stamp_files(self, files: Iterable[Path]) -> FileStamps:
        """Return a stamp of these files and the workflow files."""
        named = sorted(entry for _, folder in self.folders for entry in _scan_stamps(folder, deep=False))
        return (*named, *(_stat_file(os.fspath(path)) for path in files))

    def scan(self) -> None:
        """Read again which files there are and their workflow names."""
        self._names.clear()
        self._sources.clear()
        self.left_out = 0
        declared: dict[Path, _DeclaredNames] = {}
        for source, folder in self.folders:
            files, left_out = _select_files(_list_names(folder), folder)
            self.left_out += left_out
            for path in files:
                check_cancelled()
                content = _read_content(path)
                if source == "project" and self._is_used is not None and not self._is_used(path, content):
                    continue
                self._sources[path] = source
                declared[path] = _read_declared_names(path, content)
        # All names first: whether a file without a `name` is called like its base depends on the other files.
        bases = {names.name or path.stem for path, names in declared.items() if names.name or not names.extends}
        self._names.update((path, _choose_name(path, names, bases)) for path, names in declared.items())

    def leave_out(self, path: Path) -> None:
        """Use a file no longer, until the next scan."""
        self._names.pop(path, None)
        self._sources.pop(path, None)

    def has_file(self, path: Path) -> bool:
        """Return whether the last scan found this file, and uses it."""
        return path in self._names

    def map_names(self) -> dict[str, Path]:
        """Map every name to its file."""
        found: dict[str, Path] = {}
        for path, name in self._names.items():
            # The project's folder is scanned first, so its file of a name goes before the shipped one.
            found.setdefault(name, path)
        return found

    def get_name(self, path: Path) -> str:
        """Return the name of the workflow in this file."""
        return self._names[path]

    def get_source(self, path: Path) -> WorkflowSource:
        """Return the origin of this file."""
        return self._sources.get(path, "file")

    def find_known_file(self, path: Path) -> Path | None:
        """Find the file of a folder that this path refers to, however it is written."""
        return next((own for own in self._names if own == path or _is_same_file(own, path)), None)

    def is_link_outside(self, path: Path) -> bool:
        """Check whether a file, or its folder, is a link out of the folder or the project.

        Installers hard-link the shipped files to their caches, so only a project's files are checked for hard links.
        """
        if path not in self._names:
            return False
        if self.get_source(path) == "project" and (
            _leaves_project(path.parent) or is_linked_elsewhere(path, path.parent)
        ):
            return True
        try:
            is_link = path.is_symlink() and path.exists()
            return is_link and not path.resolve().is_relative_to(path.parent.resolve())
        except (OSError, RuntimeError):
            return False

    def find_namesakes(self, path: Path) -> tuple[Path, ...]:
        """Find the other files of the same folder with the same workflow name."""
        name, source = self._names.get(path), self._sources.get(path)
        return tuple(
            other
            for other, called in self._names.items()
            if other != path and called == name and self._sources[other] == source
        )

    def find_base(self, name: str, asking: Path) -> Path | None:
        """Find the file of `extends: NAME`, never the extending file itself."""
        own = self.find_known_file(asking)
        # A project's `soar` may extend the shipped `soar`: its own file is passed over.
        found = (path for path, called in self._names.items() if called == name and path != own)
        return next((path for path in found if not self.is_link_outside(path)), None)

    def list_bases(self, asking: Path) -> list[str]:
        """List the names that `extends` in this file can refer to, sorted."""
        return sorted(name for name in set(self._names.values()) if self.find_base(name, asking) is not None)

    def is_base(self, base: Path, asking: Path) -> bool:
        """Return whether `extends` with the name of a file leads from another file to it."""
        return base in self._names and self.find_base(self._names[base], asking) == base


def _leaves_project(folder: Path) -> bool:
    """Check whether the folder `.aurora/workflows` is a link out of its project."""
    return folder.parent.name == ".aurora" and not is_inside(folder.parents[1], folder)


class _DeclaredNames(NamedTuple):
    """Names that a file declares; empty for a key that it lacks."""

    name: str = ""
    extends: str = ""


def _choose_name(path: Path, declared: _DeclaredNames, bases: Container[str]) -> str:
    """Return the workflow's name: its `name`, else the workflow that it extends, else the file name.

    A file whose `extends` names no workflow has its file name, so that a mistyped base is reported for the workflow
    that the file is meant to replace.
    """
    extends = declared.extends if declared.extends in bases else ""
    return declared.name or extends or path.stem


def _read_content(path: Path) -> bytes:
    """Read a file; empty for one that cannot be read, which is reported when it is loaded."""
    try:
        return read_file(path)
    except UnreadableFileError:
        return b""


def _read_declared_names(path: Path, data: bytes) -> _DeclaredNames:
    """Read the names that the content of a file declares.

    Most files have them on lines of their own; finding those takes a hundredth of the time of reading the file.
    """
    declared = {match[1].decode(): match[3].decode() for match in reversed(list(_NAME_LINE.finditer(data)))}
    if "name" not in declared:
        root, _ = read_yaml(data, path.name)
        for key in ("extends", "name"):
            node = root.get(key) if root is not None else None
            if node is not None and isinstance(node.value, str):
                declared[key] = node.value
    return _DeclaredNames(**declared)


def _is_same_file(first: Path, other: Path) -> bool:
    if first.name != other.name:
        return False
    try:
        return first.parent.resolve() == other.parent.resolve()
    except (OSError, RuntimeError):
        return False


def list_workflow_files(folder: Path) -> list[Path]:
    """List the workflow files that are used, including broken links but no hidden files."""
    return _select_files(_list_names(folder), folder)[0]


def _list_names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as found:
            names = [entry.name for entry in islice(found, MAX_ENTRIES)]
    except OSError:
        return []
    return sorted(name for name in names if name.endswith(WORKFLOW_SUFFIXES) and not name.startswith("."))


def _select_files(names: list[str], folder: Path) -> tuple[list[Path], int]:
    """Select the first files by name within the limits, and count the others."""
    selected: list[Path] = []
    size = 0
    for name in names[:MAX_FILES]:
        path = folder / name
        # a file that is too large is refused when it is read, which costs no more than its limit
        size += min(_stat_file(os.fspath(path))[2], MAX_BYTES)
        if size > MAX_TOTAL_BYTES:
            break
        selected.append(path)
    return selected, len(names) - len(selected)


def _scan_stamps(folder: Path, *, deep: bool = True) -> Iterator[tuple[str, int, int]]:
    """Stat the first files in a folder, and under it when `deep`; faster than `rglob`."""
    waiting = [os.fspath(folder)]
    left = MAX_STAMPED
    while waiting and left > 0:
        parent = waiting.pop()
        try:
            with os.scandir(parent) as found:
                entries = list(islice(found, left))
        except OSError:
            continue
        left -= len(entries)
        if left <= 0:
            yield _stat_folder(parent)  # it changes when a file is added or removed
        for entry in entries:
            try:
                folder_too = entry.is_dir(follow_symlinks=False)
            except OSError:
                folder_too = False
            if not folder_too:
                yield _stat_file(entry.path)
            elif deep:
                waiting.append(entry.path)


def _stat_folder(path: str) -> tuple[str, int, int]:
    try:
        return path, os.stat(path).st_mtime_ns, 0  # noqa: PTH116 - as below
    except OSError:
        return path, 0, 0


def _stat_file(path: str) -> tuple[str, int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - each step of a run looks, and Path's takes twice as long
    except (OSError, ValueError):
        return path, 0, 0  # a broken link, until its target exists
    if stat.S_ISDIR(status.st_mode):
        return path, 0, 0
    return path, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size
