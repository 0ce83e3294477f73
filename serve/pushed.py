"""Pushed projects of a server as its operator sees them, whether it runs or not."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean

from .auth import TokenStore, find_token_file
from .indexer import Indexer
from .push import drop_view, list_views, map_projects, place_pushes

if TYPE_CHECKING:
    from .push import PushedView
    from .settings import ServeSettings


class PushedProjects:
    """Projects of a server that people push to.

    Args:
        settings: of the server.

    Attributes:
        names: the names of people by identity, as far as a token has one.
    """

    def __init__(self, settings: ServeSettings) -> None:
        file = find_token_file()
        self._settings = place_pushes(settings, file.parent)
        self._projects = map_projects(self._settings.projects)
        self.names = {token.id: token.name for token in TokenStore(file).read()}

    def list_names(self) -> list[str]:
        """Return the names of the projects."""
        return list(self._projects)

    def list_views(self, name: str) -> list[PushedView]:
        """List the base and the views of people in a project.

        Raises:
            Fault: NOT_FOUND for a project that takes no pushes.
        """
        self._require(name)
        return list_views(self._projects[name], self.names)

    def drop_view(self, name: str, who: str) -> PushedView:
        """Drop a view, also of a server that runs; see `push.drop_view`.

        Raises:
            Fault: NOT_FOUND for a project that takes no pushes, or an unknown view; UPSTREAM_ERROR when the files
                cannot be changed or indexed.
        """
        self._require(name)
        index = functools.partial(Indexer(self._settings.projects).index, name)
        try:
            return drop_view(self._projects[name], who, index, self.names)
        except OSError as error:
            message = f"the files cannot be changed: {(error.strerror or 'unknown error').lower()}"
            raise Fault(Code.UPSTREAM_ERROR, message, help="Run it as the account of the server.") from error

    def _require(self, name: str) -> None:
        if name not in self._projects:
            help_ = did_you_mean(name, self._projects) or "A project takes pushes with push = true in serve.toml."
            raise Fault(Code.NOT_FOUND, f'there is no project "{name[:80]}" that takes pushes', help=help_)
