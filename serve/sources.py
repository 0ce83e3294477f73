"""Sources of projects: what a server serves, by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from aurora import memory
from aurora.faults import Code, Fault, quote_names, read_value
from aurora.tools import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory import ServerAddress
    from aurora.tools.runtime import Workspace

    from .settings import ProjectSettings


class ProjectSource(Protocol):
    """Source of projects. The one below serves folders; a database with many projects is another one."""

    def list_names(self) -> tuple[str, ...]:
        """Return the names of the projects."""
        ...

    def find_folder(self, name: str) -> Path:
        """Return the folder of a project; each request asks, so it is quick.

        Raises:
            Fault: NOT_FOUND for an unknown project.
        """
        ...

    def open(self, name: str, folder: Path, *, read_only: bool) -> Workspace:
        """Open a folder of a project; the caller closes it. Called in a thread.

        Raises:
            Fault: NOT_FOUND for an unknown project, and the faults of opening it.
        """
        ...

    def check(self) -> None:
        """Check that projects can be opened, in a few milliseconds.

        Raises:
            Fault: a project cannot be opened.
        """
        ...


class FolderSource:
    """Source of folders of this machine, each with its own database file or project in a server.

    Args:
        projects: the name of each project, with its settings.
        is_local: all clients are programs of this machine.
    """

    def __init__(self, projects: Mapping[str, ProjectSettings], *, is_local: bool) -> None:
        self._projects = dict(projects)
        self._is_local = is_local

    def list_names(self) -> tuple[str, ...]:
        """Return the names of the projects."""
        return tuple(self._projects)

    def find_folder(self, name: str) -> Path:
        """Return the folder of a project.

        Raises:
            Fault: NOT_FOUND for an unknown project.
        """
        if name not in self._projects:
            raise Fault(Code.NOT_FOUND, f'there is no project "{name[:80]}"')
        return self._get_folder(name)

    def open(self, name: str, folder: Path, *, read_only: bool) -> Workspace:
        """Open a folder of a project.

        Raises:
            Fault: NOT_FOUND for a folder that does not exist.
        """
        settings, server = self._projects[name], self._find_server(name)
        if not folder.is_dir():
            message = f'the folder of the project "{name}" is missing'
            raise Fault(Code.NOT_FOUND, message, help="Tell the operator of the server.")
        is_read_only = read_only or settings.read_only
        return runtime.Workspace(folder, read_only=is_read_only, server=server, index_step=self._find_index_step(name))

    def check(self) -> None:
        """Check that each folder exists, and that the database server answers.

        Raises:
            Fault: NOT_FOUND, which names the projects without their paths; and those of the database server.
        """
        missing = [name for name in self._projects if not self._get_folder(name).is_dir()]
        if missing:
            raise Fault(Code.NOT_FOUND, f"the folders of these projects are missing: {quote_names(missing)}")

        server = next(filter(None, map(self._find_server, self._projects)), None)
        if server is not None:
            memory.check_server(server)

    def _find_index_step(self, name: str) -> str:
        """Return how a client gets the files of a project indexed."""
        if self._projects[name].git:
            return "wait until the server has fetched the project from git and indexed it, or tell its operator"
        return memory.INDEX_STEP if self._is_local else "ask the operator of the server to index the project's folder"

    def _find_server(self, name: str) -> ServerAddress | None:
        """Return the place of a project in the database server; never that of another project."""
        url = read_value("AURORA_DATABASE")
        return memory.make_address(url, self._projects[name].database_project or name) if url else None

    def _get_folder(self, name: str) -> Path:
        return Path(self._projects[name].folder).expanduser()
