"""Is the project's folder `.aurora/` there, kept out of the repository, and the person's own?"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import report_failure, report_pass, report_skip, report_warning
from aurora.faults import guard_commit
from aurora.memory import database_path
from aurora.memory.files import AURORA_FOLDER, DATABASE_NAME, GITIGNORE_TEXT, prepare_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

_OWNER_BITS = {True: stat.S_IRWXU, False: stat.S_IRUSR | stat.S_IWUSR}
"""What the owner needs: of a folder all, of a file to read and write."""
_OTHERS_WRITE = stat.S_IWOTH


def check_folder(subject: DoctorContext) -> Iterator[Finding]:
    """Whether the folder is there with its ignore rules."""
    place = subject.root / AURORA_FOLDER
    nowhere = subject.person.describe_unusable_root(subject.root)
    if nowhere:
        step = "Go to the project's folder, or name it with --project."
        yield report_warning("project.folder.nowhere", f"{nowhere} is no project", step)
    elif place.exists() and not place.is_dir():
        said = f'"{AURORA_FOLDER}" is a file, and should be a folder'
        yield report_failure("project.folder.file", said, f"Move {AURORA_FOLDER} away, and run `aur doctor --fix`.")
    elif not place.exists():
        yield report_warning(
            "project.folder.missing", f'the folder "{AURORA_FOLDER}" is missing', "Run `aur init`.", mend=create_folder
        )
    elif not (place / ".gitignore").exists():
        said = f'"{AURORA_FOLDER}/.gitignore" is missing: the memory would get into the repository'
        lines = ", ".join(f"`{line}`" for line in GITIGNORE_TEXT.splitlines())
        step = f"Write these lines into {AURORA_FOLDER}/.gitignore, in this order: {lines}."
        yield report_warning("project.folder.unignored", said, step, mend=create_folder)
    else:
        yield report_pass(f"{AURORA_FOLDER}/ is there, and keeps the memory out of the repository")


def check_permissions(subject: DoctorContext) -> Iterator[Finding]:
    """Whether the owner may read and write what lies there, and not everybody may write."""
    found = list(_iter_paths(subject))
    if not found:
        yield report_skip("project.rights.none", f"there is nothing in {AURORA_FOLDER}/ yet")
        return
    foreign = [path for path in found if _is_foreign(path)]
    closed = [path for path in found if _read_mode(path) & _OWNER_BITS[path.is_dir()] != _OWNER_BITS[path.is_dir()]]
    opened = [path for path in found if _read_mode(path) & _OTHERS_WRITE]
    for path in (one for one in foreign if one.parent not in foreign):
        said = f"{_display_path(path, subject)} belongs to another user"
        yield report_failure(
            "project.rights.foreign", said, f'Run `sudo chown -R "$USER" {_display_path(path, subject)}`.'
        )
    for path in (one for one in closed if one not in foreign):
        need = "rwX" if path.is_dir() else "rw"
        shown = _display_path(path, subject)
        said = f"{shown} may not be read and written by its owner"
        yield report_failure("project.rights.closed", said, f"Run `chmod u+{need} {shown}`.", mend=fix_permissions)
    for path in (one for one in opened if one not in foreign):
        shown = _display_path(path, subject)
        said = f"{shown} may be written by everybody"
        yield report_warning("project.rights.open", said, f"Run `chmod o-w {shown}`.", mend=fix_permissions)


def create_folder(subject: DoctorContext) -> Iterator[str]:
    """Make the folder and its ignore rules; gives what was done."""
    if (subject.root / AURORA_FOLDER / ".gitignore").exists():
        return  # another remedy has made it meanwhile
    prepare_folder(subject.root / AURORA_FOLDER / DATABASE_NAME)
    yield f"made {AURORA_FOLDER}/ with its .gitignore"


def fix_permissions(subject: DoctorContext) -> Iterator[str]:
    """Give the owner what the owner needs, and take from everybody what nobody needs; gives what was done."""
    for path in (one for one in _iter_paths(subject) if not _is_foreign(one)):
        mode = stat.S_IMODE(_read_mode(path))
        wanted = (mode | _OWNER_BITS[path.is_dir()]) & ~_OTHERS_WRITE
        if wanted != mode:
            with guard_commit():
                path.chmod(wanted)
            yield f"changed the rights of {_display_path(path, subject)} from {mode:03o} to {wanted:03o}"


def _iter_paths(subject: DoctorContext) -> Iterator[Path]:
    """The folder, the database and its companions, the project's workflows; those that are there, and are no links."""
    database = database_path(subject.root, subject.environ)
    base = subject.root / AURORA_FOLDER
    places = [base, base / "workflows", base / "backups", base / "logs", database]
    places += [database.with_name(f"{database.name}{end}") for end in ("-wal", "-shm")]
    for path in places:
        try:
            kind = os.lstat(path).st_mode
        except OSError:  # none, or in a folder that is closed, which is told of that folder
            continue
        if stat.S_ISDIR(kind) or stat.S_ISREG(kind):
            yield path


def _is_foreign(path: Path) -> bool:
    """Whether somebody else alone may change its rights."""
    return hasattr(os, "getuid") and os.getuid() not in {0, path.stat().st_uid}


def _read_mode(path: Path) -> int:
    return path.stat().st_mode


def _display_path(path: Path, subject: DoctorContext) -> str:
    return path.relative_to(subject.root).as_posix() if path.is_relative_to(subject.root) else str(path)


GROUP = Group(
    "project",
    "Project Checks",
    (
        Check("project.folder", f"{AURORA_FOLDER}/ is there", check_folder),
        Check(
            "project.rights",
            f"{AURORA_FOLDER}/ may be read and written by its owner, and not by everybody",
            check_permissions,
        ),
    ),
)
