"""Private state of an account: where its files are, and readers that refuse what others can write."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from aurora.errors import Code, Fault, ignore_changes
from aurora.system.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

STATE_FILE = "trusted-folders.json"
CONFIG_FILE = "config.toml"
CHECKED_FOLDER = "checked-workflows"
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
MAX_LIST_BYTES = 16_000_000
"""Size limit of a list; a trusted folder has some 300 bytes, and 120 more for each file that was shown."""
_MISSING = (0, 0, 0)
MAX_ENTRIES = 20
"""Entries of a cache without another limit."""
MAX_ENTRY_BYTES = 8_000_000
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_SUFFIX = ".json"
EntryT = TypeVar("EntryT")
_DIGEST_BYTES = hashlib.sha256().digest_size


def find_home(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the user's home folder, absolute; None for an account without one."""
    named = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")  # noqa: PTH111 - never raises
    return None if named.startswith("~") else Path(named).absolute()


def find_state_file(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the path of the list of trusted folders; None without a home folder.

    It is in the folder `aurora` of XDG_STATE_HOME, or of `~/.local/state`; on Windows of LOCALAPPDATA; on macOS of
    `~/Library/Application Support`. A relative XDG_STATE_HOME is ignored, as the XDG standard says.

    Args:
        environ: the environment variables.
        platform: a value of `sys.platform`.
    """
    home = find_home(environ)
    variable = "LOCALAPPDATA" if platform == "win32" else "XDG_STATE_HOME"
    configured = Path(environ.get(variable) or ".")
    if configured.is_absolute() and platform != "darwin":
        return configured / "aurora" / STATE_FILE
    if home is None:
        return None
    defaults = {"win32": home / "AppData" / "Local", "darwin": home / "Library" / "Application Support"}
    return defaults.get(platform, home / ".local" / "state") / "aurora" / STATE_FILE


def find_cache_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the folder of the checked workflows; None without a home folder.

    Args:
        environ: the environment variables.
        platform: a value of `sys.platform`.
    """
    file = find_state_file(environ, platform)
    return file.with_name(CHECKED_FOLDER) if file is not None else None


def find_config_file(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the path of the user's configuration; None without a home folder.

    It is in the folder `aurora` of XDG_CONFIG_HOME, or of `~/.config`; on Windows of APPDATA. A relative
    XDG_CONFIG_HOME is ignored, as the XDG standard says.

    Args:
        environ: the environment variables.
        platform: a value of `sys.platform`.
    """
    home = find_home(environ)
    configured = Path(environ.get("APPDATA" if platform == "win32" else "XDG_CONFIG_HOME") or ".")
    if configured.is_absolute():
        return configured / "aurora" / CONFIG_FILE
    if home is None:
        return None
    return (home / "AppData" / "Roaming" if platform == "win32" else home / ".config") / "aurora" / CONFIG_FILE


class PrivateFileError(Exception):
    """A file that anyone else could have written, or that is no file of a reasonable size.

    Attributes:
        what: the end of a sentence about the file.
        remedy: what to do; empty to delete the file.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


# On a shared machine, a state folder in /tmp or on a share may belong to somebody else: a list that others can write
# would let them trust a folder in the name of this person.
def read_private_file(path: Path, max_bytes: int) -> bytes:
    """Read a file that only this user or the system's administrator can have written.

    Args:
        path: the file; a link is followed.
        max_bytes: its size limit in bytes, in whole megabytes.

    Raises:
        OSError: it cannot be read.
        PrivateFileError: it is no private file of this user.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe must not block
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            raise PrivateFileError(f"is not a file of at most {max_bytes // 1_000_000} MB")
        if os.name == "posix" and status.st_uid not in {0, os.geteuid()}:
            raise PrivateFileError("belongs to another user")
        if os.name == "posix" and status.st_mode & _OTHERS_WRITE:
            raise PrivateFileError("can be written by others", f'Check it, then run `chmod 600 "{path}"`.')
        return file.read(max_bytes + 1)


@contextlib.contextmanager
def lock_exclusively(path: Path, *, waits: bool = True) -> Iterator[int]:
    """Lock an empty file, which stays; wait while another process has it, for milliseconds.

    Args:
        path: the file, which is created where it is missing.
        waits: False to raise at once where another process has the lock.

    Yields:
        The handle of the locked file, which may have been deleted meanwhile.

    Raises:
        OSError: the file cannot be created or locked; BlockingIOError (on Windows PermissionError) while another
            process has the lock.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
    try:
        _acquire_lock(handle, waits=waits)
        yield handle
    finally:
        os.close(handle)  # releases the lock, as the end of the process does


def _acquire_lock(handle: int, *, waits: bool) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only Windows has it

        msvcrt.locking(handle, msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - Windows lacks it

        fcntl.flock(handle, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)


class PrivateList(ABC, Generic[EntryT]):
    """List in a file that only this user can have written, and that several processes read and change.

    A list names the key of the entries in the file, the version of its format, and the words of its faults: the name,
    what a file that cannot be read means, and the remedies for such a file and for one that cannot be written.

    Args:
        path: its file, which need not exist.
    """

    key: ClassVar[str]
    version: ClassVar[int]
    name: ClassVar[str]
    effect: ClassVar[str]
    remedy: ClassVar[str]
    write_remedy: ClassVar[str]

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp = _MISSING
        self._entries: tuple[EntryT, ...] = ()
        self._fault: Fault | None = None

    @abstractmethod
    def parse_entry(self, value: Any) -> EntryT:
        """Return the entry of a JSON object; a ValueError, TypeError or LookupError tells that it is none."""

    @abstractmethod
    def format_entry(self, entry: EntryT) -> dict[str, Any]:
        """Return the JSON object of an entry."""

    def read(self) -> tuple[EntryT, ...]:
        """Return the entries; from the file only when it has changed.

        Raises:
            Fault: FORBIDDEN or UPSTREAM_ERROR when the file cannot be read, is damaged, or anyone else could have
                written it.
        """
        stamp = self.stamp_file()
        if self._stamp != stamp:
            self._entries, self._fault = (), None
            try:
                self._entries = self._load() if stamp != _MISSING else ()
            except Fault as fault:
                self._fault = fault
            self._stamp = stamp
        if self._fault is not None:
            raise self._fault.with_traceback(None)  # each raise would add to it
        return self._entries

    def stamp_file(self) -> tuple[int, int, int]:
        """Return a stamp that changes whenever the file changes."""
        try:
            status = os.stat(self.path)  # noqa: PTH116 - each step of a run looks, and Path's takes twice as long
        except (FileNotFoundError, NotADirectoryError):
            return _MISSING
        except OSError as error:
            # An error is a stamp, too: the fault is told again, and is gone as soon as the file can be read.
            return 0, 0, error.errno or -1
        # A `chmod` changes only `ctime`, and decides whether the list is believed.
        return status.st_ino, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size

    def change(self, change: Callable[[tuple[EntryT, ...]], tuple[EntryT, ...]]) -> None:
        """Read the newest list, change it and write it, while no other process does.

        Raises:
            Fault: the list cannot be read or written; it is unchanged.
        """
        try:
            self.path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            # Not the list itself: it is replaced by a rename, and the lock would stay with the former file.
            with lock_exclusively(self.path.with_suffix(".lock")):
                before = self.read()
                after = change(before)
                if after != before:
                    self._write(after)
        except OSError as error:
            message = f'{self.name} "{self.path}" cannot be written ({error.strerror or error})'
            raise Fault(Code.FORBIDDEN, message, help=self.write_remedy) from None

    def _write(self, entries: tuple[EntryT, ...]) -> None:
        document = {"version": self.version, self.key: [self.format_entry(entry) for entry in entries]}
        # A folder whose name is no UTF-8 can be trusted, too.
        data = json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogateescape")
        if len(data) > MAX_LIST_BYTES:  # it could not be read again
            raise OSError(None, "it is full; remove what you no longer need")
        write_atomically(self.path, data, PRIVATE_FILE)

    def _load(self) -> tuple[EntryT, ...]:
        try:
            data = read_private_file(self.path, MAX_LIST_BYTES)
        except FileNotFoundError:
            return ()
        except PrivateFileError as error:
            raise self._make_fault(error.what, error.remedy) from None
        except OSError as error:
            what = f"cannot be read ({error.strerror or error})"
            raise self._make_fault(what, "Give yourself read permission for it.", Code.FORBIDDEN) from None
        try:
            document = json.loads(data.decode("utf-8", "surrogateescape"))
            version, listed = document["version"], document[self.key]
            entries = tuple(self.parse_entry(value) for value in listed) if version == self.version else ()
        except (ValueError, TypeError, LookupError, RecursionError):
            raise self._make_fault("is damaged") from None
        # Left alone, not replaced: the other version may be the newer one, and still in use.
        if version != self.version:
            raise self._make_fault("was written by another version of Aurora", "Use that version, or delete the file.")
        return entries

    def _make_fault(self, what: str, remedy: str = "", code: Code = Code.UPSTREAM_ERROR) -> Fault:
        message = f'{self.name} "{self.path}" {what}; {self.effect}'
        return Fault(code, message, help=remedy or self.remedy)


class PrivateCache:
    """Cache of byte strings by key. What cannot be read or written is ignored: it is made again.

    Args:
        folder: the folder of the entries, which is created when the first one is written.
        most: the number of entries that are kept, the last written ones.
        keeps: False in a process that must not write: entries of others are read.
    """

    def __init__(self, folder: Path, most: int = MAX_ENTRIES, *, keeps: bool = True) -> None:
        self._folder = folder
        self._most = most
        self._keeps = keeps

    def read(self, key: str) -> bytes | None:
        """Return the entry of a key; None without a whole one that only this user can have written."""
        try:
            data = read_private_file(self._find_path(key), MAX_ENTRY_BYTES + _DIGEST_BYTES)
        except (OSError, PrivateFileError):
            return None
        digest, entry = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        return entry if digest == _hash(key, entry) else None

    def write(self, key: str, entry: bytes) -> None:
        """Keep an entry, instead of the oldest one when there are many; a call does not report it as a change."""
        if len(entry) > MAX_ENTRY_BYTES or not self._keeps:
            return
        with contextlib.suppress(OSError), ignore_changes():
            self._folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            write_atomically(self._find_path(key), _hash(key, entry) + entry, PRIVATE_FILE)
            self._remove_oldest()

    def _find_path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}{_SUFFIX}"

    def _remove_oldest(self) -> None:
        with os.scandir(self._folder) as entries:
            own = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(_SUFFIX)]
        for _, path in sorted(own, reverse=True)[self._most :]:
            with contextlib.suppress(OSError):  # another process deleted it first
                os.unlink(path)  # noqa: PTH108 - the path is a string already


def _hash(key: str, entry: bytes) -> bytes:
    """Hash an entry with its key, to detect a file that was cut, damaged or renamed."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass") + b"\0" + entry).digest()
