"""Files of the hosts: read, drafted in memory, backed up, and written atomically."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.errors import Fault, guard_commit
from aurora.system.files import choose_write_remedy, remove_old_partials, write_atomically
from aurora.system.paths.read import is_linked_elsewhere, read_plain
from aurora.system.paths.resolve import is_inside
from aurora.system.paths.write import remove_inside, write_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from .host import ExtraKind, FileFormat, Host
    from .person import UserPaths


class ConfigFileError(Exception):
    """Error that the configuration file readers raise.

    Args:
        message: the problem in a few words.
        line: from 1; 0 if the position is unknown.
        column: from 1.
        help: the fix, if it is not to correct the file.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0, help: str = "") -> None:  # noqa: A002 - as in a fault
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.help = help

    @classmethod
    def from_offset(cls, message: str, text: str, offset: int) -> ConfigFileError:
        """Create an error located at an offset in the text."""
        return cls(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


@dataclass(frozen=True, slots=True)
class FileChange:
    """Content of one file before and after the change; None if absent.

    Attributes:
        path: the real path, links followed.
        display_path: the path relative to the project, or as `~/…`.
        reasons: why it changes, one per host.
        is_undo: it removes what Aurora wrote.
    """

    path: Path
    display_path: str
    before: bytes | None
    after: bytes | None
    reasons: tuple[str, ...]
    is_undo: bool = False

    @property
    def action(self) -> str:
        """Return `create`, `edit` or `delete`."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "edit"

    def to_diff(self) -> str:
        """Return the change as a unified diff."""
        before, after = (_split_lines(data) for data in (self.before, self.after))
        old = self.display_path if self.before is not None else "/dev/null"
        new = self.display_path if self.after is not None else "/dev/null"
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(before, after, old, new, n=2)
        )


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Problem that blocks a change, with its fix.

    `where` is `path`, `path:line:column`, or empty.
    """

    host: str
    where: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """Planned changes of files.

    Attributes:
        changes: in the order of writing.
        problems: what blocks other changes.
        unchanged: files that are already up to date.
        shared: on removal, files that stay, and the titles of the hosts that still read them.
    """

    changes: tuple[FileChange, ...]
    problems: tuple[ConfigProblem, ...]
    unchanged: tuple[str, ...] = ()
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


class Piece(NamedTuple):
    """Piece of a file that is Aurora's, and the edit that puts it there or drops it.

    Attributes:
        file: as `Draft.resolve_path` reads it.
        edit: from the text, or None without a file, to the new one; the same for nothing to do, None for no file.
        why: the reason for the change.
        form: the format of a file with settings; None for a text.
        fresh: what a new file has besides.
    """

    file: str
    edit: Callable[[str | None], str | None]
    why: str
    form: FileFormat | None = None
    fresh: Mapping[str, Any] = MappingProxyType({})


def _split_lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)


class Draft:
    """Files that a plan touches, each read once.

    Args:
        root: the project's folder, resolved.
        person: the user's paths, whose files may change too.
        is_undo: the plan removes what Aurora wrote.
    """

    def __init__(self, root: Path, person: UserPaths, *, is_undo: bool = False) -> None:
        self.root = root
        self.person = person
        self._is_undo = is_undo
        self._before: dict[Path, bytes | None] = {}
        self._after: dict[Path, bytes | None] = {}
        self._reasons: dict[Path, list[str]] = {}

    def resolve_path(self, written: str) -> Path:
        """Resolve a host's path notation to a real path, following links.

        Raises:
            ConfigFileError: a link, or a hard link, leads out of the project.
        """
        # Only what a clone can bring is held inside the project; links in the home folder are the person's own.
        own = written.startswith(("~/", "{"))
        path = self.person.resolve_path(written) if own else self.root / written
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            raise ConfigFileError("this is not a path") from None
        if not own and not real.is_relative_to(self.root):
            raise ConfigFileError(
                f'it is a link that leads out of the project, to "{real}"',
                help="Replace the link by a file, or connect your user configuration: `aur init --user`.",
            )
        if not own and is_linked_elsewhere(real, self.root):
            raise ConfigFileError(
                "it is a hard link to a file outside of the project",
                help=f'Replace it by a copy: `cp "{real}" "{real}.copy" && mv "{real}.copy" "{real}"`.',
            )
        return real

    def read_text(self, path: Path) -> str | None:
        """Return the draft text of the file; None if the draft has no file.

        Raises:
            ConfigFileError: it cannot be read, or not as UTF-8.
        """
        # Each file is read once, so that all pieces of a plan, and the check before the write, speak of one content.
        if path not in self._before:
            self._before[path] = self._after[path] = read_file_bytes(path)
        data = self._after[path]
        if data is None:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ConfigFileError("it is not UTF-8", line, error.start - data.rfind(b"\n", 0, error.start)) from None

    def has_text(self, written: str, word: str) -> bool:
        """Check whether the file contains a word, valid or not."""
        try:
            return word.encode() in (read_file_bytes(self.resolve_path(written)) or b"")
        except ConfigFileError:
            return False

    def apply(self, piece: Piece) -> str:
        """Apply the edit of a piece; return the name of a file that stays as it is, else an empty text.

        Raises:
            ConfigFileError: the file is invalid or not Aurora's, or cannot be read or written.
        """
        path = self.resolve_path(piece.file)
        text = self.read_text(path)
        result = piece.edit(text)
        if result == text:
            return "" if text is None else self.format_path(path)
        self.write(path, result, piece.why)
        return ""

    def write(self, path: Path, text: str | None, why: str) -> None:
        """Set the draft text of the file; None deletes the file.

        Raises:
            ConfigFileError: the text cannot be encoded, or the file is read-only, which a replacement would ignore.
        """
        self.read_text(path)
        if self._before[path] is not None:
            _check_writable(path)
        try:
            self._after[path] = None if text is None else text.encode("utf-8")
        except UnicodeEncodeError:
            raise ConfigFileError("it contains a lone surrogate, which cannot be written") from None
        self._reasons.setdefault(path, []).append(why)

    def replace(self, path: Path, text: str | None) -> None:
        """Set another draft text of a file that the draft changes; leave any other."""
        if path in self._reasons:
            # A restored file has its bytes back, whatever they were.
            self._after[path] = None if text is None else text.encode("utf-8", "surrogateescape")

    def list_changes(self) -> tuple[FileChange, ...]:
        """Return the files that differ, in the order of the first edit."""
        return tuple(
            FileChange(
                path,
                self.format_path(path),
                before,
                self._after[path],
                tuple(dict.fromkeys(self._reasons.get(path, ()))),
                self._is_undo,
            )
            for path, before in self._before.items()
            if self._after[path] != before
        )

    def format_path(self, path: Path) -> str:
        """Return the path relative to the project, or as `~/…`."""
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else self.person.format_path(path)
        )


def _check_writable(path: Path) -> None:
    """Raise an error for a file that the user may not write.

    Raises:
        ConfigFileError: the file has no write permission (root could write it anyway), or belongs to another user.
    """
    if not path.stat().st_mode & 0o222:
        raise ConfigFileError(
            "it is read-only", help=f'Run `chmod u+w "{path}"` if it may be changed, and run the command again.'
        )
    if not os.access(path, os.W_OK):
        raise ConfigFileError(
            "you have no permission to write it",
            help=f'Run `sudo chown "$USER" "{path}"` if it is yours, and run the command again.',
        )


def read_file_bytes(path: Path) -> bytes | None:
    """Read the file's bytes; None if there is no file.

    Raises:
        ConfigFileError: it is not a regular file, too large, or unreadable.
    """
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            # a pipe would block the reader
            raise ConfigFileError(
                "it is not a regular file", help=f'Move "{path}" away; the assistant expects a file there.'
            )
        if facts.st_size > MAX_CONFIG_BYTES:
            raise ConfigFileError(f"it is larger than {MAX_CONFIG_BYTES:,} bytes")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise ConfigFileError("one of its parent folders is a file", help="Move that file away.") from None
    except PermissionError:
        raise ConfigFileError(
            "you have no permission to read it", help=f'Change the permissions of "{path}" so that you can read it.'
        ) from None
    except OSError as error:
        raise ConfigFileError(f"it cannot be read ({error.strerror or error})") from None


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
            # One file that cannot be written leaves the others to be written.
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
    # Between plan and write a person reads the plan, and may edit the file.
    if now != change.before:
        raise ConfigFileError("it changed since the plan was made")
    is_own = change.path.parent == root / _DATA_FOLDER
    if change.before is not None and change.after is not None and not is_own:  # a deleted file has Aurora's text only
        _save_backup(change, change.before, change.after, root, person)
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
    # Only folders that Aurora made: one that was empty before is the person's.
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


_DATA_FOLDER = ".aurora"
BACKUP_FOLDER = f"{_DATA_FOLDER}/backups/hosts"
_CREATED_FOLDERS = "folders"
_LEFT_OUT = "left-out"
MAX_CONFIG_BYTES = 32_000_000
"""Size limit of a configuration file in bytes."""
_PRIVATE_MODE = 0o600
"""A user's configuration may contain API keys."""


def _save_backup(change: FileChange, before: bytes, after: bytes, root: Path, person: UserPaths) -> None:
    """Copy a file's content to the backups, by the digest of what Aurora makes of it.

    A removal's copy has another name: what a removal leaves is the person's file, and has nothing to go back to.

    Raises:
        OSError: when it cannot be written.
        Fault: FORBIDDEN when the folder of the backups is a link out of the project.
    """
    removed = f"{_get_backup_path(change.path, root, person)}.{_digest(before)}.removed"
    copy = removed if change.is_undo else _name_original(change.path, after, root, person)
    write_inside(root, copy, before, _PRIVATE_MODE)


def read_original(path: Path, root: Path, person: UserPaths) -> str | None:
    """Read what a file was before Aurora wrote all that it is now; None if somebody has changed it since."""
    original: bytes | None = None
    now = read_file_bytes(path)
    seen = set[str]()  # two edits may have made each other's content
    # A file may have been changed by several versions of Aurora, so the copies are followed back to the first.
    while now is not None and (copy := _name_original(path, now, root, person)) not in seen:
        seen.add(copy)
        now = read_plain(root / copy, MAX_CONFIG_BYTES)
        original = now if now is not None else original
    return None if original is None else original.decode("utf-8", "surrogateescape")


def _name_original(path: Path, after: bytes, root: Path, person: UserPaths) -> str:
    return f"{_get_backup_path(path, root, person)}.before.{_digest(after)}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def record_folder(folder: Path, root: Path) -> None:
    """Record a folder that Aurora creates, so that removal can delete it.

    Raises:
        OSError: when that cannot be written.
        Fault: FORBIDDEN when the folder of the backups is a link out of the project.
    """
    folders = {*read_created_folders(root), folder}
    names = sorted((path.relative_to(root) if path.is_relative_to(root) else path).as_posix() for path in folders)
    write_inside(
        root,
        f"{BACKUP_FOLDER}/{_CREATED_FOLDERS}",
        "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"),
    )


def read_created_folders(root: Path) -> frozenset[Path]:
    """Read the list of folders that Aurora created."""
    data = read_plain(root / BACKUP_FOLDER / _CREATED_FOLDERS, MAX_CONFIG_BYTES) or b""
    noted = data.decode("utf-8", "surrogateescape")
    return frozenset(root / name for name in noted.split("\n") if name)


def record_left_out(kinds: Collection[ExtraKind], root: Path) -> None:
    """Record the kinds of additional files that the person does not want.

    The doctor does not miss them then.

    Raises:
        OSError: when that cannot be written.
        Fault: FORBIDDEN when the folder of the backups is a link out of the project.
    """
    if frozenset(kinds) != read_left_out(root):
        text = "".join(f"{kind}\n" for kind in sorted(kinds))
        write_inside(root, f"{BACKUP_FOLDER}/{_LEFT_OUT}", text.encode("utf-8"))


def read_left_out(root: Path) -> frozenset[ExtraKind]:
    """Read the kinds of additional files that the person does not want."""
    data = read_plain(root / BACKUP_FOLDER / _LEFT_OUT, MAX_CONFIG_BYTES) or b""
    kinds: tuple[ExtraKind, ...] = ("command", "skill", "note")
    return frozenset(kind for kind in kinds if kind.encode() in data.split())


def _get_backup_path(path: Path, root: Path, person: UserPaths) -> str:
    """Return the start of the path of a file's backups, from the project's folder."""
    if path.is_relative_to(root):
        return f"{BACKUP_FOLDER}/project/{path.relative_to(root).as_posix()}"
    if path.is_relative_to(person.home):
        return f"{BACKUP_FOLDER}/person/{path.relative_to(person.home).as_posix()}"
    # XDG_CONFIG_HOME and APPDATA may lead out of the home folder.
    return f"{BACKUP_FOLDER}/elsewhere/{_digest(str(path.parent).encode('utf-8', 'surrogateescape'))}/{path.name}"


def remove_leftovers(root: Path, hosts: Iterable[Host]) -> None:
    """Delete what killed processes left next to the files of these hosts in a project."""
    names = [name for host in hosts for name in _list_files(host) if not name.startswith("~/")]
    for folder in {(root / name).parent for name in names}:
        # A clone's link must not make this delete files elsewhere.
        if not folder.is_symlink() and is_inside(root, folder):
            remove_old_partials(folder)


def _list_files(host: Host) -> list[str]:
    allowance = [host.allowance.path] if host.allowance is not None else []
    hooks = [host.hooks.path] if host.hooks is not None else []
    return [*host.project, *hooks, *(extra.path for extra in host.extras), *allowance]
