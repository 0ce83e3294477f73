"""Drafts of configuration files: edits in memory, nothing written yet."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults.paths import is_linked_elsewhere
from aurora.hosts.formats import ConfigFileError

from .backups import MAX_CONFIG_BYTES
from .change import FileChange

if TYPE_CHECKING:
    from aurora.hosts.user_paths import UserPaths


class Draft:
    """Files that a plan touches, each read once.

    Args:
        root: the project's folder, resolved.
        person: the user's paths, whose files may change too.
    """

    def __init__(self, root: Path, person: UserPaths) -> None:
        self.root = root
        self.person = person
        self._before: dict[Path, bytes | None] = {}
        self._after: dict[Path, bytes | None] = {}
        self._reasons: dict[Path, list[str]] = {}

    def resolve_path(self, written: str) -> Path:
        """Resolve a host's path notation to a real path, following links.

        Raises:
            ConfigFileError: a link, or a hard link, leads out of the project.
        """
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

    def list_changes(self) -> tuple[FileChange, ...]:
        """Return the files that differ, in the order of the first edit."""
        return tuple(
            FileChange(
                path,
                self.format_path(path),
                before,
                self._after[path],
                tuple(dict.fromkeys(self._reasons.get(path, ()))),
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
