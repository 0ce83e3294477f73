"""Workflow files in use: the project's only while the person trusts it, the shipped ones always."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .paths import WorkflowPaths, list_workflow_files

if TYPE_CHECKING:
    from pathlib import Path

    from .paths import FileStamps


class ProjectTrust(Protocol):
    """The person's trust in the project; it may change at any time."""

    def is_trusted(self) -> bool:
        """Return whether the project's own workflows are used."""


class TrustedPaths:
    """Files of a project's workflows and of the shipped ones, by the trust in the project.

    Args:
        project: the folder of the project's workflows, which need not exist, or None.
        shipped: the folder of the shipped workflows.
        trust: the trust in the project; None for a folder that needs none.

    Attributes:
        used: the files in use, since the last `follow_trust`.
    """

    def __init__(self, project: Path | None, shipped: Path, trust: ProjectTrust | None) -> None:
        self._project = project
        self._trust = trust
        self._shipped_paths = WorkflowPaths((("shipped", shipped),))
        self._every_path = WorkflowPaths((*((("project", project),) if project else ()), ("shipped", shipped)))
        self.used = self._every_path

    def is_project_used(self) -> bool:
        """Return whether the project is trusted, or has no folder of workflows."""
        if self._trust is None or self._project is None or not self._project.is_dir():
            return True
        return self._trust.is_trusted()

    def follow_trust(self) -> bool:
        """Use the files that the trust allows now; return whether that has changed."""
        used = self._every_path if self.is_project_used() else self._shipped_paths
        if used is self.used:
            return False
        self.used = used
        return True

    def stamp_folders(self) -> FileStamps:
        """Return a stamp that changes whenever a file in use changes, or the trust."""
        is_used = self.is_project_used()
        paths = self._every_path if is_used else self._shipped_paths
        return (("trust", int(is_used), 0), *paths.stamp_folders())

    def scan_every_file(self) -> WorkflowPaths:
        """Return all files, the project's trusted or not, to inspect one: it may extend its neighbours."""
        if self.used is not self._every_path:
            self._every_path.scan()
        return self._every_path

    def scan_around(self, path: Path) -> WorkflowPaths:
        """Return the files that a file can run or extend: those beside one without a name here, then all."""
        every = self.scan_every_file()
        if every.find_known_file(path.absolute()) is not None:
            return every
        around = WorkflowPaths((("file", path.absolute().parent), *every.folders))
        around.scan()
        return around

    def list_project_files(self) -> tuple[Path, ...]:
        """List the project's own files, trusted or not."""
        return tuple(list_workflow_files(self._project)) if self._project else ()

    def find_untrusted_file(self, name: str) -> Path | None:
        """Return the file of an untrusted project's workflow of this name; None for any other name."""
        if self.is_project_used():
            return None
        self._every_path.scan()
        path = self._every_path.map_names().get(name)
        return path if path is not None and self._every_path.get_source(path) == "project" else None
