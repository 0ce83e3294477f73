"""Warming up: what the first request needs is imported while the person opens the link."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.tools import runs as run_tools
from aurora.ui import runs, workflows
from aurora.ui.web import Visitor, render_template

if TYPE_CHECKING:
    from .folders import FolderSource

_NAMES = {
    runs: ("list_rows", "list_gates", "draw_run", "build_panel", "build_timeline"),
    workflows: ("build_phase_panel", "build_coverage"),
    run_tools: ("explain_run", "find_question", "describe_step"),
}
"""Names of lazy packages; using one imports its module."""


def warm_up(source: FolderSource) -> None:
    """Import the views' modules, and open the first project."""
    for package, names in _NAMES.items():
        for name in names:
            getattr(package, name)
    render_template("error.html", {"base": "", "status": 0, "message": "", "remedy": ""})
    visitor = Visitor("", "")
    with contextlib.suppress(Fault):  # the page says what is wrong with the project
        for listed in source.list_projects(visitor)[:1]:
            with source.open_project(listed.name, visitor) as project:
                project.memory.journal.runs(1)
                project.workflows.list_names()
