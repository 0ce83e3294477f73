"""Workflow files in use: of the project those that the person trusts, and the shipped ones always."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .paths import WorkflowPaths, list_workflow_files

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from pathlib import Path

    from .paths import FileStamps


class ProjectTrust(Protocol):
    """Trust in the project and in the contents that the person was shown; it may change at any time."""

    def is_trusted(self) -> bool:
        """Return whether the project's own workflows are used."""

    def stamp(self) -> Hashable:
        """Return a value that changes whenever the trust does."""

    def is_unchanged(self, path: Path, content: bytes) -> bool:
        """Return whether a file with this content is used, and the files are unchanged that it is made of."""

    def is_shown(self, files: Iterable[tuple[Path, str]]) -> bool:
        """Return whether the person was shown these files, each with its SHA-256, as one workflow."""


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
        self._shipped = shipped
        self._shipped_paths = WorkflowPaths((("shipped", shipped),))
        folders = (*((("project", project),) if project else ()), ("shipped", shipped))
        self._every_path = WorkflowPaths(folders)
        self._trusted_paths = WorkflowPaths(folders, trust.is_unchanged) if trust is not None else self._every_path
        self._trust_stamp: Hashable = None
        self.used = self._trusted_paths

    def is_project_used(self) -> bool:
        """Return whether the project is trusted, or has no folder of workflows."""
        if self._trust is None or self._project is None or not self._project.is_dir():
            return True
        return self._trust.is_trusted()

    def follow_trust(self) -> bool:
        """Use the files that the trust allows now; return whether that has changed."""
        stamp = self._trust.stamp() if self._trust is not None else None
        used = self._trusted_paths if self.is_project_used() else self._shipped_paths
        if used is self.used and stamp == self._trust_stamp:
            return False
        self.used, self._trust_stamp = used, stamp
        return True

    def stamp_folders(self) -> FileStamps:
        """Return a stamp that changes whenever a file in use changes, or the trust."""
        is_used = self.is_project_used()
        paths = self._trusted_paths if is_used else self._shipped_paths
        trust = hash(self._trust.stamp()) if self._trust is not None else 0
        return (("trust", int(is_used), trust), *paths.stamp_folders())

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

    def is_shown(self, files: Iterable[tuple[Path, str]]) -> bool:
        """Return whether a project's workflow is used that was read from these files, each with its SHA-256.

        It is asked with what was read: a file may have changed since the scan, or one have appeared.
        """
        own = ((path, digest) for path, digest in files if not path.is_relative_to(self._shipped))
        return self._trust is None or self._trust.is_shown(own)

    def list_project_files(self) -> tuple[Path, ...]:
        """List the project's own files, trusted or not."""
        return tuple(list_workflow_files(self._project)) if self._project else ()

    def list_unused_files(self) -> tuple[Path, ...]:
        """List the project's own files that the last scan did not use, since they are not trusted."""
        if not self.is_project_used():
            return self.list_project_files()
        return tuple(path for path in self.list_project_files() if not self.used.has_file(path))

    def find_untrusted_file(self, name: str) -> Path | None:
        """Return the file of a project's workflow of this name that is not trusted; None for any other name."""
        if self._trust is None or self._project is None:
            return None
        every = self.scan_every_file()
        path = every.map_names().get(name)
        if path is None or every.get_source(path) != "project":
            return None
        return None if self.is_project_used() and self.used.has_file(path) else path
