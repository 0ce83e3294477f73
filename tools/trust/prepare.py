"""Check of the large workflows of a project that was just trusted, before their first step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.catalog.kept import is_large

from .report import MAX_WORKFLOWS
from .survey import survey_project

if TYPE_CHECKING:
    from aurora.tools.core import Project


def check_large_workflows(project: Project) -> None:
    """Check the large workflows of a trusted project; those without errors are kept as checked.

    Without trust nothing is kept, so nothing is checked.
    """
    if not project.trust.is_trusted():
        return
    for file in survey_project(project.root).workflows[:MAX_WORKFLOWS]:
        if is_large(project.root / file):
            project.workflows.find_problems(str(project.root / file))
