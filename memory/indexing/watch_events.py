"""Change events of a folder: changed paths, or a request to scan everything."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import watchfiles

from aurora.memory.files import EXCLUDED_FOLDERS, IGNORE_FILES

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from threading import Event

MAX_PATHS = 200
"""The most paths of one event; for more (another branch, an installation) a scan of the tree is cheaper."""
_STEP_MS, _DEBOUNCE_MS = 40, 400
"""Milliseconds without a change that end an event, and its longest duration."""
_WAKE_MS = 500
_POLL_SECONDS = 3.0
"""Seconds between two scans when the system cannot report changes, or the folder is gone."""

_MAX_RESTARTS = 3
"""How often a watch begins again at once because the folder changed while it began."""


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """The paths to index.

    Attributes:
        paths: absolute; empty for the whole tree.
    """

    paths: tuple[Path, ...] = ()


def watch_folder(root: Path, stop: Event) -> Iterator[ChangedPaths]:
    """Watch a folder until `stop` is set.

    Yields:
        First the whole tree; then the changed paths after each change. When the system cannot watch so many folders,
        or the folder is gone: the whole tree, repeatedly, until watching works again.
    """
    restarts = 0
    while not stop.is_set():
        is_uncertain = False
        with contextlib.suppress(OSError):  # too many folders for this system, or the folder is gone
            is_uncertain = yield from _watch_events(root, stop)
        if is_uncertain and restarts < _MAX_RESTARTS:
            restarts += 1
            continue
        restarts = 0
        if stop.wait(_POLL_SECONDS):
            return
        yield ChangedPaths()


def _watch_events(root: Path, stop: Event) -> Generator[ChangedPaths, None, bool]:
    """Watch a folder until it is moved or deleted, or `stop` is set.

    Returns:
        Whether the folder changed while the watch began: if it was moved away and back, the watch follows nothing.
    """
    first = True
    batches = watchfiles.watch(
        root,
        # Anything ends the first batch: while searches write their uses, there is always an event, and never a timeout.
        watch_filter=lambda _, path: first or _is_relevant(root, path),
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        rust_timeout=_WAKE_MS,
        stop_event=stop,
        yield_on_timeout=True,
        raise_interrupt=True,
        ignore_permission_denied=True,
    )
    followed, changed_at = _read_identity(root), root.stat().st_ctime_ns
    for events in batches:
        if _read_identity(root) != followed:  # moved, deleted, or another folder of that name
            return False
        if first:  # changes before the watch began have no events
            if root.stat().st_ctime_ns != changed_at:
                return True
            first = False
            yield ChangedPaths()
            continue
        if events:
            yield _to_changed_paths({Path(path) for _, path in events})
    return False


def _read_identity(root: Path) -> tuple[int, int]:
    status = root.stat()
    return status.st_dev, status.st_ino


def _to_changed_paths(paths: set[Path]) -> ChangedPaths:
    if len(paths) > MAX_PATHS or any(path.name in IGNORE_FILES for path in paths):
        return ChangedPaths()
    return ChangedPaths(tuple(sorted(paths)))


def _is_relevant(root: Path, path: str) -> bool:
    """Return whether a change may concern the memory: not a file that Aurora or git writes for itself."""
    try:
        inside = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return bool(inside) and EXCLUDED_FOLDERS.isdisjoint(inside)
