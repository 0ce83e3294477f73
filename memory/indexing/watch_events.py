"""What changes in a folder, told soon after it does: paths inside the project, or that everything must be looked at."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.memory.files import EXCLUDED_FOLDERS, IGNORE_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

MAX_PATHS = 200
"""Paths that are looked at one by one; beyond them (another branch, an installation) a walk of the tree is cheaper."""
_STEP_MS, _DEBOUNCE_MS = 40, 400
"""Changes are handed on once it was quiet for a step, and at the latest after so many milliseconds."""
_WAKE_MS = 500
_LOOK_EVERY = 3.0
"""Seconds between two looks where the system cannot tell of changes, or the folder is gone."""


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """What is to be looked at.

    Attributes:
        paths: absolute; empty when everything is.
    """

    paths: tuple[Path, ...] = ()


def watch_folder(root: Path, stop: Event) -> Iterator[ChangedPaths]:
    """Follow a folder until `stop` is set.

    Yields:
        Once that everything must be looked at; then what changed, each time that something did. Where the system cannot
        watch so many folders, or the folder has gone, the answer is again and again that everything must be looked at,
        until it can be followed anew.
    """
    while not stop.is_set():
        with contextlib.suppress(OSError):  # too many folders for this system, or no folder any more
            yield from _watch_events(root, stop)
        if stop.wait(_LOOK_EVERY):
            return
        yield ChangedPaths()


def _watch_events(root: Path, stop: Event) -> Iterator[ChangedPaths]:
    from watchfiles import watch  # noqa: PLC0415 - 20 ms, for those who watch

    told = watch(
        root,
        watch_filter=lambda _, path: _is_relevant(root, path),
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        rust_timeout=_WAKE_MS,
        stop_event=stop,
        yield_on_timeout=True,
        raise_interrupt=True,
        ignore_permission_denied=True,
    )
    followed, first = _read_identity(root), True
    for events in told:
        if _read_identity(root) != followed:  # moved away, deleted, or another folder by that name
            return
        if first:  # what changed before the system began to tell has been told by nobody
            first = False
            yield ChangedPaths()
            continue
        if events:
            yield _to_changed_paths({Path(path) for _, path in events})


def _read_identity(root: Path) -> tuple[int, int]:
    facts = root.stat()
    return facts.st_dev, facts.st_ino


def _to_changed_paths(paths: set[Path]) -> ChangedPaths:
    if len(paths) > MAX_PATHS or any(path.name in IGNORE_FILES for path in paths):
        return ChangedPaths()
    return ChangedPaths(tuple(sorted(paths)))


def _is_relevant(root: Path, path: str) -> bool:
    """Whether a change there could change the memory: not what Aurora and git write for themselves."""
    try:
        inside = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return bool(inside) and EXCLUDED_FOLDERS.isdisjoint(inside)
