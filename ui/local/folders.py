"""Folders of this machine as the projects of a page."""

from __future__ import annotations

import re
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean
from aurora.memory.files import has_memory
from aurora.tools.runtime import Workspace
from aurora.ui.web import ListedProject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurora.ui.web import Visitor

_CACHE_KIB = 500
"""KiB of a database that a connection of the page keeps in memory; the system keeps the file as well."""
_OTHER = re.compile(r"[^a-z0-9_.-]+")


class FolderSource:
    """Projects of the folders that a person named; implements `ProjectSource`.

    Safe for use from several threads.

    Args:
        roots: the folders, each of which is a project.
        read_only: nothing is written.
    """

    def __init__(self, roots: Sequence[Path], *, read_only: bool = False) -> None:
        self._roots = _name_folders(roots)
        self._read_only = read_only
        self._opened: dict[str, Workspace] = {}
        self._empty: dict[str, Workspace] = {}
        self._lock = Lock()

    def list_projects(self, visitor: Visitor) -> Sequence[ListedProject]:  # noqa: ARG002 - one person sees all
        """List all folders."""
        return [ListedProject(name, root.name or str(root), str(root)) for name, root in self._roots.items()]

    @contextmanager
    def open_project(self, name: str, visitor: Visitor) -> Iterator[Workspace]:  # noqa: ARG002 - as above
        """Open a folder's project, which stays open until `close`.

        Raises:
            Fault: NOT_FOUND for an unknown name.
        """
        root = self._roots.get(name)
        if root is None:
            help_ = did_you_mean(name, self._roots) or "The list of projects shows those of this page."
            raise Fault(Code.NOT_FOUND, f'there is no project "{name[:80]}"', help=help_)
        is_empty = name not in self._opened and not has_memory(root)
        opened = self._empty if is_empty else self._opened
        with self._lock:
            if name not in opened:
                opened[name] = Workspace(
                    root, read_only=self._read_only, untouched=is_empty, for_display=True, cache_kib=_CACHE_KIB
                )
        yield opened[name]

    def close(self) -> None:
        """Close the projects."""
        with self._lock:
            for workspace in (*self._opened.values(), *self._empty.values()):
                workspace.close()
            self._opened.clear()
            self._empty.clear()


def _name_folders(roots: Sequence[Path]) -> dict[str, Path]:
    """Give each folder a name for addresses, and a number where two are alike."""
    named: dict[str, Path] = {}
    for root in dict.fromkeys(roots):
        first = _OTHER.sub("-", root.name.lower()).strip("-.")[:60] or "project"
        name, number = first, 2
        while name in named:
            name, number = f"{first}-{number}", number + 1
        named[name] = root
    return named
