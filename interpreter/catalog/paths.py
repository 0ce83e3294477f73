"""Workflow files by name, the project's before the shipped ones."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.interpreter.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from aurora.interpreter.language import WorkflowSource

FileStamps = tuple[tuple[str, int, int], ...]
"""Path, time of change and size of every file."""

WORKFLOW_SUFFIXES = (".yaml", ".yml")
_NAME_LINE = re.compile(rb"^(name|extends):[ \t]+([\"']?)([a-z][a-z0-9_-]{0,39})\2[ \t]*(?:#.*)?\r?$", re.MULTILINE)


class WorkflowPaths:
    """Folders of workflow files.

    Args:
        folders: the folders to scan, the ones that hide the others first.
    """

    def __init__(self, folders: tuple[tuple[WorkflowSource, Path], ...]) -> None:
        self._folders = folders
        self._names: dict[Path, str] = {}
        self._sources: dict[Path, WorkflowSource] = {}

    def stamp_folders(self) -> FileStamps:
        """Return a stamp that changes whenever a file under one of the folders changes."""
        return tuple(sorted(entry for _, folder in self._folders for entry in _scan_stamps(folder)))

    def stamp_files(self, files: Iterable[Path]) -> FileStamps:
        """Return a stamp of these files and the workflow files."""
        named = sorted(entry for _, folder in self._folders for entry in _scan_stamps(folder, deep=False))
        return (*named, *(_stat_file(os.fspath(path)) for path in files))

    def scan(self) -> None:
        """Read again which files there are and their workflow names."""
        self._names.clear()
        self._sources.clear()
        for source, folder in self._folders:
            for path in list_workflow_files(folder):
                self._sources[path] = source
                self._names[path] = _read_workflow_name(path)

    def map_names(self) -> dict[str, Path]:
        """Map every name to its file."""
        found: dict[str, Path] = {}
        for path, name in self._names.items():
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
        """Check for a link in one of the folders to a file outside."""
        if path not in self._names or not path.is_symlink():
            return False
        try:
            return path.exists() and not path.resolve().is_relative_to(path.parent.resolve())
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
        return next((path for path, called in self._names.items() if called == name and path != own), None)


def _read_workflow_name(path: Path) -> str:
    """Read the workflow's name: its `name`, else `extends`, else the file name.

    Most files have the name on its own line; finding that line takes a hundredth of the time of reading the file.
    """
    try:
        data = read_file(path)
    except UnreadableFileError:
        return path.stem
    declared = {match[1].decode(): match[3].decode() for match in reversed(list(_NAME_LINE.finditer(data)))}
    if "name" not in declared:
        root, _ = read_yaml(data, path.name)
        for key in ("extends", "name"):
            node = root.get(key) if root is not None else None
            if node is not None and isinstance(node.value, str):
                declared[key] = node.value
    return declared.get("name") or declared.get("extends") or path.stem


def _is_same_file(first: Path, other: Path) -> bool:
    if first.name != other.name:
        return False
    try:
        return first.parent.resolve() == other.parent.resolve()
    except (OSError, RuntimeError):
        return False


def list_workflow_files(folder: Path) -> list[Path]:
    """List the workflow files, including broken links but no hidden files."""
    try:
        return sorted(
            path for path in folder.iterdir() if path.suffix in WORKFLOW_SUFFIXES and not path.name.startswith(".")
        )
    except OSError:
        return []


def _scan_stamps(folder: Path, *, deep: bool = True) -> Iterator[tuple[str, int, int]]:
    """Stat every file in a folder, and under it when `deep`; faster than `rglob`."""
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                entries = list(found)
        except OSError:
            continue
        for entry in entries:
            try:
                folder_too = entry.is_dir(follow_symlinks=False)
            except OSError:
                folder_too = False
            if not folder_too:
                yield _stat_file(entry.path)
            elif deep:
                waiting.append(entry.path)


def _stat_file(path: str) -> tuple[str, int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - each step of a run looks, and Path's takes twice as long
    except (OSError, ValueError):
        return path, 0, 0  # a broken link, until its target exists
    if stat.S_ISDIR(status.st_mode):
        return path, 0, 0
    return path, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size
