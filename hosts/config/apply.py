"""A plan is carried out: each file is kept as it was, then written whole or not at all."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from aurora.faults import guard_commit
from aurora.hosts.formats import ConfigFileError

from .atomic_write import write_atomically
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
    """Make the changes.

    Args:
        changes: of a plan.
        root: the project's folder, in whose `.aurora/backups/hosts/` the files are kept.
        person: as for the plan.

    Returns:
        The changes that were made, and a trouble for each that was not: the file is another by now, or cannot be
        written. Nothing is raised for a file.
    """
    made: list[FileChange] = []
    troubles: list[ConfigProblem] = []
    for change in changes:
        try:
            _apply_change(change, root, person)
            made.append(change)
        except ConfigFileError as broken:
            troubles.append(_build_problem(change, broken.message, "Say it again; it is read anew."))
        except OSError as error:
            troubles.append(
                _build_problem(
                    change,
                    f"it cannot be written ({error.strerror or error})",
                    "Give yourself permission to write the file and its folder, and say it again.",
                )
            )
    return tuple(made), tuple(troubles)


def _apply_change(change: FileChange, root: Path, person: UserPaths) -> None:
    now = read_file_bytes(change.path)
    if now == change.after:
        return  # somebody else has made just this change meanwhile
    if now != change.before:
        raise ConfigFileError("it changed meanwhile")
    if change.before is not None and change.after is not None:  # what is deleted holds nothing but ours
        save_backup(change.path, change.before, root, person)
    if change.after is not None:
        for folder in change.path.parents:
            if not folder.exists():
                record_folder(folder, root)
        write_atomically(change.path, change.after)
        return
    with guard_commit():
        change.path.unlink()
    ours = read_created_folders(root)
    with contextlib.suppress(OSError):  # a folder that holds something else stays
        for folder in change.path.parents:
            if folder in ours:
                folder.rmdir()


def _build_problem(change: FileChange, message: str, remedy: str) -> ConfigProblem:
    return ConfigProblem(
        "", change.display_path, f"{change.display_path}: {message}; the file was left as it is", remedy
    )
