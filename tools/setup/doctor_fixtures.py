"""What the doctor exercises and may not import: this room's tools, as phases and as MCP see them.

The tool `doctor.run` imports the doctor, so the doctor cannot import the tools: it states what it needs as a protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor import DoctorContext
from aurora.tools.catalog import render_skill
from aurora.tools.core import DEFAULT_WORKFLOW
from aurora.tools.runtime import get_registry

if TYPE_CHECKING:
    from aurora.interpreter import Catalog, Toolbox
    from aurora.tools.core import Context, Project


class ProjectEquipment:
    """The toolbox of one project; implements `doctor.Equipment`."""

    workflow = DEFAULT_WORKFLOW

    def __init__(self, project: Project) -> None:
        self._project = project

    def offered(self) -> tuple[str, ...]:
        """The names under which MCP shows tools unasked."""
        return tuple(str(tool.mcp) for tool in get_registry().select_mcp())

    def catalog(self) -> Catalog:
        """The project's workflows and the shipped ones."""
        return self._project.workflows

    def toolbox(self) -> Toolbox:
        """The tools as phases use them."""
        return self._project.tools

    def skill(self) -> str:
        """SKILL.md as it is now."""
        return render_skill()


def build_doctor_context(context: Context) -> DoctorContext:
    """The project of an invocation, with everything that the doctor needs."""
    return DoctorContext(context.root, ProjectEquipment(context.project), progress=context.progress)
