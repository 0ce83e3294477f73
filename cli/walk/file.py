"""Workflow of any file, to run without a place in the project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.tools.workflows import build_not_found_fault

if TYPE_CHECKING:
    from aurora.interpreter import Definition
    from aurora.interpreter.catalog import Catalog
    from aurora.tools.runtime import Workspace

_SUFFIXES = (".yaml", ".yml")


class FileWorkflows:
    """Workflow of a file, and those that its phases run; implements `Workflows`.

    Args:
        definition: the workflow of the file.
        others: all workflows; those next to the file come first.
    """

    def __init__(self, definition: Definition, others: Catalog) -> None:
        self._definition = definition
        self._others = others

    def load(self, name: str) -> Definition:
        """Return the workflow of the file for its name, and its neighbour for any other."""
        if name == self._definition.workflow.name:
            return self._definition
        return self._others.load_neighbour(self._definition.path, name)


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
    inside = Path(os.path.realpath(path)).is_relative_to(workspace.root)
    if inside and not workspace.trust.is_trusted():
        message = f'"{name[:200]}" belongs to this folder, which is not trusted yet, so it is not used'
        raise Fault(Code.FORBIDDEN, message, help="Run `aur trust`, which shows what the folder brings, and asks.")
    return workspace.workflows.load_file(path)
