"""Dependencies of the lists: every file and folder that decides what the server offers."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aurora import memory, trust
from aurora.faults import SHIPPED_FOLDER
from aurora.startup import MAX_STAMPS, StartCache, identify_path, stamp_path
from aurora.tools.core import PROJECT_WORKFLOWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.startup import ServerStart, Stamps
    from aurora.tools.core import Project

_INSTALLED_FOLDERS = frozenset({"dist-packages", "site-packages"})
_SETTLED_NANOSECONDS = 50_000_000
"""Age at which a further change of a file gets another time; the clock of file systems ticks every 4 ms or so."""
_COARSE_NANOSECONDS = 2_500_000_000
"""The same for a file system that keeps whole seconds."""
_SECOND = 1_000_000_000
_MARKERS = (".aurora", ".git")


def collect_dependencies(project: Project, start: ServerStart) -> StartCache | None:
    """Stamp everything that the lists of the server depend on.

    Args:
        project: the open project.
        start: the start of this process.

    Returns:
        A cache without answers; None when there is too much to look at, or code changed while it was loaded.
    """
    code = {path: stamp_path(path) for path in _list_code(start)}
    if not are_settled(code, start.began):
        return None
    own = project.root / PROJECT_WORKFLOWS
    folders = [SHIPPED_FOLDER]
    if own.is_dir() and project.trust.is_trusted():
        folders.append(own)
    watched = _list_trust_paths(project)
    files = {*_list_trees(folders), *(path for path in watched if not Path(path).is_dir())}
    stamps = {**code, **{path: stamp_path(path) for path in sorted(files)}}
    places = {*_list_markers(Path(start.key.folder)), *watched, os.fspath(project.root), os.fspath(own)}
    identities = {path: identify_path(path) for path in sorted(places - files)}
    parts: dict[str, Stamps] = {"resources/list": _stamp_database(project)}
    return StartCache(stamps, identities, parts) if len(stamps) + len(identities) <= MAX_STAMPS else None


def are_settled(stamps: Stamps, when: int) -> bool:
    """Return True if every later change of these files shows in their stamps.

    Args:
        stamps: the stamps.
        when: the time in nanoseconds since 1970 before which they must have their present state.
    """
    changes = [stamp[3] for stamp in stamps.values() if stamp is not None]
    return all(
        change + (_SETTLED_NANOSECONDS if change % _SECOND else _COARSE_NANOSECONDS) < when for change in changes
    )


def _list_code(start: ServerStart) -> Iterator[str]:
    """Yield the folders of installed modules, which every installation changes, and the other modules."""
    folders: list[str] = start.key.fields["path"]
    # `python -m` puts the current folder on the path: it changes all the time, and has no code of ours.
    yield from (folder for folder in folders if os.path.realpath(folder) != start.key.folder)
    installed = [Path(folder) for folder in folders if Path(folder).name in _INSTALLED_FOLDERS]
    installed.append(Path(os.__file__).parent)
    skipped = tuple(f"{form}{os.sep}" for folder in installed for form in (folder, folder.resolve()))
    for module in tuple(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and not file.startswith(skipped):
            yield file


def _list_trees(folders: Iterable[Path]) -> Iterator[str]:
    """Yield folders with everything in them, a few more than a cache may depend on."""
    waiting = [os.fspath(folder) for folder in folders]
    left = MAX_STAMPS + 1
    while waiting and left > 0:
        parent = waiting.pop()
        yield parent
        try:
            with os.scandir(parent) as found:
                entries = list(islice(found, left))
        except OSError:
            continue
        left -= 1 + len(entries)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                yield entry.path


def _list_trust_paths(project: Project) -> list[str]:
    """List the files that decide the trust in the project; its own definitions are stamped anyway."""
    files = [path for path in (trust.find_state_file(), trust.find_config_file()) if path is not None]
    try:
        watched = trust.locate_project(project.root).watched
    except OSError:
        watched = ()
    return [*map(os.fspath, files), *watched]


def _list_markers(folder: Path) -> Iterator[str]:
    """Yield what makes a folder a project, in this one and those around it."""
    for place in (folder, *folder.parents):
        yield from (os.fspath(place / name) for name in _MARKERS)


def _stamp_database(project: Project) -> Stamps:
    """Stamp the database with its log: the list of resources has the newest runs."""
    path = os.fspath(memory.records_path(project.root))
    return {name: stamp_path(name) for name in (path, f"{path}-wal")}
