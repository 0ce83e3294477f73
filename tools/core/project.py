"""The open project as tools see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.interpreter import Catalog, Engine, Toolbox
    from aurora.memory import Memory

DEFAULT_WORKFLOW = "soar"
"""The workflow of a call that names neither a workflow nor a run."""

PROJECT_WORKFLOWS = ".aurora/workflows"
"""The folder of a project's own workflows."""


class Project(Protocol):
    """One open project; `runtime.Workspace` implements it."""

    @property
    def root(self) -> Path:
        """The project's folder, absolute and resolved."""
        ...

    @property
    def read_only(self) -> bool:
        """True when no tool that writes may run and no run is kept."""
        ...

    @property
    def keeps_log(self) -> bool:
        """True when each call is logged in the project's folder."""
        ...

    @property
    def memory(self) -> Memory:
        """The project's memory, opened on first use.

        Raises:
            Fault: when the database cannot be opened.
        """
        ...

    @property
    def tools(self) -> Toolbox:
        """The tools as phases use them."""
        ...

    @property
    def workflows(self) -> Catalog:
        """The shipped workflows and the project's own."""
        ...

    @property
    def engine(self) -> Engine:
        """The engine over the project's workflows, tools and journal."""
        ...

    def close(self) -> None:
        """Close the memory; closing twice is no mistake."""
        ...
