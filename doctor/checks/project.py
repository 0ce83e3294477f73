"""Is the project's folder `.aurora/` there, kept out of the repository, and the person's own?"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import failure, passed, skipped, warning
from aurora.faults.cancellation import lasting
from aurora.memory import database_path
from aurora.memory.files.locate import DATABASE, FOLDER, GITIGNORE, prepare_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding

_OWN = {True: stat.S_IRWXU, False: stat.S_IRUSR | stat.S_IWUSR}
"""What the owner needs: of a folder all, of a file to read and write."""
_OTHERS = stat.S_IWOTH


def folder(subject: Subject) -> Iterator[Finding]:
    """Whether the folder is there with its ignore rules."""
    place = subject.root / FOLDER
    nowhere = subject.person.nowhere(subject.root)
    if nowhere:
        step = "Go to the project's folder, or name it with --project."
        yield warning("project.folder.nowhere", f"{nowhere} is no project", step)
    elif place.exists() and not place.is_dir():
        said = f'"{FOLDER}" is a file, and should be a folder'
        yield failure("project.folder.file", said, f"Move {FOLDER} away, and run `aur doctor --fix`.")
    elif not place.exists():
        yield warning("project.folder.missing", f'the folder "{FOLDER}" is missing', "Run `aur init`.", mend=prepare)
    elif not (place / ".gitignore").exists():
        said = f'"{FOLDER}/.gitignore" is missing: the memory would get into the repository'
        lines = ", ".join(f"`{line}`" for line in GITIGNORE.splitlines())
        step = f"Write these lines into {FOLDER}/.gitignore, in this order: {lines}."
        yield warning("project.folder.unignored", said, step, mend=prepare)
    else:
        yield passed(f"{FOLDER}/ is there, and keeps the memory out of the repository")


def rights(subject: Subject) -> Iterator[Finding]:
    """Whether the owner may read and write what lies there, and not everybody may write."""
    found = list(_places(subject))
    if not found:
        yield skipped("project.rights.none", f"there is nothing in {FOLDER}/ yet")
        return
    foreign = [path for path in found if _foreign(path)]
    closed = [path for path in found if _mode(path) & _OWN[path.is_dir()] != _OWN[path.is_dir()]]
    opened = [path for path in found if _mode(path) & _OTHERS]
    for path in (one for one in foreign if one.parent not in foreign):
        said = f"{_shown(path, subject)} belongs to another user"
        yield failure("project.rights.foreign", said, f'Run `sudo chown -R "$USER" {_shown(path, subject)}`.')
    for path in (one for one in closed if one not in foreign):
        need = "rwX" if path.is_dir() else "rw"
        shown = _shown(path, subject)
        said = f"{shown} may not be read and written by its owner"
        yield failure("project.rights.closed", said, f"Run `chmod u+{need} {shown}`.", mend=allow)
    for path in (one for one in opened if one not in foreign):
        shown = _shown(path, subject)
        said = f"{shown} may be written by everybody"
        yield warning("project.rights.open", said, f"Run `chmod o-w {shown}`.", mend=allow)


def prepare(subject: Subject) -> Iterator[str]:
    """Make the folder and its ignore rules; gives what was done."""
    if (subject.root / FOLDER / ".gitignore").exists():
        return  # another remedy has made it meanwhile
    prepare_folder(subject.root / FOLDER / DATABASE)
    yield f"made {FOLDER}/ with its .gitignore"


def allow(subject: Subject) -> Iterator[str]:
    """Give the owner what the owner needs, and take from everybody what nobody needs; gives what was done."""
    for path in (one for one in _places(subject) if not _foreign(one)):
        mode = stat.S_IMODE(_mode(path))
        wanted = (mode | _OWN[path.is_dir()]) & ~_OTHERS
        if wanted != mode:
            with lasting():
                path.chmod(wanted)
            yield f"changed the rights of {_shown(path, subject)} from {mode:03o} to {wanted:03o}"


def _places(subject: Subject) -> Iterator[Path]:
    """The folder, the database and its companions, the project's workflows; those that are there, and are no links."""
    database = database_path(subject.root, subject.environ)
    base = subject.root / FOLDER
    places = [base, base / "workflows", base / "backups", base / "logs", database]
    places += [database.with_name(f"{database.name}{end}") for end in ("-wal", "-shm")]
    for path in places:
        try:
            kind = os.lstat(path).st_mode
        except OSError:  # none, or in a folder that is closed, which is told of that folder
            continue
        if stat.S_ISDIR(kind) or stat.S_ISREG(kind):
            yield path


def _foreign(path: Path) -> bool:
    """Whether somebody else alone may change its rights."""
    return hasattr(os, "getuid") and os.getuid() not in {0, path.stat().st_uid}


def _mode(path: Path) -> int:
    return path.stat().st_mode


def _shown(path: Path, subject: Subject) -> str:
    return path.relative_to(subject.root).as_posix() if path.is_relative_to(subject.root) else str(path)


GROUP = Group(
    "project",
    "Project Checks",
    (
        Check("project.folder", f"{FOLDER}/ is there", folder),
        Check("project.rights", f"{FOLDER}/ may be read and written by its owner, and not by everybody", rights),
    ),
)
