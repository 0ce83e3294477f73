"""`init.remove`: remove Aurora from the assistants' files; memory on request."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from aurora import hosts
from aurora.faults import Fault, choose_write_remedy, guard_commit
from aurora.memory import files
from aurora.tools.core import Example, Tool
from aurora.tools.hooks.listener import remove_note

from .files import GITIGNORE_PATH, choose_hosts, explain_shared_files, hide_gitignore, to_change_rows
from .model import ChangeRow, InitOutput, RemoveInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurora.hosts import ConfigProblem, Host, UserPaths
    from aurora.tools.core import Context


_USER_FOLDERS = frozenset({"workflows"})
"""Folders in `.aurora/` that the project's people have written."""


def remove_init(given: RemoveInput, context: Context) -> InitOutput:
    """Remove Aurora from a project; report what fails, and do the rest.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    root, person = context.root, hosts.UserPaths.from_environment()
    chosen = choose_hosts(given.hosts, root, person) if given.hosts else hosts.HOSTS
    made = hosts.plan_removal(root, person, chosen, hosts.HOSTS)
    done, failed = hosts.apply_changes(made.changes, root, person)
    troubles = [*made.problems, *failed]
    gone: tuple[ChangeRow, ...] = ()
    if given.with_memory:
        context.project.close()
        gone = tuple(_delete_data(root, troubles))
    if not hosts.find_hooked_hosts(root, person):
        remove_note(root)
    if is_last_removal(chosen, root, person):
        gone = (*gone, *_hide_folder(root, troubles))
    return InitOutput(
        root=str(root),
        planned=False,
        removed=True,
        hosts=(),
        changes=(*to_change_rows(done), *gone),
        troubles=tuple(troubles),
        advice=tuple(explain_shared_files(made)),
    )


def is_last_removal(chosen: Sequence[Host], root: Path, person: UserPaths) -> bool:
    """Return whether no other host has anything of Aurora's, so that git may hide its folder."""
    others = [host for host in hosts.HOSTS if host not in chosen]
    return not others or not hosts.plan_removal(root, person, others, hosts.HOSTS).changes


def _hide_folder(root: Path, troubles: list[ConfigProblem]) -> tuple[ChangeRow, ...]:
    """Hide the rest of the folder from git; report when that fails."""
    try:
        return hide_gitignore(root)
    except Fault as fault:
        troubles.append(hosts.ConfigProblem(host="", where=GITIGNORE_PATH, message=fault.message, help=fault.help))
        return ()
    except OSError as error:
        message = f'"{GITIGNORE_PATH}" cannot be written ({error.strerror or error}), so git still lists it'
        help_ = choose_write_remedy(error, "Give yourself write permission for it.")
        troubles.append(hosts.ConfigProblem(host="", where=GITIGNORE_PATH, message=message, help=help_))
        return ()


def _delete_data(root: Path, troubles: list[ConfigProblem]) -> Iterator[ChangeRow]:
    """Delete Aurora's data in `.aurora/`; keep the backups of hosts' files while a problem is left."""
    folder, database = root / files.DATA_FOLDER, files.database_path(root)
    if database.exists() and not database.resolve().is_relative_to(folder):
        message = f'the memory is outside the project, in "{database.resolve()}", and was not deleted'
        troubles.append(
            hosts.ConfigProblem(host="", where="", message=message, help="Delete it if no other project uses it.")
        )
    if folder.is_symlink() or not folder.is_dir():
        return
    kept_names = _USER_FOLDERS | ({"backups"} if troubles else set())
    if any((folder / name).exists() for name in kept_names):
        kept_names |= {".gitignore"}
    for path in sorted(folder.iterdir()):
        if path.name not in kept_names:
            yield from _delete_path(path, f"{files.DATA_FOLDER}/{path.name}", troubles)
    if not any(folder.iterdir()):
        folder.rmdir()


def _delete_path(path: Path, display_path: str, troubles: list[ConfigProblem]) -> Iterator[ChangeRow]:
    try:
        with guard_commit():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        troubles.append(
            hosts.ConfigProblem(
                host="",
                where=display_path,
                message=f'"{display_path}" cannot be deleted: {error.strerror or error}',
                help="Close the programs that use it, and run the command again.",
            )
        )
    else:
        yield ChangeRow(path=display_path, action="delete", why=("--with-memory",), diff="")


TOOL = Tool(
    name="init.remove",
    title="Remove Aurora from a project",
    description=(
        "Remove from the assistants' files everything that `aur init` wrote for this project. A file that was not "
        "edited since is restored byte for byte; from any other only Aurora's own part is removed. Memory and runs "
        "stay unless with_memory is set."
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
