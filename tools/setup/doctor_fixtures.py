"""Adapter that gives the doctor the tools to check, as phases and as MCP see them.

The tools import the doctor, so the doctor cannot import the tools: it declares what it needs as a protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora import doctor
from aurora.faults import Fault
from aurora.tools import extensions
from aurora.tools.catalog import read_reference, render_skill
from aurora.tools.commands import describe_missing_program, load_policy
from aurora.tools.core import DEFAULT_WORKFLOW
from aurora.tools.runtime import get_registry
from aurora.tools.trust import survey_project, survey_unused

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.doctor import DoctorContext
    from aurora.interpreter import Catalog
    from aurora.tools.core import Context, Project
    from aurora.trust import OwnDefinitions, TrustStatus


class ProjectEquipment:
    """Tools and workflows of one project; implements `doctor.Equipment`."""

    workflow = DEFAULT_WORKFLOW

    def __init__(self, project: Project) -> None:
        self._project = project

    def offered(self) -> tuple[str, ...]:
        """Return the names of the tools that MCP lists by default."""
        return tuple(str(tool.mcp) for tool in get_registry().select_mcp())

    def catalog(self) -> Catalog:
        """Return the workflows of the project and the shipped ones."""
        return self._project.workflows

    def trust(self) -> TrustStatus:
        """Return whether the project is trusted, and why."""
        return self._project.trust.read_status()

    def own_definitions(self) -> OwnDefinitions:
        """Return the files of the project's own workflows and agents."""
        return survey_project(self._project.root)

    def unused_definitions(self) -> OwnDefinitions:
        """Return those of these files that are not used, since the person was not shown their content."""
        return survey_unused(self._project)

    def is_used(self, path: Path, content: bytes) -> bool:
        """Return whether a file of the project is trusted with this content."""
        return self._project.trust.is_unchanged(path, content)

    def allowed_commands(self) -> tuple[doctor.CommandStatus, ...]:
        """Return the programs that the person allows in the project.

        Raises:
            Fault: their configuration is wrong.
        """
        root = self._project.root
        return tuple(
            doctor.CommandStatus(command.describe(), describe_missing_program(command, root))
            for command in load_policy(root).commands
        )

    def extension_tools(self) -> tuple[doctor.ToolStatus, ...]:
        """Return the tools of installed distributions."""
        return tuple(
            doctor.ToolStatus(entry.name, entry.distribution, tool.message if isinstance(tool, Fault) else "")
            for entry, tool in extensions.list_extensions(self._project.root)
        )

    def skill(self) -> str:
        """Return the current text of SKILL.md."""
        return render_skill()

    def skill_reference(self) -> str:
        """Return the current text of the reference beside SKILL.md."""
        return read_reference()


def build_doctor_context(context: Context, url: str = "") -> DoctorContext:
    """Build the doctor's context from the context of a call; `url` is an address that the person named."""
    equipment = ProjectEquipment(context.project)
    return doctor.DoctorContext(context.root, equipment, progress=context.progress, named_url=url)
