"""Workflow of any file, to run without a place in the project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.tools.trust import is_definition_trusted
from aurora.tools.workflows import build_not_found_fault

if TYPE_CHECKING:
    from aurora.interpreter import Definition
    from aurora.tools.runtime import Workspace

_SUFFIXES = (".yaml", ".yml")


class FileWorkflows:
    """Workflow of a file, and those that its phases run; implements `Workflows`.

    Args:
        definition: the workflow of the file.
        workspace: the open project with all workflows; those next to the file come first.
    """

    def __init__(self, definition: Definition, workspace: Workspace) -> None:
        self._definition = definition
        self._workspace = workspace

    def load(self, name: str) -> Definition:
        """Return the workflow of the file for its name, and its neighbour for any other."""
        if name == self._definition.workflow.name:
            return self._definition
        found = self._workspace.workflows.load_neighbour(self._definition.path, name)
        return _require_trusted(found, name, self._workspace)


def is_file_name(text: str) -> bool:
    """Return whether a person means a file: the name of a workflow has no dot and no folder."""
    return text.endswith(_SUFFIXES) or os.sep in text or "/" in text


def load_workflow_file(workspace: Workspace, name: str) -> Definition:
    """Load the workflow of a file that a person named.

    Raises:
        Fault: NOT_FOUND or INVALID_INPUT, as `Catalog.load_file`; FORBIDDEN for a file of an untrusted project.
    """
    path = Path.cwd() / Path(name).expanduser()
    if not os.path.lexists(path):
        raise build_not_found_fault(Path.cwd(), str(path))
    return _require_trusted(workspace.workflows.load_file(path), name, workspace)


def _require_trusted(definition: Definition, name: str, workspace: Workspace) -> Definition:
    """Return the definition; reject one of the project that the person was not shown.

    Raises:
        Fault: FORBIDDEN.
    """
    if is_definition_trusted(definition, workspace):
        return definition
    is_changed = workspace.trust.is_trusted()
    reason = "and is new or changed since you trusted it" if is_changed else "which is not trusted yet"
    message = f'"{name[:200]}" belongs to this folder, {reason}, so it is not used'
    raise Fault(Code.FORBIDDEN, message, help="Run `aur trust`, which shows what the folder brings, and asks.")
