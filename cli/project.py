"""Project of a command: find its root, open its workspace."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.faults.paths.resolve import path_exists
from aurora.memory.files import find_project, has_memory
from aurora.tools import runtime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.runtime import Workspace

    from .context import CommonOptions


def resolve_project_root(options: CommonOptions, paths: Sequence[str] = ()) -> Path:
    """Return the root of the command's project.

    Args:
        options: may name the project.
        paths: paths of the command; without a named project, the first one selects its own project.

    Raises:
        Fault: NOT_FOUND or FORBIDDEN when the folder does not exist or cannot be read.
    """
    here = _get_current_folder()
    if options.project is not None:
        return require_readable_folder(here / Path(options.project).expanduser(), options.project)
    root = find_project(here)
    if paths:
        first = Path(paths[0])
        if path_exists(first) and not first.resolve().is_relative_to(root):
            root = find_project(first if first.is_dir() else first.parent)
    return require_readable_folder(root, str(root))


def require_readable_folder(path: Path, name: str, option: str = " with --project") -> Path:
    """Return the folder, absolute and resolved.

    Args:
        path: the folder.
        name: as the person wrote it, for messages.
        option: how the person names another folder.

    Raises:
        Fault: NOT_FOUND when it does not exist, INVALID_INPUT when it is not a folder, FORBIDDEN when it cannot be
            read.
    """
    try:
        resolved = path.resolve(strict=True)
        if not resolved.is_dir():
            raise Fault(
                Code.INVALID_INPUT, f'the project "{name}" is not a folder', help="Name the folder that contains it."
            )
        with os.scandir(resolved) as entries:
            next(entries, None)
    except FileNotFoundError:
        raise Fault(
            Code.NOT_FOUND, f'the project "{name}" does not exist', help=f"Name an existing folder{option}."
        ) from None
    except PermissionError:
        raise Fault(
            Code.FORBIDDEN,
            f'the project "{name}" cannot be read',
            help=f"Give yourself permission to read the folder, or name another one{option}.",
        ) from None
    except (OSError, ValueError, RuntimeError) as error:  # a cycle of links, a name too long, a NUL in it
        raise Fault(
            Code.INVALID_INPUT, f'the project "{name[:200]}" is not a usable path: {error}', help="Name a folder."
        ) from None
    return resolved


@contextmanager
def open_workspace(options: CommonOptions, paths: Sequence[str] = (), *, reads: bool = False) -> Iterator[Workspace]:
    """Open the project for one command.

    Args:
        options: the project, and whether to open it read-only.
        paths: paths of the command, which may be in another project.
        reads: the command only reads: do not create a missing database.
    """
    root = resolve_project_root(options, paths)
    untouched = reads and not has_memory(root)
    with runtime.Workspace(root, read_only=options.read_only, untouched=untouched) as workspace:
        yield workspace


def _get_current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise Fault(
            Code.NOT_FOUND, "the current folder no longer exists", help="Change into an existing folder."
        ) from None
