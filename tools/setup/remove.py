"""init.remove: everything of Aurora's comes out of the assistants' files; memory and runs only on request."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from aurora.faults import guard_commit
from aurora.tools.core import Example, Tool

from .files import choose_hosts, to_change_rows, to_trouble_rows
from .gitignore import GITIGNORE_PATH, hide_gitignore
from .model import ChangeRow, InitOutput, RemoveInput, TroubleRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.tools.core import Context

_USER_FOLDERS = frozenset({"workflows"})
"""What in `.aurora/` the project's people have written."""


def remove_init(given: RemoveInput, context: Context) -> InitOutput:
    """Take it out; what fails is told, and the rest is done.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    from aurora.hosts import HOSTS, UserPaths, apply_changes, plan_removal  # noqa: PLC0415 - listing tools does without

    root, person = context.root, UserPaths.from_environment()
    made = plan_removal(root, person, choose_hosts(given.hosts, root, person) if given.hosts else HOSTS)
    done, failed = apply_changes(made.changes, root, person)
    troubles = [*to_trouble_rows(made.problems), *to_trouble_rows(failed)]
    gone: tuple[ChangeRow, ...] = ()
    if given.with_memory:
        context.project.close()
        gone = tuple(_delete_data(root, troubles))
    if not given.hosts:
        gone = (*gone, *_hide_folder(root, troubles))
    return InitOutput(
        root=str(root),
        planned=False,
        removed=True,
        hosts=(),
        changes=(*to_change_rows(done), *gone),
        troubles=tuple(troubles),
    )


def _hide_folder(root: Path, troubles: list[TroubleRow]) -> tuple[ChangeRow, ...]:
    """Leave nothing for git to see; where that cannot be written, the folder is seen, and that is told."""
    try:
        return hide_gitignore(root)
    except OSError as error:
        said = f'"{GITIGNORE_PATH}" cannot be written ({error.strerror or error}), and git shows it still'
        troubles.append(
            TroubleRow(host="", where=GITIGNORE_PATH, message=said, help="Give yourself permission to write it.")
        )
        return ()


def _delete_data(root: Path, troubles: list[TroubleRow]) -> Iterator[ChangeRow]:
    """Delete what Aurora keeps in `.aurora/`; the copies of hosts' files only when none of them is needed any more."""
    from aurora.memory.files import DATA_FOLDER, database_path  # noqa: PLC0415 - as above

    place, database = root / DATA_FOLDER, database_path(root)
    kept = _USER_FOLDERS | ({"backups"} if troubles else set())
    if database.exists() and not database.resolve().is_relative_to(place):
        said = f'the memory lies elsewhere, in "{database.resolve()}", and was left'
        troubles.append(TroubleRow(host="", where="", message=said, help="Delete it if no other project uses it."))
    if place.is_symlink() or not place.is_dir():
        return
    if any((place / name).exists() for name in kept):
        kept |= {".gitignore"}
    for one in sorted(place.iterdir()):
        if one.name in kept:
            continue
        try:
            with guard_commit():
                shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
        except OSError as error:
            shown = f"{DATA_FOLDER}/{one.name}"
            troubles.append(
                TroubleRow(
                    host="",
                    where=shown,
                    message=f'"{shown}" cannot be deleted: {error.strerror or error}',
                    help="Close whatever uses it, and say it again.",
                )
            )
        else:
            yield ChangeRow(path=f"{DATA_FOLDER}/{one.name}", action="delete", why=("it was asked for",), diff="")
    if not any(place.iterdir()):
        place.rmdir()


TOOL = Tool(
    name="init.remove",
    title="Take Aurora out of a project",
    description=(
        "Take out of the assistants' files all that `aur init` put there for this project. A file that was not touched "
        "since becomes what it was, to the byte; of any other only Aurora's own part goes. Memory and runs stay, "
        "unless they are asked for too."
    ),
    input=RemoveInput,
    output=InitOutput,
    run=remove_init,
    family="admin",
    risk="high",
    idempotent=True,
    timeout=300.0,
    examples=(Example("From one assistant", {"hosts": ["claude-code"]}),),
)
