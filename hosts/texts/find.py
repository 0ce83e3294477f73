"""Discovery of the texts that hosts read, with bounds on files, folders and bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.hosts.config import Draft
from aurora.hosts.formats import ConfigFileError

from .locations import TEXT_LOCATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.hosts.user_paths import UserPaths

    from .locations import TextKind, TextLocation

MAX_TEXT_BYTES = 1_000_000
"""Size limit of a text; a larger one is not read."""
MAX_TOTAL_BYTES = 30_000_000
"""Size limit of all texts together."""
_MAX_FILES = 300
_MAX_FOLDERS = 1_000
"""Limits of one location."""


@dataclass(frozen=True, slots=True)
class AssistantText:
    """Text file that hosts read.

    Attributes:
        path: its place, with links resolved.
        display_path: relative to the project, or `~/…`.
        kind: the name of such a text for people.
        hosts: the names of the hosts that read it.
        text: its content.
    """

    path: Path
    display_path: str
    kind: TextKind
    hosts: tuple[str, ...]
    text: str


def find_texts(root: Path, person: UserPaths) -> tuple[AssistantText, ...]:
    """Read the texts of all hosts in the project and in the user's folders, each once.

    Args:
        root: the project's folder, resolved.
        person: the user's paths.

    Returns:
        The readable texts, in the order of the locations. A file that is no UTF-8 text, too large, or a link that
        leads out of the project is left out; no file raises an error.
    """
    found: dict[Path, AssistantText] = {}
    draft = Draft(root, person)
    left = MAX_TOTAL_BYTES
    for location, written in _list_places(root, person):
        text = _read_text(written, location, draft, left)
        if text is None:
            continue
        known = found.get(text.path)
        if known is None:
            left -= len(text.text)
            found[text.path] = text
        else:  # a link to another text, which further hosts read
            found[text.path] = replace(known, hosts=tuple(dict.fromkeys((*known.hosts, *text.hosts))))
    return tuple(found.values())


def _list_places(root: Path, person: UserPaths) -> Iterator[tuple[TextLocation, str]]:
    """Yield each file of the locations with its location."""
    for location in TEXT_LOCATIONS:
        for written in _list_files(location, root, person):
            yield location, written


def _read_text(written: str, location: TextLocation, draft: Draft, left: int) -> AssistantText | None:
    try:
        path = draft.resolve_path(written)
        if path.stat().st_size > min(MAX_TEXT_BYTES, left):
            return None
        text = draft.read_text(path)
    except (ConfigFileError, OSError):
        return None
    if text is None:
        return None
    return AssistantText(path, draft.format_path(path), location.kind, location.hosts, text)


def _list_files(location: TextLocation, root: Path, person: UserPaths) -> Iterator[str]:
    """Yield the files of a location in the notation of `Draft.resolve_path`."""
    folder, _, name = location.path.rpartition("/")
    levels = 0
    if "*" not in location.path:
        yield location.path
        return
    if folder.endswith(("/**", "/*")):
        folder, _, wildcard = folder.rpartition("/")
        levels = _MAX_FOLDERS if wildcard == "**" else 1
    base = person.resolve_path(folder) if folder.startswith(("~/", "{")) else root / folder
    for path in islice(_walk_folder(base, name, levels), _MAX_FILES):
        yield f"{folder}/{path}"


def _walk_folder(base: Path, name: str, levels: int) -> Iterator[str]:
    """Yield the files with this name, or this end after `*`; follow no linked folder."""
    for here, folders, files in islice(os.walk(base), _MAX_FOLDERS):
        inner = os.path.relpath(here, base)
        depth = 0 if inner == os.curdir else inner.count(os.sep) + 1
        folders[:] = sorted(folders) if depth < levels else []
        for file in sorted(files):
            if file == name or (name.startswith("*") and file.endswith(name[1:])):
                yield file if depth == 0 else f"{Path(inner).as_posix()}/{file}"
