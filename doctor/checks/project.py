"""Checks of the folder `.aurora/`: existence, ignore rules, permissions."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import report_failure, report_pass, report_skip, report_warning
from aurora.faults import guard_commit
from aurora.memory import database_path
from aurora.memory.files import DATA_FOLDER, DATABASE_NAME, GITIGNORE_TEXT, prepare_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

_OWNER_BITS = {True: stat.S_IRWXU, False: stat.S_IRUSR | stat.S_IWUSR}
"""Permissions that the owner needs: all of a folder, read and write of a file."""
_OTHERS_WRITE = stat.S_IWOTH


def check_folder(subject: DoctorContext) -> Iterator[Finding]:
    """Check that the folder exists with its ignore rules."""
    place = subject.root / DATA_FOLDER
    nowhere = subject.person.describe_unusable_root(subject.root)
    if nowhere:
        step = "Go to the project's folder, or name it with --project."
        yield report_warning("project.folder.nowhere", f"{nowhere} is no project", step)
    elif place.exists() and not place.is_dir():
        said = f'"{DATA_FOLDER}" is a file, and should be a folder'
        yield report_failure("project.folder.file", said, f"Move {DATA_FOLDER} away, and run `aur doctor --fix`.")
    elif not place.exists():
        yield report_warning(
            "project.folder.missing", f'the folder "{DATA_FOLDER}" is missing', "Run `aur init`.", mend=create_folder
        )
    elif not (place / ".gitignore").exists():
        said = f'"{DATA_FOLDER}/.gitignore" is missing: Git would add the memory to the repository'
        lines = ", ".join(f"`{line}`" for line in GITIGNORE_TEXT.splitlines())
        step = f"Write these lines into {DATA_FOLDER}/.gitignore, in this order: {lines}."
        yield report_warning("project.folder.unignored", said, step, mend=create_folder)
    else:
        yield report_pass(f"{DATA_FOLDER}/ exists, and keeps the memory out of the repository")


def check_permissions(subject: DoctorContext) -> Iterator[Finding]:
    """Check that the owner can read and write the files, and others cannot write."""
    found = list(_iter_paths(subject))
    if not found:
        yield report_skip("project.rights.none", f"there is nothing in {DATA_FOLDER}/ yet")
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
        said = f"{shown} is not readable and writable by its owner"
        yield report_failure("project.rights.closed", said, f"Run `chmod u+{need} {shown}`.", mend=fix_permissions)
    for path in (one for one in opened if one not in foreign):
        shown = _display_path(path, subject)
        said = f"{shown} is writable by everyone"
        yield report_warning("project.rights.open", said, f"Run `chmod o-w {shown}`.", mend=fix_permissions)


def create_folder(subject: DoctorContext) -> Iterator[str]:
    """Create the folder and its ignore rules; yield each change."""
    if (subject.root / DATA_FOLDER / ".gitignore").exists():
        return  # another fix has created it already
    prepare_folder(subject.root / DATA_FOLDER / DATABASE_NAME)
    yield f"created {DATA_FOLDER}/ with its .gitignore"


def fix_permissions(subject: DoctorContext) -> Iterator[str]:
    """Grant the owner's permissions and remove others' write permission; yield changes."""
    for path in (one for one in _iter_paths(subject) if not _is_foreign(one)):
        mode = stat.S_IMODE(_read_mode(path))
        wanted = (mode | _OWNER_BITS[path.is_dir()]) & ~_OTHERS_WRITE
        if wanted != mode:
            with guard_commit():
                path.chmod(wanted)
            yield f"changed the permissions of {_display_path(path, subject)} from {mode:03o} to {wanted:03o}"


def _iter_paths(subject: DoctorContext) -> Iterator[Path]:
    """Yield the existing folders and database files that are not symbolic links."""
    database = database_path(subject.root, subject.environ)
    base = subject.root / DATA_FOLDER
    places = [base, base / "workflows", base / "backups", base / "logs", database]
    places += [database.with_name(f"{database.name}{end}") for end in ("-wal", "-shm")]
    for path in places:
        try:
            kind = os.lstat(path).st_mode
        except OSError:  # missing, or in a folder without permissions, which has its own finding
            continue
        if stat.S_ISDIR(kind) or stat.S_ISREG(kind):
            yield path


def _is_foreign(path: Path) -> bool:
    """Return True when only another user can change the permissions."""
    return hasattr(os, "getuid") and os.getuid() not in {0, path.stat().st_uid}


def _read_mode(path: Path) -> int:
    return path.stat().st_mode


def _display_path(path: Path, subject: DoctorContext) -> str:
    return path.relative_to(subject.root).as_posix() if path.is_relative_to(subject.root) else str(path)


GROUP = Group(
    "project",
    "Project Checks",
    (
        Check("project.folder", f"{DATA_FOLDER}/ exists", check_folder),
        Check(
            "project.rights",
            f"{DATA_FOLDER}/ is readable and writable by its owner, and not writable by everyone",
            check_permissions,
        ),
    ),
)
