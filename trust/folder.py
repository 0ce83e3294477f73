"""Trust of one project's folder: by the person's list, or by AURORA_TRUST."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.errors import Code, Fault
from aurora.system.environment import read_flag
from aurora.system.paths.read import read_inside

from .state import find_home, find_state_file
from .store import ProjectPlace, ShownContents, TrustedFolder, TrustStore, hash_bytes, locate_project

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from .store import FileHashes

TRUST_VARIABLE = "AURORA_TRUST"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_MOST_NAMES = 5


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


# Each step of a run asks, some many times, so the answer is kept while the list and the paths that decided have the
# same stamps: four calls of the system in 8 µs, where to decide anew takes 72 µs.
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
        # Of the stamps only the list's: the others have had their say in whether the folder is trusted.
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
            place = locate_project(self.root)
            stamps = self._stamp_paths(self._store, place.watched)  # before the list is read: a later change shows
            entries = self._store.find(place)
        except (OSError, Fault):
            return _UNTRUSTED
        shown = ShownContents(files for entry in entries for files in entry.shown)
        self._known = _KnownAnswer(place.watched, stamps, bool(entries), shown)
        return self._known

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


@dataclass(frozen=True, slots=True)
class OwnDefinitions:
    """Files of a project that define its own workflows and agents.

    Attributes:
        workflows: paths of the workflow files, relative to the project.
        agents: paths of the agents' files, relative to the project.
        complete: False when there are more files than were counted.
        is_changed: the folder is trusted, and these are new or changed since the person was shown what it brings.
    """

    workflows: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    complete: bool = True
    is_changed: bool = False

    def __bool__(self) -> bool:
        return bool(self.workflows or self.agents)

    def count_files(self) -> str:
        """Describe the numbers, as `2 workflows and 1 agent`; no name, which a hostile clone may choose."""
        numbers = ((len(self.workflows), "workflow"), (len(self.agents), "agent"))
        text = " and ".join(f"{number:,} {noun}{'s' * (number != 1)}" for number, noun in numbers if number)
        return text if self.complete else f"at least {text}"

    @property
    def reason(self) -> str:
        """Reason why the files are not used, after a comma."""
        return "new or changed since it was trusted" if self.is_changed else "because it is not trusted"

    def describe_files(self) -> str:
        """Describe the files for a person, as `1 workflow (soar.yaml)`, without names of unusual characters."""
        names = [path.rpartition("/")[2] for path in (*self.workflows, *self.agents)]
        shown = [name for name in names if _PLAIN_NAME.fullmatch(name)][:_MOST_NAMES]
        left = len(names) - len(shown)
        listed = ", ".join([*shown, *([f"{left:,} more"] if left else [])])
        return f"{self.count_files()} ({listed})" if shown else self.count_files()
