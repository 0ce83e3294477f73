"""Projects of a served page: those of the visitor's token, kept open between requests."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from aurora import ui
from aurora.faults import Code, Fault

from .subject import find_grant
from .visitor import TokenVisitor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurora.serve.auth import Authenticator, Grant
    from aurora.serve.sources import ProjectSource
    from aurora.tools.runtime import Workspace


@dataclass(eq=False)
class _OpenProject:
    """Project that is open.

    Attributes:
        workspace: the project.
        users: requests that use it now.
        used: when one last did.
    """

    workspace: Workspace
    users: int = 0
    used: float = 0.0


class PageSource:
    """Projects of a served page; implements `ui.ProjectSource`. Safe for use from several threads.

    Args:
        source: the projects of the server.
        authenticator: looks up the tokens.
        idle_seconds: how long a project stays open without a request.
    """

    def __init__(self, source: ProjectSource, authenticator: Authenticator, idle_seconds: float) -> None:
        self._source = source
        self._authenticator = authenticator
        self._idle_seconds = idle_seconds
        self._opened: dict[tuple[str, Path, bool], _OpenProject] = {}
        self._lock = Lock()
        self._is_stopping = False

    def list_names(self, grant: Grant) -> Sequence[str]:
        """List the names of a grant's projects."""
        return grant.list_projects(self._source.list_names())

    def list_projects(self, visitor: ui.Visitor) -> Sequence[ui.ListedProject]:
        """List the projects of the token; their folders are no concern of who visits."""
        return [ui.ListedProject(name, name) for name in self.list_names(self._find_grant(visitor))]

    @contextlib.contextmanager
    def open_project(self, name: str, visitor: ui.Visitor) -> Iterator[Workspace]:
        """Open a project of the token; read-only for the scope `read`.

        Raises:
            Fault: NOT_FOUND for a project that the token lacks, as for one that does not exist; UNAUTHORIZED when the
                session has ended; the faults of opening the project.
        """
        grant = self._find_grant(visitor)
        if name not in self.list_names(grant):
            message = f'there is no project "{name[:80]}" for this token'
            raise Fault(Code.NOT_FOUND, message, help="The list of projects shows those of your token.")
        folder = self._source.find_folder(name)
        opened = self._borrow(name, folder, read_only=grant.find_scope(name) == "read")
        try:
            yield opened.workspace
        finally:
            with self._lock:
                opened.users -= 1
                opened.used = time.monotonic()

    def stop(self) -> None:
        """Open nothing any more, which also ends the streams of changes."""
        self._is_stopping = True

    def close(self) -> None:
        """Close all projects."""
        with self._lock:
            self._close_unused(0.0)

    def _find_grant(self, visitor: ui.Visitor) -> Grant:
        """Return the grant of the session's token as it is now: a stream of changes outlives its first look."""
        session = visitor.session if isinstance(visitor, TokenVisitor) else None
        grant = find_grant(session, self._authenticator) if session and time.time() < session.end else None
        if grant is None:
            raise Fault(Code.UNAUTHORIZED, "the session has ended", help="Sign in again.")
        return grant

    def _borrow(self, name: str, folder: Path, *, read_only: bool) -> _OpenProject:
        place = (name, folder, read_only)
        with self._lock:
            if self._is_stopping:
                raise Fault(Code.UPSTREAM_ERROR, "the server is stopping", help="Try again in a few seconds.")
            self._close_unused(self._idle_seconds)
            opened = self._opened.get(place)
            if opened is None:
                opened = self._opened[place] = _OpenProject(self._source.open(name, folder, read_only=read_only))
            opened.users += 1
            return opened

    def _close_unused(self, idle_seconds: float) -> None:
        now = time.monotonic()
        for place, opened in list(self._opened.items()):
            if not opened.users and now - opened.used >= idle_seconds:
                del self._opened[place]
                with contextlib.suppress(Exception):
                    opened.workspace.close()
