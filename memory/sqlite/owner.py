"""Ownership of a database, decided before SQLite opens its files.

A clone can bring a database with the files that SQLite keeps next to it, and SQLite acts on what they say. So a new
database gets a mark in its header, which only the key of this account can sign. A copy has the mark too, and each page
of the header that SQLite writes keeps it. A file whose header is damaged is known by its inode number and creation
time, which the person's state folder has and which no clone can bring.
"""

from __future__ import annotations

import contextlib
import glob
import os
import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import apsw

from aurora import trust
from aurora.errors import Code, Fault, guard_commit, ignore_changes, show_hidden_line
from aurora.memory.files import COMPANION_SUFFIXES, DATA_FOLDER, refuse_foreign_link
from aurora.memory.sqlite.errors import build_foreign_fault, build_in_use_fault, build_unowned_fault, format_adopt
from aurora.system.files import sync_folder

from .header import APPLICATION_ID, HEADER_BYTES, MAGIC, OWNER_MARK, read_header

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FOREIGN = "foreign"
"""Word in the names of files that were moved aside, `memory.db.foreign-20260131-091500`."""
_SCRATCH = ".partial"
"""Ending of files that this process alone makes, with a name that nobody can guess."""
_NONCE_BYTES = 8
_MARK_BYTES = OWNER_MARK.stop - OWNER_MARK.start
_STAMPS, _LOCK = "memories", "memories.lock"
"""Folder in the person's state folder with a stamp of each database, and the lock of its files' names."""
_MAX_STAMPS = 2_000
"""Stamps that are kept, the last ones; a database without one is known by its mark."""
_TOLD: set[Path] = set()
"""Databases of which this process has said that it does not open them."""
_SHARED_LOCK_START, _SHARED_LOCK_BYTES = 0x40000002, 510
"""Bytes of a database that each of its users has locked."""


def write_mark(staged: Path, database: Path) -> None:
    """Mark a new database, which is closed, as one of this account.

    SQLite puts zeros at this place of a header, keeps what it finds there, and reads none of it.

    Args:
        staged: the file.
        database: the name that it will have.

    Raises:
        Fault: FORBIDDEN for an account whose state folder keeps no key.
        OSError: the file cannot be written.
    """
    nonce = os.urandom(_NONCE_BYTES)
    signature = _sign(nonce)
    if not signature:
        raise _build_keyless_fault(database, f'the memory "{database}" cannot be made')
    with staged.open("rb+") as file:
        file.seek(OWNER_MARK.start)
        file.write(nonce + signature)


def find_foreign_files(database: Path) -> Sequence[Path]:
    """Find which files of a database this account did not make: all, those next to it, or none.

    A rollback journal is foreign: Aurora makes none under a database's final name. So is a file that git tracks, for
    git overwrites an ignored file of the same name without a word; the database itself may be tracked while it is
    the very file that was made here. In a folder that is not Aurora's, a file that is no memory is nobody's business.

    Args:
        database: the file, which may be missing.

    Raises:
        Fault: CONFLICT for another program's database, FORBIDDEN when no key of this account tells whose it is.
    """
    if database.suffix == _SCRATCH:
        return ()
    try:
        return _find_foreign(database)
    except apsw.CantOpenError:  # another process moved it meanwhile
        if database.exists():
            raise
        return ()


def _find_foreign(database: Path) -> Sequence[Path]:
    companions = [place for place in _list_companions(database) if _measure(place)]  # before the database: it is older
    size = _measure(database)
    if size and not _is_own(database):
        return _refuse_others(database, [database, *companions])
    if not companions or (not size and database.exists() and _is_stamped(database)):
        return ()
    if not size:
        return companions
    return _list_brought(database, companions)


def _list_brought(database: Path, companions: Sequence[Path]) -> list[Path]:
    """List the files next to a database that belong to no database of Aurora's."""
    tracked = _list_tracked(database, [place.name for place in companions])
    return [place for place in companions if place.name.endswith("-journal") or place.name in tracked]


def _refuse_others(database: Path, files: Sequence[Path]) -> Sequence[Path]:
    """Return the files of a memory; of other files outside of Aurora's folders, none."""
    if DATA_FOLDER in database.parts:
        return files
    head = read_header(database)
    if not head.startswith(MAGIC) or len(head) < HEADER_BYTES:
        return ()
    if head[APPLICATION_ID] == b"AURA":
        return files
    raise build_foreign_fault(database)


def set_foreign_aside(database: Path) -> None:
    """Move files of a database that this account did not make aside, unread, and say so.

    Two accounts may share a project, such as a computer and a container on it: each gets its own memory back.

    Raises:
        Fault: as `find_foreign_files`.
        OSError: a file cannot be moved.
    """
    if not find_foreign_files(database) and (os.path.lexists(database) or _find_displaced(database) is None):
        return
    with lock_names():  # a second process finds the new database of the first one, and leaves it
        _move_aside(database)
        displaced = None if os.path.lexists(database) else _find_displaced(database)
        if displaced is not None:
            # the database first: its name must be free, and its log belongs to it
            if not take_name(displaced, database):
                raise build_in_use_fault(database)
            _move_files(displaced, _list_companions(displaced), database)
            _tell(f'the memory of this account, which another one had moved to "{displaced}", is at "{database}" again')


def _move_aside(database: Path) -> None:
    """Move foreign files aside; one that git brought goes alone.

    So it never comes back with a database.
    """
    files = find_foreign_files(database)
    alone = _list_brought(database, [place for place in files if place != database])
    for group in ([place for place in files if place not in alone], *([place] for place in alone)):
        if not group:
            continue
        with _hold_unused(database) if database in group else contextlib.nullcontext():
            first = _move_files(database, group, _choose_name(database))
        if database in group:
            what, remedy = "the memory", f"; `{format_adopt(first)}` takes over its facts and patterns"
        else:
            what, remedy = "a file next to the memory", ""
        _tell(f'{what} "{database}" was not made by this account: it was moved to "{first}", unread{remedy}')


@contextlib.contextmanager
def _hold_unused(database: Path) -> Iterator[None]:
    """Keep every program from opening a database meanwhile.

    Another account that has it open, as a server in a container has, would go on writing to a file that it no longer
    finds. SQLite has these bytes locked while a database with a log is open (https://sqlite.org/fileformat2.html, "The
    Lock-Byte Page").

    Raises:
        Fault: CONFLICT while it is open.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows, which lets nobody move an open file, has none

        handle = os.open(database, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (ImportError, OSError):
        yield
        return
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_LOCK_BYTES, _SHARED_LOCK_START)
    except OSError:
        os.close(handle)
        raise build_in_use_fault(database) from None
    try:
        yield
    finally:
        os.close(handle)


def take_name(file: Path, name: Path) -> bool:
    """Give a file a name that no other file has, durably; return False where one has it.

    A rename would replace the memory that another account has made or moved there a moment ago.

    Raises:
        OSError: the folder cannot be written.
    """
    with file.open("rb+") as content:
        # The content before the name: after a power failure, a name without its content would be an empty memory.
        os.fsync(content.fileno())
    with guard_commit():
        try:
            os.link(file, name, follow_symlinks=False)
        except FileExistsError:
            return False
        except (OSError, NotImplementedError):  # a file system without hard links
            if os.path.lexists(name):
                return False
            file.rename(name)
        else:
            file.unlink()
        sync_folder(name.parent)
    return True


def _move_files(database: Path, files: Sequence[Path], target: Path) -> Path:
    """Move the files of a database that exist to another name of it.

    Returns:
        The new name of the first one.
    """
    places = [target.with_name(target.name + place.name.removeprefix(database.name)) for place in files]
    with guard_commit():
        for place, new in zip(files, places, strict=True):
            with contextlib.suppress(FileNotFoundError):
                place.replace(new)
        sync_folder(database.parent)
    return places[0]


def _list_aside(database: Path) -> list[Path]:
    """List the databases that were moved aside, the oldest first."""
    aside = sorted(database.parent.glob(f"{glob.escape(database.name)}.{FOREIGN}-*"))
    return [place for place in aside if not place.name.endswith(COMPANION_SUFFIXES)]


def _find_displaced(database: Path) -> Path | None:
    """Find the newest memory of this account that another one moved aside.

    It is the very file that was made here. Its mark is no proof: git could have brought a file with it, which this
    account has moved aside.
    """
    for place in reversed(_list_aside(database)):
        with contextlib.suppress(Fault, apsw.Error):
            refuse_foreign_link(place)
            if _measure(place) and _is_stamped(place) and not _find_foreign(place):
                return place
    return None


def settle_files(database: Path, *, moves: bool) -> bool:
    """Set foreign files aside, or where nothing may be moved, say once that the database is not opened.

    Args:
        database: the file, which may be missing.
        moves: the project may be written.

    Returns:
        False for a database that must not be opened.

    Raises:
        Fault, OSError: as `set_foreign_aside`, and FORBIDDEN for a link in a folder of Aurora's.
    """
    refuse_foreign_link(database)
    if moves:
        set_foreign_aside(database)
        if _measure(database) and not _is_stamped(database) and _is_own(database):  # a copy, which is a file of its own
            record_own(database)
        return True
    if not _find_read(database):
        return True
    if database not in _TOLD:
        _TOLD.add(database)
        _tell(f'the memory "{database}" was not made by this account, and is not opened; nothing was changed')
    return False


def list_foreign(database: Path) -> list[Path]:
    """List the foreign databases here: those moved aside, and one that may not be moved."""
    return _list_aside(database) + [place for place in find_foreign_files(database) if place == database]


def require_own(database: Path) -> None:
    """Raise a fault for a database that this account did not make, or one with such a file next to it.

    Raises:
        Fault: FORBIDDEN, with the file.
    """
    if foreign := _find_read(database):
        raise build_unowned_fault(foreign[0])


def _find_read(database: Path) -> Sequence[Path]:
    """Find the foreign files that a reader would read; it ignores a rollback journal."""
    return [place for place in find_foreign_files(database) if not place.name.endswith("-journal")]


def _tell(sentence: str) -> None:
    import logging  # noqa: PLC0415 - few commands have anything to say here

    logging.getLogger("aurora.memory").warning("%s", show_hidden_line(sentence))


@contextlib.contextmanager
def lock_names() -> Iterator[None]:
    """Let no other process of this account create or move a database meanwhile.

    Where the state folder cannot be written, nothing is locked.
    """
    with contextlib.ExitStack() as stack:
        state = trust.find_state_file()
        with contextlib.suppress(OSError), ignore_changes():
            if state is not None:
                state.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(trust.lock_exclusively(state.with_name(_LOCK)))
        yield


def record_own(database: Path) -> None:
    """Record that this account made this very file."""
    key, stamps = _read_key(database), _open_stamps()
    if key and stamps is not None:
        stamps.write(key, b"")


def _is_own(database: Path) -> bool:
    """Return whether this account made a database: this file, or one of which it is a copy."""
    mark = read_header(database)[OWNER_MARK]
    signature = _sign(mark[:_NONCE_BYTES])
    if not signature:
        raise _build_keyless_fault(database, f'whether this account made the memory "{database}" cannot be known')
    # A file that git tracks can be replaced by a pull with an older one of this account, so its mark proves nothing.
    if mark[_NONCE_BYTES:] == signature and not _list_tracked(database, [database.name]):
        return True
    return _is_stamped(database)


def _sign(nonce: bytes) -> bytes:
    """Sign a nonce with the key of this account; empty without a key."""
    return bytes.fromhex(trust.sign_words("memory", nonce.hex()))[: _MARK_BYTES - _NONCE_BYTES]


def _list_tracked(database: Path, names: Sequence[str]) -> frozenset[str]:
    from aurora.system.git.index import list_tracked  # noqa: PLC0415 - an empty folder does not load it

    return list_tracked(database.parent, names)


def _is_stamped(database: Path) -> bool:
    key, stamps = _read_key(database), _open_stamps()
    return bool(key) and stamps is not None and stamps.read(key) is not None


def _read_key(database: Path) -> str:
    """Return inode number and creation time; empty where the system does not know the time."""
    try:
        stamp = trust.read_stamp(os.path.realpath(database))
    except OSError:
        return ""
    return f"{stamp.inode} {stamp.birth}" if stamp.birth else ""


def _open_stamps() -> trust.PrivateCache | None:
    state = trust.find_state_file()
    return trust.PrivateCache(state.with_name(_STAMPS), _MAX_STAMPS) if state is not None else None


def _list_companions(database: Path) -> list[Path]:
    return [database.with_name(database.name + ending) for ending in COMPANION_SUFFIXES]


def _measure(place: Path) -> int:
    """Return the size of a regular file; 0 for anything else, which is refused elsewhere."""
    try:
        found = os.stat(place)  # noqa: PTH116 - each command looks, and Path's takes longer
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _choose_name(database: Path) -> Path:
    stem = f"{database.name}.{FOREIGN}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    # Names with an ending count too: a log that stands there would belong to the database that gets the name.
    taken = {place.name for place in database.parent.iterdir() if place.name.startswith(stem)}
    for count in range(1, len(taken) + 2):
        name = stem if count == 1 else f"{stem}-{count}"
        if not any(f"{name}{ending}" in taken for ending in ("", *COMPANION_SUFFIXES)):
            break
    return database.with_name(name)


def _build_keyless_fault(database: Path, what: str) -> Fault:
    reason, remedy = trust.explain_missing_key()
    return Fault(
        Code.FORBIDDEN, f"{what}: {reason}", help=f"{remedy}; nothing was changed", details={"path": str(database)}
    )
