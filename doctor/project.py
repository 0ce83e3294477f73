"""Checks of a project: the folder `.aurora/`, trust, agents, programs, workflows."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from aurora.errors import Fault, guard_commit
from aurora.hosts import discover_agents
from aurora.interpreter.problems import select_errors
from aurora.memory import database_path
from aurora.memory.files import DATA_FOLDER, DATABASE_NAME, GITIGNORE_TEXT, prepare_folder
from aurora.system.environment import read_flag
from aurora.system.paths.read import refuse_foreign_file

from .model import report_failure, report_nothing, report_pass, report_skip, report_warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from .model import DoctorContext, Finding


_OWNER_BITS = {True: stat.S_IRWXU, False: stat.S_IRUSR | stat.S_IWUSR}
"""Permissions that the owner needs: all of a folder, read and write of a file."""
_WRITTEN_NAMES = (
    ".gitignore",
    "backups",
    "logs",
    "workflows",
    DATABASE_NAME,
    f"{DATABASE_NAME}-wal",
    f"{DATABASE_NAME}-shm",
    "logs/calls.jsonl",
)
_OTHERS_WRITE = stat.S_IWOTH
_TRUST_STEP = "Run `aur trust`, which shows what they are and asks."


def check_folder(context: DoctorContext) -> Iterator[Finding]:
    """Check that the folder exists with its ignore rules."""
    folder = context.root / DATA_FOLDER
    unusable = context.person.describe_unusable_root(context.root)
    if unusable:
        step = "Go to the project's folder, or name it with --project."
        yield report_warning("project.folder.nowhere", f"{unusable} is not a project", step)
    # Before all else: whatever is checked or fixed behind a link would be outside of the project.
    elif link := _find_foreign_link(context):
        yield report_failure("project.folder.link", link.message, link.help)
    elif folder.exists() and not folder.is_dir():
        message = f'"{DATA_FOLDER}" is a file, and should be a folder'
        yield report_failure("project.folder.file", message, f"Move {DATA_FOLDER} away, and run `aur doctor --fix`.")
    elif not folder.exists():
        yield report_warning(
            "project.folder.missing", f'the folder "{DATA_FOLDER}" is missing', "Run `aur init`.", fix=create_folder
        )
    elif not (folder / ".gitignore").exists():
        message = f'"{DATA_FOLDER}/.gitignore" is missing: Git would add the memory to the repository'
        lines = ", ".join(f"`{line}`" for line in GITIGNORE_TEXT.splitlines())
        step = f"Write these lines into {DATA_FOLDER}/.gitignore, in this order: {lines}."
        yield report_warning("project.folder.unignored", message, step, fix=create_folder)
    else:
        yield report_pass(f"{DATA_FOLDER}/ exists, and keeps the memory out of the repository")


def _find_foreign_link(context: DoctorContext) -> Fault | None:
    """Find a link that a clone brought where Aurora writes."""
    folder = context.root / DATA_FOLDER
    for place in (folder, *(folder / name for name in _WRITTEN_NAMES)):
        try:
            refuse_foreign_file(context.root, place)
        except Fault as fault:
            return fault
    return None


def check_permissions(context: DoctorContext) -> Iterator[Finding]:
    """Check that the owner can read and write the files, and others cannot write."""
    paths = list(_iter_paths(context))
    if not paths:
        yield report_skip("project.rights.none", f"there is nothing in {DATA_FOLDER}/ yet")
        return
    foreign = [path for path in paths if _is_foreign(path)]
    own = [path for path in paths if path not in foreign]
    yield from _check_owner(foreign, context)
    # What belongs to another user is left out here: its owner has to change first, and only then its permissions.
    yield from _check_mount(own, context)
    yield from _check_owner_access(own, context)
    yield from _check_others_access(own, context)


def _check_owner(foreign: Sequence[Path], context: DoctorContext) -> Iterator[Finding]:
    """Report the paths of another user, except inside a folder that is reported."""
    for path in foreign:
        # One finding a folder: the command that it names changes what is in it as well.
        if path.parent not in foreign:
            shown = _display_path(path, context)
            step = f'Run `sudo chown -R "$USER" {shown}`.'
            yield report_failure("project.rights.foreign", f"{shown} belongs to another user", step)


def _check_mount(paths: Sequence[Path], context: DoctorContext) -> Iterator[Finding]:
    """Report the paths on a file system that takes no writes, whatever the permissions say."""
    mounted = [path for path in paths if _is_read_only(path)]
    is_wanted = read_flag("READ_ONLY", context.environ)
    for path in mounted:
        if path.parent in mounted:
            continue
        message = f"{_display_path(path, context)} is on a read-only file system"
        if is_wanted:
            yield report_skip("project.rights.closed", f"{message}, and READ_ONLY is set")
        else:
            step = "Mount it with write permission, or work with READ_ONLY=1."
            yield report_failure("project.rights.closed", message, step)


def _is_read_only(path: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _check_owner_access(paths: Iterable[Path], context: DoctorContext) -> Iterator[Finding]:
    for path in paths:
        if _read_mode(path) & _OWNER_BITS[path.is_dir()] != _OWNER_BITS[path.is_dir()]:
            shown = _display_path(path, context)
            step = f"Run `chmod u+{'rwX' if path.is_dir() else 'rw'} {shown}`."
            message = f"{shown} is not readable and writable by its owner"
            yield report_failure("project.rights.closed", message, step, fix=fix_permissions)


def _check_others_access(paths: Iterable[Path], context: DoctorContext) -> Iterator[Finding]:
    for path in paths:
        if _read_mode(path) & _OTHERS_WRITE:
            shown = _display_path(path, context)
            step = f"Run `chmod o-w {shown}`."
            yield report_warning("project.rights.open", f"{shown} is writable by everyone", step, fix=fix_permissions)


def check_trust(context: DoctorContext) -> Iterator[Finding]:
    """Report the project's own workflows and agents that are not used, because it is not trusted."""
    status, own = context.equipment.trust(), context.equipment.own_definitions()
    if status.fault is not None:
        yield report_warning("project.trust.unreadable", status.fault.message, status.fault.help)
    elif status.trusted and (unused := context.equipment.unused_definitions()):
        message = f"not used: {unused.describe_files()} of the project, {unused.reason}"
        yield report_warning("project.trust.changed", message, _TRUST_STEP)
    elif status.trusted and own:
        yield report_pass(f"used, because you trust this folder: {own.count_files()} of the project")
    elif not own:
        yield report_nothing("no project workflows or agents to trust")
    elif status.reason == "replaced":
        message = f"not used: {own.count_files()} of the project, because you trusted another folder at this path"
        yield report_warning("project.trust.replaced", message, _TRUST_STEP)
    else:
        message = f"not used: {own.count_files()} of the project, because you have not trusted this folder"
        yield report_warning("project.trust.untrusted", message, _TRUST_STEP)


def create_folder(context: DoctorContext) -> Iterator[str]:
    """Create the folder and its ignore rules; yield each change."""
    if (context.root / DATA_FOLDER / ".gitignore").exists():
        return  # another fix has created it already
    prepare_folder(context.root / DATA_FOLDER / DATABASE_NAME)
    yield f"created {DATA_FOLDER}/ with its .gitignore"


def fix_permissions(context: DoctorContext) -> Iterator[str]:
    """Grant the owner's permissions and remove others' write permission; yield changes."""
    for path in [path for path in _iter_paths(context) if not _is_foreign(path)]:
        mode = stat.S_IMODE(_read_mode(path))
        wanted = (mode | _OWNER_BITS[path.is_dir()]) & ~_OTHERS_WRITE
        if wanted != mode:
            with guard_commit():
                path.chmod(wanted)
            yield f"changed the permissions of {_display_path(path, context)} from {mode:03o} to {wanted:03o}"


def _iter_paths(context: DoctorContext) -> Iterator[Path]:
    """Yield the existing folders and database files that are not symbolic links."""
    database = database_path(context.root, context.environ)
    base = context.root / DATA_FOLDER
    if base.is_symlink():  # what is behind it is not this project's
        return
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
    # Root may change anything, and Windows has no such owner.
    return hasattr(os, "getuid") and os.getuid() not in {0, path.stat().st_uid}


def _read_mode(path: Path) -> int:
    return path.stat().st_mode


def _display_path(path: Path, context: DoctorContext) -> str:
    return path.relative_to(context.root).as_posix() if path.is_relative_to(context.root) else str(path)


def check_agents(context: DoctorContext) -> Iterator[Finding]:
    """Report each agent definition that is broken, so that workflows do not offer it."""
    # The agents of a folder that is not trusted are not read, here as in a run.
    root = context.root if context.equipment.trust().trusted else None
    found = discover_agents(root, context.person.home, is_used=context.equipment.is_used)
    for problem in found.problems:
        yield report_warning("project.agents.broken", f"{problem.path}: {problem.message}", problem.help)
    if found.agents:
        count = len(found.agents)
        yield report_pass(f"{count} agent{'' if count == 1 else 's'} can be used")
    elif not found.problems:
        yield report_nothing("neither the project nor you define an agent")


def check_commands(context: DoctorContext) -> Iterator[Finding]:
    """List what the person allows in this project, and the programs that are missing."""
    try:
        allowed = context.equipment.allowed_commands()
    except Fault as fault:
        yield report_failure("project.commands.unreadable", fault.message, fault.help)
        return
    if not allowed:
        yield report_nothing("phases may run no program here, because your config.toml allows none")
    for command in allowed:
        if command.missing:
            step = "Install it, or correct its entry in your config.toml."
            yield report_warning("project.commands.missing", command.missing, step)
        else:
            yield report_pass(f"phases may run: {command.text}")


def check_workflows(context: DoctorContext) -> Iterator[Finding]:
    """Report each workflow that has problems, and the number that have none."""
    catalog = context.equipment.catalog()
    good = []
    told: set[str] = set()
    for name in catalog.list_names():
        problems = catalog.find_problems(name)
        wrong = select_errors(problems)
        first = (wrong or problems)[0] if problems else None
        if first is None:
            good.append(name)
            continue
        if first.heading in told:
            continue  # the mistake of a workflow that this one extends
        told.add(first.heading)
        steps = [f"Run `aur workflow validate {name}` to see all of it."]
        if any(one.fix for one in problems):
            steps.append(f"Run `aur workflow validate --fix {name}` to apply the safe fixes.")
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        if wrong:
            yield report_failure("workflows.valid.wrong", f"{first.heading}{more}", *steps)
        else:
            yield report_warning("workflows.valid.doubtful", f"{first.heading}{more}", *steps)
    if good:
        yield report_pass(f"{len(good)} workflows have no problems: {', '.join(good)}")
