"""Which workflow files there are, by name; a project's own before the shipped ones."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from aurora.interpreter.problems.files import Unreadable, read_file
from aurora.interpreter.yaml.load import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from aurora.interpreter.language.definition import Source

Stamp = tuple[tuple[str, int, int], ...]
"""Path, time of change and size of every file."""

ENDINGS = (".yaml", ".yml")
_SAID = re.compile(rb"^(name|extends):[ \t]+([\"']?)([a-z][a-z0-9_-]{0,39})\2[ \t]*(?:#.*)?\r?$", re.MULTILINE)


class Shelf:
    """Folders of workflow files.

    Args:
        folders: where to look, the ones that hide the others first.
    """

    def __init__(self, folders: tuple[tuple[Source, Path], ...]) -> None:
        self._folders = folders
        self._names: dict[Path, str] = {}
        self._sources: dict[Path, Source] = {}

    def stamp(self) -> Stamp:
        """Changes whenever a file under one of the folders does."""
        return tuple(sorted(entry for _, folder in self._folders for entry in _stamps(folder)))

    def stamp_of(self, files: Iterable[Path]) -> Stamp:
        """Changes whenever one of these files does, or which file a name means; a fifth of the time of `stamp`."""
        named = sorted(entry for _, folder in self._folders for entry in _stamps(folder, deep=False))
        return (*named, *(_stamp(os.fspath(path)) for path in files))

    def look(self) -> None:
        """See anew which files there are, and what they are called."""
        self._names.clear()
        self._sources.clear()
        for source, folder in self._folders:
            for path in workflow_files(folder):
                self._sources[path] = source
                self._names[path] = _name_of(path)

    def names(self) -> dict[str, Path]:
        """Every name, with the file that it means."""
        found: dict[str, Path] = {}
        for path, name in self._names.items():
            found.setdefault(name, path)
        return found

    def name(self, path: Path) -> str:
        """The name of the workflow in this file."""
        return self._names[path]

    def source(self, path: Path) -> Source:
        """Whose file this is."""
        return self._sources.get(path, "file")

    def own(self, path: Path) -> Path | None:
        """The file of a folder that this path leads to, however it is written."""
        return next((own for own in self._names if own == path or _same(own, path)), None)

    def leads_out(self, path: Path) -> bool:
        """Whether it is a link in a folder of ours to a file that lies elsewhere."""
        if path not in self._names or not path.is_symlink():
            return False
        try:
            return path.exists() and not path.resolve().is_relative_to(path.parent.resolve())
        except (OSError, RuntimeError):
            return False

    def namesakes(self, path: Path) -> tuple[Path, ...]:
        """The other files of the same folder that bear the same name."""
        name, source = self._names.get(path), self._sources.get(path)
        return tuple(
            other
            for other, called in self._names.items()
            if other != path and called == name and self._sources[other] == source
        )

    def base_of(self, name: str, asking: Path) -> Path | None:
        """The file that `extends: NAME` means: never the asking file, so that a project's extends the shipped."""
        own = self.own(asking)
        return next((path for path, called in self._names.items() if called == name and path != own), None)


def _name_of(path: Path) -> str:
    """The name that the file gives itself, else that of the workflow it extends, else that of the file.

    Most files say it on a line of its own; finding that line costs a hundredth of reading the file.
    """
    try:
        data = read_file(path)
    except Unreadable:
        return path.stem
    said = {match[1].decode(): match[3].decode() for match in reversed(list(_SAID.finditer(data)))}
    if "name" not in said:
        root, _ = read_yaml(data, path.name)
        for key in ("extends", "name"):
            node = root.get(key) if root is not None else None
            if node is not None and isinstance(node.value, str):
                said[key] = node.value
    return said.get("name") or said.get("extends") or path.stem


def _same(one: Path, other: Path) -> bool:
    if one.name != other.name:
        return False
    try:
        return one.parent.resolve() == other.parent.resolve()
    except (OSError, RuntimeError):
        return False


def workflow_files(folder: Path) -> list[Path]:
    """The files that claim to be workflows, links that lead nowhere too; hidden ones are an editor's."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix in ENDINGS and not path.name.startswith("."))
    except OSError:
        return []


def _stamps(folder: Path, *, deep: bool = True) -> Iterator[tuple[str, int, int]]:
    """Of every file in a folder, and under it when `deep`; `rglob` takes seven times as long."""
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
                yield _stamp(entry.path)
            elif deep:
                waiting.append(entry.path)


def _stamp(path: str) -> tuple[str, int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - each step of a run looks, and Path's takes twice as long
    except (OSError, ValueError):
        return path, 0, 0  # a link that leads nowhere, until it does
    if stat.S_ISDIR(status.st_mode):
        return path, 0, 0
    return path, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size
