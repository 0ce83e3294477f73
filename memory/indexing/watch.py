"""Keeping the memory in line with a tree that is worked on: what changes is indexed soon after."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from aurora.faults import Code, Fault

from .watch_events import ChangedPaths, watch_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from threading import Event

    from aurora.memory.model import IndexReport

_RETRY_SECONDS = 1.0
"""Seconds until the next try, when another process held the database for too long."""


class Indexer(Protocol):
    """The part of a memory that following a tree needs."""

    def index(self, root: Path, *, paths: Sequence[Path] = ()) -> IndexReport:
        """Update the memory from the tree at `root`, or from these paths in it."""
        ...

    def has_path(self, place: str) -> bool:
        """Return whether the memory has this file, or one in this folder."""
        ...


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """What one look at the tree came to.

    Attributes:
        read: files that were new or had changed.
        gone: files that are no more.
        names: some of the paths that led here; empty for a look at everything.
        seconds: how long it took.
        fault: why it could not be done; it is tried again.
    """

    read: int
    gone: int
    names: tuple[str, ...]
    seconds: float
    fault: Fault | None = None


def watch_project(memory: Indexer, root: Path, stop: Event, tell: Callable[[IndexUpdate], None]) -> None:
    """Index the tree, and then whatever changes in it, until `stop` is set.

    Several processes may follow one project: each finds done what another was first to do.

    Args:
        memory: open for writing.
        root: the project's folder, resolved.
        stop: ends it within a second.
        tell: hears of each update that changed the memory, and of what failed; the first is of the whole tree.

    Raises:
        Fault: FORBIDDEN when the memory may not be written.
    """
    _update_index(memory, root, ChangedPaths(), stop, tell, always=True)
    for changed in watch_folder(root, stop):
        _update_index(memory, root, changed, stop, tell)


def _update_index(  # noqa: PLR0913 - what one look needs
    memory: Indexer,
    root: Path,
    changed: ChangedPaths,
    stop: Event,
    tell: Callable[[IndexUpdate], None],
    *,
    always: bool = False,
) -> None:
    """Bring the memory in line; a fault that may pass is told once, and tried again with the whole tree."""
    while not stop.is_set():
        if not root.is_dir():
            return  # `changes` looks for it again and again; opening the memory would make an empty folder
        update = _run_update(memory, root, changed)
        if update.fault is None:
            if always or update.read or update.gone:
                tell(update)
            return
        if update.fault.code is Code.FORBIDDEN:
            if always:
                raise update.fault
            tell(update)
            return
        tell(update)
        changed = ChangedPaths()
        stop.wait(_RETRY_SECONDS)


def _run_update(memory: Indexer, root: Path, changed: ChangedPaths) -> IndexUpdate:
    began = time.perf_counter()
    names: tuple[str, ...] = ()
    try:
        paths = [path for path in changed.paths if _is_indexable(memory, root, path)]
        if changed.paths and not paths:
            return IndexUpdate(0, 0, (), 0.0)
        report = memory.index(root, paths=paths)
    except Fault as fault:
        return IndexUpdate(0, 0, names, time.perf_counter() - began, fault)
    names = tuple(path.relative_to(root).as_posix() for path in paths)
    return IndexUpdate(report.added + report.changed, report.removed, names, time.perf_counter() - began)


def _is_indexable(memory: Indexer, root: Path, path: Path) -> bool:
    """A file or folder that is there, or one that the memory still holds; no link, and nothing behind one."""
    try:
        if path.parent.resolve() != path.parent:
            return False
        mode = os.lstat(path).st_mode
    except (OSError, RuntimeError, ValueError):
        mode = 0
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or memory.has_path(path.relative_to(root).as_posix())
