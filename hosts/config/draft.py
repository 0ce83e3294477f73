"""Files as they would be: several edits meet in one file, and nothing is written yet."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.hosts.formats import ConfigFileError

from .change import FileChange

if TYPE_CHECKING:
    from aurora.hosts.user_paths import UserPaths

_MAX_BYTES = 32_000_000


class Draft:
    """The files that a plan touches, each read once.

    Args:
        root: the project's folder, resolved.
        person: whose files may be touched besides.
    """

    def __init__(self, root: Path, person: UserPaths) -> None:
        self.root = root
        self.person = person
        self._before: dict[Path, bytes | None] = {}
        self._after: dict[Path, bytes | None] = {}
        self._reasons: dict[Path, list[str]] = {}

    def resolve_path(self, written: str) -> Path:
        """The file that `written` means, links followed.

        Raises:
            Broken: a link of the project leads out of it.
        """
        own = written.startswith(("~/", "{"))
        path = self.person.resolve_path(written) if own else self.root / written
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            raise ConfigFileError("this is no path") from None
        if not own and not real.is_relative_to(self.root):
            raise ConfigFileError(
                f'it is a link that leads out of the project, to "{real}"',
                help="Put a file of the project's own there, or connect your own configuration: `aur init --user`.",
            )
        return real

    def read_text(self, path: Path) -> str | None:
        """What the file would hold; None when it would not be there.

        Raises:
            Broken: it cannot be read, or not as UTF-8.
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
        """Whether the file holds a word, whatever else it holds."""
        try:
            return word.encode() in (read_file_bytes(self.resolve_path(written)) or b"")
        except ConfigFileError:
            return False

    def write(self, path: Path, text: str | None, why: str) -> None:
        """Let the file hold this, or not be there.

        Raises:
            Broken: it is no text that a file could hold, or the file is read-only: replacing it would not ask.
        """
        self.read_text(path)
        if self._before[path] is not None:
            _check_writable(path)
        try:
            self._after[path] = None if text is None else text.encode("utf-8")
        except UnicodeEncodeError:
            raise ConfigFileError("it holds half a character, which cannot be written again") from None
        self._reasons.setdefault(path, []).append(why)

    def list_changes(self) -> tuple[FileChange, ...]:
        """The files that would differ, in the order in which they were first touched."""
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
        """What a person calls it."""
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else self.person.format_path(path)
        )


def _check_writable(path: Path) -> None:
    """Let a file through that may be written.

    Raises:
        Broken: its owner has said that nobody writes it, though root could all the same; or it is somebody else's.
    """
    if not path.stat().st_mode & 0o222:
        raise ConfigFileError(
            "it is read-only", help=f'Say `chmod u+w "{path}"` if it may be changed, and say it again.'
        )
    if not os.access(path, os.W_OK):
        raise ConfigFileError(
            "it may not be written by you", help=f'Say `sudo chown "$USER" "{path}"` if it is yours, and say it again.'
        )


def read_file_bytes(path: Path) -> bytes | None:
    """What a file holds; None when there is none.

    Raises:
        Broken: it is no file, too large, or cannot be read.
    """
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            # a pipe would keep its reader waiting for ever
            raise ConfigFileError("it is not a file", help=f'Move "{path}" away; the assistant looks for a file there.')
        if facts.st_size > _MAX_BYTES:
            raise ConfigFileError(f"it is larger than {_MAX_BYTES:,} bytes")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise ConfigFileError(
            "what should be a folder on the way to it is a file", help="Move that file away."
        ) from None
    except PermissionError:
        raise ConfigFileError("it may not be read by you", help=f'Give yourself permission to read "{path}".') from None
    except OSError as error:
        raise ConfigFileError(f"it cannot be read ({error.strerror or error})") from None
