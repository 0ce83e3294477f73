"""Note that a project leaves for the next session, which begins before a server runs."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora import startup
from aurora.faults import write_atomically

from .context import find_session_context

if TYPE_CHECKING:
    from aurora.tools.core import Project

    from .context import HookContext

_PRIVATE_FOLDER = 0o700


def open_hook_folder() -> Path | None:
    """Create the folder of the hooks; return None where it cannot be private."""
    place = startup.find_hook_folder()
    if place is None or os.name != "posix":
        return None
    with contextlib.suppress(OSError):
        Path(place).mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    return Path(place) if startup.is_private_folder(place) else None


def encode_answer(root: Path, found: HookContext | None) -> bytes:
    """Return an answer as the hook reads it, also if there is nothing to add."""
    texts = {"context": found.text, "message": found.message} if found else {}
    return json.dumps({"root": str(root), **texts}).encode()


def write_note(project: Project) -> None:
    """Write what the next session of the project is to know.

    Raises:
        OSError: it cannot be written.
        Fault: the memory cannot be read.
    """
    folder = open_hook_folder()
    if folder is not None:
        path = folder / f"{startup.name_project(str(project.root))}{startup.NOTE_END}"
        write_atomically(path, encode_answer(project.root, find_session_context(project)))


def remove_note(root: Path) -> None:
    """Remove the note of a project, if it has one."""
    place = startup.find_hook_folder()
    if place is not None:
        with contextlib.suppress(OSError):
            (Path(place) / f"{startup.name_project(str(root))}{startup.NOTE_END}").unlink()
