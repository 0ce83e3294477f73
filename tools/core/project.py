"""Protocol of an open project, as tools see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.interpreter import Catalog, Engine, Toolbox
    from aurora.memory import Memory, ServerAddress
    from aurora.trust import FolderTrust

DEFAULT_WORKFLOW = "soar"
"""The workflow of a call that names neither a workflow nor a run."""

PROJECT_WORKFLOWS = ".aurora/workflows"
"""The folder of a project's own workflows."""


class Project(Protocol):
    """Open project; `runtime.Workspace` implements it."""

    @property
    def root(self) -> Path:
        """Absolute, resolved folder of the project."""
        ...

    @property
    def read_only(self) -> bool:
        """True if no tool that writes may run and no run is stored."""
        ...

    @property
    def keeps_log(self) -> bool:
        """True if each call is logged in the project's folder."""
        ...

    @property
    def server(self) -> ServerAddress | None:
        """Database server with the memory, and the project in it; None for a file.

        Raises:
            Fault: INVALID_INPUT when the environment names no usable one.
        """
        ...

    @property
    def index_step(self) -> str:
        """Step by which the caller gets the project's files indexed, as an imperative: `run …`."""
        ...

    def require_folder(self) -> None:
        """Raise a fault if the project's folder is no longer at its path.

        Raises:
            Fault: NOT_FOUND when it was moved or removed, CONFLICT when another folder is there.
        """
        ...

    @property
    def trust(self) -> FolderTrust:
        """Trust in the project's own workflows and agents."""
        ...

    @property
    def memory(self) -> Memory:
        """Memory of the project, opened on first use.

        Raises:
            Fault: when the database cannot be opened.
        """
        ...

    @property
    def tools(self) -> Toolbox:
        """Runner of tools for phases."""
        ...

    @property
    def workflows(self) -> Catalog:
        """Catalog of the shipped workflows, and of the project's own where the project is trusted."""
        ...

    @property
    def engine(self) -> Engine:
        """Engine over the project's workflows, tools and journal."""
        ...

    def close(self) -> None:
        """Close the memory; closing twice is allowed."""
        ...
