"""Writer of planned changes: back up each file, then replace it atomically."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from aurora.faults import Fault, choose_write_remedy, guard_commit, write_atomically
from aurora.faults.paths import remove_inside, write_inside
from aurora.hosts.formats import ConfigFileError

from .backups import read_created_folders, record_folder, save_backup
from .change import ConfigProblem
from .draft import read_file_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from aurora.hosts.user_paths import UserPaths

    from .change import FileChange


def apply_changes(
    changes: Iterable[FileChange], root: Path, person: UserPaths
) -> tuple[tuple[FileChange, ...], tuple[ConfigProblem, ...]]:
    """Write the planned changes to disk.

    Args:
        changes: the changes of a plan.
        root: the project's folder; backups go to its `.aurora/backups/hosts/`.
        person: the user's paths.

    Returns:
        The changes that were written, and a problem for each that was not: the file changed meanwhile, or cannot be
        written. No file raises an error.
    """
    applied: list[FileChange] = []
    troubles: list[ConfigProblem] = []
    for change in changes:
        try:
            _apply_change(change, root, person)
            applied.append(change)
        except ConfigFileError as broken:
            troubles.append(_build_problem(change, broken.message, "Run the command again; it reads the file again."))
        except Fault as fault:
            troubles.append(_build_problem(change, fault.message, fault.help))
        except OSError as error:
            troubles.append(
                _build_problem(
                    change,
                    f"it cannot be written ({error.strerror or error})",
                    choose_write_remedy(
                        error, "Change the permissions of the file and its folder, and run the command again."
                    ),
                )
            )
    return tuple(applied), tuple(troubles)


def _apply_change(change: FileChange, root: Path, person: UserPaths) -> None:
    now = read_file_bytes(change.path)
    if now == change.after:
        return  # another process made the same change
    if now != change.before:
        raise ConfigFileError("it changed since the plan was made")
    if change.before is not None and change.after is not None:  # a deleted file contains only Aurora's text
        save_backup(change.path, change.before, root, person)
    if change.after is not None:
        for folder in change.path.parents:
            if not folder.exists():
                record_folder(folder, root)
        _write_file(change.path, change.after, root)
        return
    if change.path.is_relative_to(root):
        remove_inside(root, change.path.relative_to(root).as_posix())
    else:
        with guard_commit():
            change.path.unlink()
    created = read_created_folders(root)
    with contextlib.suppress(OSError):  # a folder with other files stays
        for folder in change.path.parents:
            if folder in created:
                folder.rmdir()


def _write_file(path: Path, data: bytes, root: Path) -> None:
    """Write a file of the project without following a link out of it, and the user's own file as it is."""
    if path.is_relative_to(root):
        write_inside(root, path.relative_to(root).as_posix(), data)
    else:
        write_atomically(path, data)


def _build_problem(change: FileChange, message: str, remedy: str) -> ConfigProblem:
    return ConfigProblem("", change.display_path, f"{change.display_path}: {message}; the file is unchanged", remedy)
