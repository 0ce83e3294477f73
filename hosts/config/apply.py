"""A plan is carried out: each file is kept as it was, then written whole or not at all."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from aurora.faults.cancellation import lasting
from aurora.hosts.formats.errors import Broken

from .atomic_write import write_whole
from .backups import keep, made_folders, note_folder
from .change import Trouble
from .draft import held

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from aurora.hosts.user_paths import Person

    from .change import Change


def apply(changes: Iterable[Change], root: Path, person: Person) -> tuple[tuple[Change, ...], tuple[Trouble, ...]]:
    """Make the changes.

    Args:
        changes: of a plan.
        root: the project's folder, in whose `.aurora/backups/hosts/` the files are kept.
        person: as for the plan.

    Returns:
        The changes that were made, and a trouble for each that was not: the file is another by now, or cannot be
        written. Nothing is raised for a file.
    """
    made: list[Change] = []
    troubles: list[Trouble] = []
    for change in changes:
        try:
            _make(change, root, person)
            made.append(change)
        except Broken as broken:
            troubles.append(_trouble(change, broken.message, "Say it again; it is read anew."))
        except OSError as error:
            troubles.append(
                _trouble(
                    change,
                    f"it cannot be written ({error.strerror or error})",
                    "Give yourself permission to write the file and its folder, and say it again.",
                )
            )
    return tuple(made), tuple(troubles)


def _make(change: Change, root: Path, person: Person) -> None:
    now = held(change.path)
    if now == change.after:
        return  # somebody else has made just this change meanwhile
    if now != change.before:
        raise Broken("it changed meanwhile")
    if change.before is not None and change.after is not None:  # what is deleted holds nothing but ours
        keep(change.path, change.before, root, person)
    if change.after is not None:
        for folder in change.path.parents:
            if not folder.exists():
                note_folder(folder, root)
        write_whole(change.path, change.after)
        return
    with lasting():
        change.path.unlink()
    ours = made_folders(root)
    with contextlib.suppress(OSError):  # a folder that holds something else stays
        for folder in change.path.parents:
            if folder in ours:
                folder.rmdir()


def _trouble(change: Change, message: str, remedy: str) -> Trouble:
    return Trouble("", change.shown, f"{change.shown}: {message}; the file was left as it is", remedy)
