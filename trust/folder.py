"""Trust of one project's folder: by the person's list, or by AURORA_TRUST."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.faults import Code, Fault, read_flag, write_atomically
from aurora.faults.paths.read import read_inside

from .entry import TrustedFolder
from .lock import PRIVATE_FILE, lock_exclusively
from .place import ProjectPlace, locate_project
from .private_file import PrivateFileError, read_private_file
from .shown import ShownContents, hash_bytes
from .state_file import find_home, find_state_file

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from .shown import FileHashes

    Entries = tuple[TrustedFolder, ...]

TRUST_VARIABLE = "AURORA_TRUST"


TrustReason = Literal["variable", "listed", "internal", "unlisted", "replaced", "unreadable", "refused"]
"""`variable` and `refused`: AURORA_TRUST is 1 or 0; `internal`: made by Aurora itself, for a test; `listed`: the person
trusted it; `replaced`: another folder was trusted at this path; `unreadable`: the list cannot be read."""


@dataclass(frozen=True, slots=True)
class TrustStatus:
    """Trust of a folder with its reason.

    Attributes:
        trusted: whether the folder's own definitions are used.
        reason: why.
        since: the time of `listed`, in ISO 8601, UTC; else empty.
        fault: the fault of `unreadable`.
    """

    trusted: bool
    reason: TrustReason
    since: str = ""
    fault: Fault | None = None


class _KnownAnswer(NamedTuple):
    """Answer that holds while the list and the paths that decided have these stamps."""

    watched: tuple[str, ...]
    stamps: tuple[tuple[int, int, int], ...]
    is_trusted: bool
    shown: ShownContents


_UNTRUSTED = _KnownAnswer((), (), is_trusted=False, shown=ShownContents())

MAX_CONTENT_BYTES = 2_000_000
"""Bytes of a file that are compared with what was shown; no definition may have as many."""


class FolderTrust:
    """Trust of one project's folder: of the folder itself, and of the contents that the person was shown.

    Args:
        root: the project's folder, absolute and resolved.
        environ: the environment variables, read now.
        internal: the folder is made by Aurora itself, and trusted.

    Raises:
        Fault: INVALID_INPUT for an invalid AURORA_TRUST.
    """

    def __init__(self, root: Path, environ: Mapping[str, str] = os.environ, *, internal: bool = False) -> None:
        self.root = root
        self._internal = internal
        self._variable = read_flag(TRUST_VARIABLE, environ)
        self._home = find_home(environ)
        path = find_state_file(environ)
        self._store = None if path is None else TrustStore(path)
        self._known: _KnownAnswer | None = None

    def is_trusted(self) -> bool:
        """Return whether the folder is trusted now; a few calls of `stat`, no process."""
        if self._internal or self._variable is not None:
            return self._internal or bool(self._variable)
        return self._read_answer().is_trusted

    @property
    def uses_every_content(self) -> bool:
        """True where AURORA_TRUST is 1, and for a folder that Aurora made: nothing there need be shown."""
        return self._internal or self._variable is True

    def stamp(self) -> Hashable:
        """Return a value that changes whenever the trust changes, or what was shown."""
        if self._internal or self._variable is not None:
            return self.is_trusted()
        answer = self._read_answer()
        return answer.is_trusted, answer.stamps[:1] if answer.is_trusted else ()

    def is_shown(self, files: Iterable[tuple[Path, str]]) -> bool:
        """Return whether the person trusts the folder, and was shown all these files as one definition.

        Args:
            files: the files of a definition with their SHA-256, its own first; those outside of the folder are
                the person's, and need no trust.
        """
        inside = self._relate_files(files)
        if not inside:
            return True
        if self._internal or self._variable is not None:
            return self.is_trusted()
        answer = self._read_answer()
        return answer.is_trusted and answer.shown.has(inside)

    def is_unchanged(self, path: Path, content: bytes) -> bool:
        """Return whether a definition is used: it and its files are as the person was shown them.

        Args:
            path: the definition's own file.
            content: what is used of it; the other files are read.
        """
        if self._internal or self._variable is not None:
            return self.is_trusted()
        answer = self._read_answer()
        if not answer.is_trusted:
            return False
        own = self._relate_files([(path, hash_bytes(content))])
        versions = answer.shown.list_versions(*own[0]) if own else []
        return any(self._has_files(version.difference(own)) for version in versions)

    def read_shown(self) -> ShownContents:
        """Return what the person was shown of the folder; nothing while it is not trusted."""
        return self._read_answer().shown

    def _relate_files(self, files: Iterable[tuple[Path, str]]) -> FileHashes:
        """Name the files inside the folder from it; a link elsewhere leads around nothing."""
        known = ((path if path.is_relative_to(self.root) else path.resolve(), digest) for path, digest in files)
        inside = ((path, digest) for path, digest in known if path.is_relative_to(self.root))
        return tuple((path.relative_to(self.root).as_posix(), digest) for path, digest in inside)

    def _has_files(self, files: Iterable[tuple[str, str]]) -> bool:
        try:
            return all(hash_bytes(read_inside(self.root, path, MAX_CONTENT_BYTES)) == known for path, known in files)
        except Fault:
            return False

    def _read_answer(self) -> _KnownAnswer:
        known = self._known
        if self._store is not None and known is not None:
            stamps = self._stamp_paths(self._store, known.watched)
            if stamps == known.stamps:
                return known
        return self._decide()

    def _decide(self) -> _KnownAnswer:
        """Compare the folder with the list, and remember the answer."""
        self._known = None
        try:
            if self._store is None or not self._store.read():
                return _UNTRUSTED
            watched = locate_project(self.root).watched
            stamps = self._stamp_paths(self._store, watched)
            place = locate_project(self.root)  # again: a change since the stamps shows in them later
            entries = self._store.find(place)
        except (OSError, Fault):
            return _UNTRUSTED
        shown = ShownContents(files for entry in entries for files in entry.shown)
        answer = _KnownAnswer(watched, stamps, bool(entries), shown)
        if place.watched == watched:
            self._known = answer
        return answer

    @staticmethod
    def _stamp_paths(store: TrustStore, paths: tuple[str, ...]) -> tuple[tuple[int, int, int], ...]:
        return (store.stamp_file(), *(_stamp_path(path) for path in paths))

    def read_status(self) -> TrustStatus:
        """Return whether and why the folder is trusted."""
        if self._internal:
            return TrustStatus(trusted=True, reason="internal")
        if self._variable is not None:
            return TrustStatus(self._variable, "variable" if self._variable else "refused")
        try:
            entry = self._find_entry()
            if entry is not None:
                return TrustStatus(trusted=True, reason="listed", since=entry.since)
            roots = {one.root for one in self.list_entries()}
        except Fault as fault:
            return TrustStatus(trusted=False, reason="unreadable", fault=fault)
        except OSError:
            return TrustStatus(trusted=False, reason="unlisted")
        return TrustStatus(trusted=False, reason="replaced" if os.fspath(self.root) in roots else "unlisted")

    def locate(self) -> ProjectPlace:
        """Return the folder's place, to trust just that one after the person has looked at it.

        Raises:
            Fault: NOT_FOUND when the folder is missing.
        """
        try:
            return locate_project(self.root)
        except OSError as error:
            message = f'the folder "{self.root}" cannot be read ({error.strerror or error})'
            raise Fault(Code.NOT_FOUND, message, help="Run this in an existing folder.") from None

    def grant(self, place: ProjectPlace | None = None, shown: Iterable[FileHashes] = ()) -> TrustedFolder:
        """Trust the folder, and every linked worktree of its repository, from now on.

        Args:
            place: the place that the person looked at; a folder that takes its place meanwhile is not trusted.
            shown: the definitions that the person was shown, which are used beside those that they saw before.

        Raises:
            Fault: FORBIDDEN for the home folder and the root folder, and when the list cannot be written; the faults
                of `locate` and of a list that cannot be read.
        """
        unusable = self._describe_unusable_root()
        if unusable:
            raise Fault(
                Code.FORBIDDEN,
                f"{unusable} cannot be trusted as a project",
                help="Go to the project's folder, or name it with --project.",
            )
        place = place or self.locate()
        since = datetime.now(UTC).isoformat(timespec="seconds")
        entry = TrustedFolder.from_place(place, since, tuple(shown))
        self._require_store().add(entry, place)
        return entry

    def revoke(self) -> tuple[TrustedFolder, ...]:
        """Trust the folder no longer, nor a worktree of its repository; return the removed entries.

        Raises:
            Fault: as `grant`, except for the home folder.
        """
        place = self.locate()
        return self._require_store().remove(lambda entry: entry.root == place.root or entry.has_repository_of(place))

    def list_entries(self) -> tuple[TrustedFolder, ...]:
        """Return every trusted folder.

        Raises:
            Fault: the list cannot be read.
        """
        return self._store.read() if self._store is not None else ()

    def _find_entry(self) -> TrustedFolder | None:
        if self._store is None or not self._store.read():
            return None
        return next(iter(self._store.find(locate_project(self.root))), None)

    def _require_store(self) -> TrustStore:
        if self._store is None:
            raise Fault(
                Code.FORBIDDEN,
                "there is no home folder to keep the list of trusted folders in",
                help=f"Set HOME, or set {TRUST_VARIABLE}=1 for this shell.",
            )
        return self._store

    def _describe_unusable_root(self) -> str:
        if self._home is not None and self.root == self._home.resolve():
            return "your home folder"
        return "the root folder" if self.root == Path(self.root.anchor) else ""


def check_entry(entry: TrustedFolder) -> Literal["trusted", "replaced", "missing"]:
    """Compare an entry of the list with the folder that is at its path now."""
    try:
        return "trusted" if entry.covers(locate_project(Path(entry.root))) else "replaced"
    except OSError:
        return "missing"


def _stamp_path(path: str) -> tuple[int, int, int]:
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0, 0
    return status.st_ino, status.st_ctime_ns, status.st_mtime_ns


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
