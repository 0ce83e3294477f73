"""Translation of SQLite and file system errors to faults."""

from __future__ import annotations

import contextlib
import errno
import shlex
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from aurora.errors import Code, Fault
from aurora.memory.storage.session import CorruptRowError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_LEAST_FREE_BYTES = 64 * 1024
"""Free space below which an error of the disk is taken for a full one: SQLite makes the index of the log in 32 kB."""
_UNKNOWN_ERROR_HELP = "run `aur mem check`, and `aur mem repair` if it finds damage; else please report this as a bug"
_ERROR_FAULTS: tuple[tuple[type[apsw.Error] | tuple[type[apsw.Error], ...], Code, str, str], ...] = (
    (
        (apsw.BusyError, apsw.LockedError, apsw.ProtocolError),  # the last: locks changed hands too often meanwhile
        Code.TIMEOUT,
        "is locked by another process",
        "wait for the other `aur` to finish, or stop it, then try again",
    ),
    (
        apsw.CantOpenError,
        Code.FORBIDDEN,
        "cannot be opened",
        "check that its folder exists and may be read and written, or set AURORA_DB to another file",
    ),
    (
        apsw.IOError,
        Code.UPSTREAM_ERROR,
        "cannot be read or written ({error})",
        "check the disk, or set AURORA_DB to a file on another one",
    ),
)


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate errors about the database at `path` to faults.

    Raises:
        Fault: TIMEOUT when locked, FORBIDDEN when not writable, UPSTREAM_ERROR when damaged or out of space.
    """
    try:
        yield
    except apsw.Error as error:
        raise to_fault(error, path) from error
    except CorruptRowError as error:
        raise build_damage_fault(path, str(error)) from error
    except UnicodeDecodeError as error:
        raise build_damage_fault(path, "a text in it is not UTF-8") from error
    except OSError as error:
        raise _to_file_fault(error, path) from error


def to_fault(error: apsw.Error, path: Path) -> Fault:
    """Convert a SQLite error to a fault."""
    if isinstance(error, (apsw.NotADBError, apsw.CorruptError, apsw.FormatError)) or _is_of_tables(str(error)):
        return build_damage_fault(path, str(error))
    if isinstance(error, apsw.FullError):
        return build_full_fault(path)
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)):
        return build_not_writable_fault(path)
    if isinstance(error, apsw.IOError) and _is_disk_full(path):  # the index of the log cannot be made, even to read
        return build_full_fault(path)
    unknown = (type(error), Code.INTERNAL_ERROR, "answered with {name} ({error})", _UNKNOWN_ERROR_HELP)
    _, code, message, fix = next((row for row in _ERROR_FAULTS if isinstance(error, row[0])), unknown)
    message = message.format(name=type(error).__name__, error=error)
    return Fault(code, f'the memory "{path}" {message}', help=fix, details={"path": str(path)})


def _is_disk_full(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(path.parent).free < _LEAST_FREE_BYTES
    return False


def _is_of_tables(message: str) -> bool:
    """Return True for an error that only tables other than Aurora's cause."""
    return "malformed JSON" in message or message.startswith(
        ("no such table", "no such column", "no such function", "view ")
    )


class DamagedDatabase(Fault):
    """Fault of a damaged database; `why` describes the damage."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            Code.UPSTREAM_ERROR,
            f'the memory "{path}" is damaged or not a database ({why})',
            help="run `aur mem repair`: it moves the file away, takes facts, patterns and runs from it and from the "
            "newest backup, and indexes the code again",
            details={"path": str(path)},
        )
        self.why = why


class ChangedDatabase(Fault):
    """Fault of a database that was changed while it was read without locks; another attempt may succeed."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            Code.CONFLICT,
            f'another process changed the memory "{path}" while it was read',
            help="try again",
            details={"path": str(path)},
        )


def build_damage_fault(path: Path, why: str) -> DamagedDatabase:
    """Create the fault of a damaged memory."""
    return DamagedDatabase(path, why)


def build_foreign_fault(path: Path) -> Fault:
    """Create the fault of a database that another program made."""
    return Fault(
        Code.CONFLICT,
        f'the memory "{path}" is a database of another program',
        help="set AURORA_DB to another file, or move this one away",
        details={"path": str(path)},
    )


def build_unowned_fault(path: Path) -> Fault:
    """Create the fault of a database that this account did not make, or of a file next to one."""
    return Fault(
        Code.FORBIDDEN,
        f'"{path}" was not made by this account, and is not opened',
        help=f"`{format_adopt(path)}` takes over its facts and patterns",
        details={"path": str(path)},
    )


def build_in_use_fault(path: Path) -> Fault:
    """Create the fault of a database that another account has open at this moment."""
    return Fault(
        Code.CONFLICT,
        f'another account of this folder uses the memory "{path}" at this moment',
        help="try again when its server has ended, or set AURORA_DB to a file of your own; nothing was changed",
        details={"path": str(path)},
    )


def format_adopt(path: Path) -> str:
    """Return the command that takes over the facts and patterns of a database."""
    return f"aur mem adopt {shlex.quote(str(path))}"


def build_not_writable_fault(path: Path) -> Fault:
    """Create the fault of a file or folder without write permission."""
    return Fault(
        Code.FORBIDDEN,
        f'the memory "{path}" is read-only',
        help="make the file and its folder writable, or set AURORA_DB to another file; searching works without that",
        details={"path": str(path)},
    )


def build_full_fault(path: Path) -> Fault:
    """Create the fault of a full disk."""
    return Fault(
        Code.UPSTREAM_ERROR,
        f'the memory "{path}" has no free disk space',
        help="free some space and try again; `--read-only` reads what is there",
        details={"path": str(path)},
    )


def build_read_only_fault(path: Path) -> Fault:
    """Create the fault of a write through a read-only memory."""
    return Fault(
        Code.FORBIDDEN,
        f'the memory "{path}" was opened read-only, and this would change it',
        help="run without READ_ONLY=1 and without --read-only",
        details={"path": str(path)},
    )


def build_log_fault(path: Path) -> Fault:
    """Create the fault of a log that another program removed or truncated while it was open."""
    return Fault(
        Code.UPSTREAM_ERROR,
        f'another program removed or truncated the log of the memory "{path}" while it was open',
        help="the changes written last may be lost: run `aur mem check`; the next call opens the memory again",
        details={"path": str(path)},
    )


def build_index_fault(path: Path) -> Fault:
    """Create the fault of an index of the log that another program truncated while it was open."""
    return Fault(
        Code.UPSTREAM_ERROR,
        f'another program truncated "{path.name}-shm", which belongs to the open memory "{path}"',
        help="try again: the next call builds it again from the log; nothing is lost",
        details={"path": str(path)},
    )


def build_truncated_fault(path: Path) -> Fault:
    """Create the fault of a database that another program truncated while it was open."""
    return Fault(
        Code.UPSTREAM_ERROR,
        f'another program truncated the memory "{path}" while it was open',
        help="`aur mem repair` takes what can be read and the newest backup, `aur mem restore` restores a backup",
        details={"path": str(path)},
    )


def build_replaced_fault(path: Path) -> Fault:
    """Create the fault of a database that was moved or replaced during a transaction."""
    return Fault(
        Code.CONFLICT,
        f'the memory "{path}" was moved or replaced during the call; nothing was written',
        help="try again: the next call opens the new file",
        details={"path": str(path)},
    )


def _to_file_fault(error: OSError, path: Path) -> Fault:
    if error.errno == errno.ENOSPC:
        return build_full_fault(path)
    if isinstance(error, PermissionError) or error.errno in {1, 13, 30}:  # EPERM, EACCES, EROFS
        return build_not_writable_fault(path)
    return Fault(
        Code.UPSTREAM_ERROR,
        f'the memory "{path}" cannot be created or read ({error.strerror or error})',
        help=f'check "{path.parent}", or set AURORA_DB to another file',
        details={"path": str(path)},
    )
