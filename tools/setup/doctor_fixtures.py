"""What the doctor exercises and may not import: this room's tools, as phases and as MCP see them.

The tool `doctor.run` imports the doctor, so the doctor cannot import the tools: it states what it needs as a protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor import Subject
from aurora.tools.catalog.skill import skill_text
from aurora.tools.runtime.dispatch import toolbox
from aurora.tools.runtime.project import DEFAULT_WORKFLOW

if TYPE_CHECKING:
    from aurora.interpreter import Catalog
    from aurora.tools.core.context import Context
    from aurora.tools.runtime.ports import ShelfTools
    from aurora.tools.runtime.project import Workspace


class Shelf:
    """The toolbox of one project; implements `doctor.Equipment`."""

    workflow = DEFAULT_WORKFLOW

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def offered(self) -> tuple[str, ...]:
        """The names under which MCP shows tools unasked."""
        return tuple(str(tool.mcp) for tool in toolbox().mcp())

    def catalog(self) -> Catalog:
        """The project's workflows and the shipped ones."""
        return self._workspace.workflows

    def toolbox(self) -> ShelfTools:
        """The tools as phases use them."""
        return self._workspace.tools

    def skill(self) -> str:
        """SKILL.md as it is now."""
        return skill_text()


def subject(context: Context) -> Subject:
    """The project of an invocation, with everything that the doctor needs."""
    return Subject(context.root, Shelf(context.workspace), progress=context.progress)
