"""The list of trusted folders: one JSON file, read when it has changed, written atomically."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault, write_atomically

from .entry import TrustedFolder
from .lock import PRIVATE_FILE, lock_exclusively
from .private_file import PrivateFileError, read_private_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .place import ProjectPlace

    Entries = tuple[TrustedFolder, ...]

VERSION = 1
MAX_FILE_BYTES = 16_000_000
"""Size limit of the list; an entry has some 300 bytes, and 120 more for each file that was shown."""
_PRIVATE_FOLDER = 0o700
_MISSING = (0, 0, 0)


class _LoadedList(NamedTuple):
    stamp: tuple[int, int, int]
    entries: Entries
    fault: Fault | None


class TrustStore:
    """The list of trusted folders.

    Args:
        path: its file, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loaded: _LoadedList | None = None

    def read(self) -> Entries:
        """Return the entries; from the file only when it has changed.

        Raises:
            Fault: FORBIDDEN or UPSTREAM_ERROR when the file cannot be read, is damaged, or anyone else could have
                written it; then nothing is trusted.
        """
        stamp = self.stamp_file()
        if self._loaded is None or self._loaded.stamp != stamp:
            try:
                self._loaded = _LoadedList(stamp, self._load() if stamp != _MISSING else (), None)
            except Fault as fault:
                self._loaded = _LoadedList(stamp, (), fault)
        if self._loaded.fault is not None:
            raise self._loaded.fault.with_traceback(None)  # each raise would add to it
        return self._loaded.entries

    def find(self, place: ProjectPlace) -> Entries:
        """Return the entries that cover the place: a repository has one for each worktree that was trusted.

        Raises:
            Fault: as `read`.
        """
        return tuple(entry for entry in self.read() if entry.covers(place))

    def add(self, entry: TrustedFolder, place: ProjectPlace) -> None:
        """Add an entry, in place of an earlier one of the same path; keep what the same folder has shown.

        Args:
            entry: the entry.
            place: the folder that the person looked at.

        Raises:
            Fault: the list cannot be read or written; it is unchanged.
        """

        def replace_earlier(entries: Entries) -> Entries:
            new = entry
            for earlier in (one for one in entries if one.root == entry.root):
                new = new.follow(earlier, place)
            return (*(one for one in entries if one.root != entry.root), new)

        self._change(replace_earlier)

    def remove(self, is_removed: Callable[[TrustedFolder], bool]) -> Entries:
        """Remove entries, and return them.

        Raises:
            Fault: the list cannot be read or written; it is unchanged.
        """
        removed: list[TrustedFolder] = []

        def keep_others(entries: Entries) -> Entries:
            removed.extend(entry for entry in entries if is_removed(entry))
            return tuple(entry for entry in entries if not is_removed(entry))

        self._change(keep_others)
        return tuple(removed)

    def _change(self, change: Callable[[Entries], Entries]) -> None:
        """Read the newest list, change it and write it, while no other process does."""
        try:
            self.path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            with lock_exclusively(self.path.with_suffix(".lock")):
                before = self.read()
                after = change(before)
                if after != before:
                    document = {"version": VERSION, "folders": [entry.to_json() for entry in after]}
                    data = json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogateescape")
                    if len(data) > MAX_FILE_BYTES:  # it could not be read again, and would trust nothing
                        raise OSError(None, "it is full; revoke folders that you no longer need")  # noqa: TRY301
                    write_atomically(self.path, data, PRIVATE_FILE)
        except OSError as error:
            raise Fault(
                Code.FORBIDDEN,
                f'the list of trusted folders "{self.path}" cannot be written ({error.strerror or error})',
                help="Give yourself write permission for its folder, or set AURORA_TRUST=1 for this shell.",
            ) from None

    def stamp_file(self) -> tuple[int, int, int]:
        """Return a stamp that changes whenever the file changes."""
        try:
            status = os.stat(self.path)  # noqa: PTH116 - each step of a run looks, and Path's takes twice as long
        except OSError:
            return _MISSING
        return status.st_ino, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size

    def _load(self) -> Entries:
        try:
            data = read_private_file(self.path, MAX_FILE_BYTES)
        except FileNotFoundError:
            return ()
        except PrivateFileError as error:
            raise self._make_fault(error.what, error.remedy or "Delete it, and run `aur trust` again.") from None
        except OSError as error:
            raise self._make_fault(
                f"cannot be read ({error.strerror or error})", "Give yourself read permission for it.", Code.FORBIDDEN
            ) from None
        try:
            document = json.loads(data.decode("utf-8", "surrogateescape"))
            version, listed = document["version"], document["folders"]
            entries = tuple(TrustedFolder.from_json(value) for value in listed)
        except (ValueError, TypeError, LookupError, RecursionError):
            raise self._make_fault("is damaged", "Delete it, and run `aur trust` in your projects again.") from None
        if version != VERSION:
            raise self._make_fault("was written by another version of Aurora", "Use that version, or delete the file.")
        return entries

    def _make_fault(self, what: str, remedy: str, code: Code = Code.UPSTREAM_ERROR) -> Fault:
        message = f'the list of trusted folders "{self.path}" {what}; no folder is trusted'
        return Fault(code, message, help=remedy)
