"""Warming up: what the first request needs is imported while the person opens the link."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from aurora.tools import runs as run_tools
from aurora.tools.core import Context
from aurora.tools.runtime import new_request_id
from aurora.ui import runs, workflows
from aurora.ui.web import Visitor, render_template

if TYPE_CHECKING:
    from aurora.tools.core import Project

    from .folders import FolderSource

_NAMES = {
    runs: ("list_rows", "list_gates", "draw_run", "build_panel", "build_timeline"),
    workflows: ("build_phase_panel", "build_coverage"),
    run_tools: ("explain_one_step", "find_question", "describe_step"),
}
"""Names of lazy packages; using one imports its module."""


def warm_up(source: FolderSource, run: str = "") -> None:
    """Import the views' modules, and open the first project with the workflow of its newest run.

    Args:
        source: the projects.
        run: the run to open instead of the newest one.
    """
    for package, names in _NAMES.items():
        for name in names:
            getattr(package, name)
    render_template("error.html", {"base": "", "status": 0, "message": "", "remedy": ""})
    visitor = Visitor("", "")
    with contextlib.suppress(Exception):  # the page says what is wrong with the project
        for listed in source.list_projects(visitor)[:1]:
            with source.open_project(listed.name, visitor) as project:
                project.workflows.list_names()
                _warm_run(project, run)


def _warm_run(project: Project, run: str) -> None:
    """Read the workflow of a run with its file, which gives rules their places."""
    journal = project.memory.journal
    row = journal.head(run) if run else next(iter(journal.runs(1)), None)
    steps = journal.steps(row.run) if row is not None else ()
    if row is not None and steps:
        run_tools.find_run_workflow(project, row)
        run_tools.explain_one_step(row, steps, len(steps), Context(project, {}, new_request_id(), surface="page"))
