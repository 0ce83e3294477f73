"""Files as they would be: several edits meet in one file, and nothing is written yet."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.hosts.formats.errors import Broken

from .change import Change

if TYPE_CHECKING:
    from aurora.hosts.user_paths import Person

_LARGEST = 32_000_000


class Draft:
    """The files that a plan touches, each read once.

    Args:
        root: the project's folder, resolved.
        person: whose files may be touched besides.
    """

    def __init__(self, root: Path, person: Person) -> None:
        self.root = root
        self.person = person
        self._before: dict[Path, bytes | None] = {}
        self._after: dict[Path, bytes | None] = {}
        self._why: dict[Path, list[str]] = {}

    def place(self, written: str) -> Path:
        """The file that `written` means, links followed.

        Raises:
            Broken: a link of the project leads out of it.
        """
        own = written.startswith(("~/", "{"))
        path = self.person.place(written) if own else self.root / written
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            raise Broken("this is no path") from None
        if not own and not real.is_relative_to(self.root):
            raise Broken(
                f'it is a link that leads out of the project, to "{real}"',
                help="Put a file of the project's own there, or connect your own configuration: `aur init --user`.",
            )
        return real

    def text(self, path: Path) -> str | None:
        """What the file would hold; None when it would not be there.

        Raises:
            Broken: it cannot be read, or not as UTF-8.
        """
        if path not in self._before:
            self._before[path] = self._after[path] = held(path)
        data = self._after[path]
        if data is None:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise Broken("it is not UTF-8", line, error.start - data.rfind(b"\n", 0, error.start)) from None

    def mentions(self, written: str, word: str) -> bool:
        """Whether the file holds a word, whatever else it holds."""
        try:
            return word.encode() in (held(self.place(written)) or b"")
        except Broken:
            return False

    def write(self, path: Path, text: str | None, why: str) -> None:
        """Let the file hold this, or not be there.

        Raises:
            Broken: it is no text that a file could hold, or the file is read-only: replacing it would not ask.
        """
        self.text(path)
        if self._before[path] is not None:
            _open(path)
        try:
            self._after[path] = None if text is None else text.encode("utf-8")
        except UnicodeEncodeError:
            raise Broken("it holds half a character, which cannot be written again") from None
        self._why.setdefault(path, []).append(why)

    def changes(self) -> tuple[Change, ...]:
        """The files that would differ, in the order in which they were first touched."""
        return tuple(
            Change(path, self.shown(path), before, self._after[path], tuple(dict.fromkeys(self._why.get(path, ()))))
            for path, before in self._before.items()
            if self._after[path] != before
        )

    def shown(self, path: Path) -> str:
        """What a person calls it."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else self.person.shown(path)


def _open(path: Path) -> None:
    """Let a file through that may be written.

    Raises:
        Broken: its owner has said that nobody writes it, though root could all the same; or it is somebody else's.
    """
    if not path.stat().st_mode & 0o222:
        raise Broken("it is read-only", help=f'Say `chmod u+w "{path}"` if it may be changed, and say it again.')
    if not os.access(path, os.W_OK):
        raise Broken(
            "it may not be written by you", help=f'Say `sudo chown "$USER" "{path}"` if it is yours, and say it again.'
        )


def held(path: Path) -> bytes | None:
    """What a file holds; None when there is none.

    Raises:
        Broken: it is no file, too large, or cannot be read.
    """
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            # a pipe would keep its reader waiting for ever
            raise Broken("it is not a file", help=f'Move "{path}" away; the assistant looks for a file there.')
        if facts.st_size > _LARGEST:
            raise Broken(f"it is larger than {_LARGEST:,} bytes")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise Broken("what should be a folder on the way to it is a file", help="Move that file away.") from None
    except PermissionError:
        raise Broken("it may not be read by you", help=f'Give yourself permission to read "{path}".') from None
    except OSError as error:
        raise Broken(f"it cannot be read ({error.strerror or error})") from None
