"""Warming up: render each view while the person opens the link.

The views that they open then import and read little.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from aurora.ui import workflows
from aurora.ui.views import PAGES
from aurora.ui.web import PageRequest, Visitor

from .prepare import check_apart

if TYPE_CHECKING:
    from aurora.memory import RunRow
    from aurora.tools.core import Project

    from .folders import FolderSource

_SCOPE = {"type": "http", "method": "GET", "path": "/", "headers": []}
_VISITOR = Visitor("", "")


def warm_up(source: FolderSource, run: str = "") -> None:
    """Have the workflows of each project checked, and render its views.

    Args:
        source: the projects.
        run: the run to render instead of the newest one.
    """
    for name in ("build_phase_panel", "build_coverage"):
        getattr(workflows, name)  # imports its module
    anyio.run(_use_thread)
    for listed in source.list_projects(_VISITOR):
        with contextlib.suppress(Exception):  # the page says what is wrong with the project
            _Warming(source, listed.name).render_every_view(run)
        run = ""


async def _use_thread() -> None:
    """Import what the first request in a thread needs."""
    await run_in_threadpool(int)


class _Warming:
    """Rendering of the views of one project."""

    def __init__(self, source: FolderSource, name: str) -> None:
        self._source = source
        self._name = name

    def render_every_view(self, run: str) -> None:
        """Render the views."""
        with self._source.open_project(self._name, _VISITOR) as project:
            if project.workflows.list_unkept() and not project.read_only:
                check_apart(project.root)  # first: a run that waits for the person needs its workflow
            self._render(project, "/runs")
            self._render_run(project, _find_run(project, run))
            self._render(project, "/workflows")
            self._render(project, "/memory")

    def _render_run(self, project: Project, row: RunRow | None) -> None:
        if row is None:
            return
        self._render(project, "/runs/{run}", run=row.run)
        self._render(project, "/runs/{run}/case", run=row.run)
        self._render(project, "/runs/compare", {"a": row.run, "b": row.run})
        self._render(project, "/workflows/{workflow}", workflow=row.workflow)
        self._render(project, "/workflows/{workflow}", {"tab": "coverage"}, workflow=row.workflow)

    def _render(self, project: Project, path: str, query: dict[str, str] | None = None, **parts: Any) -> None:
        with contextlib.suppress(Exception):  # as above
            scope = {**_SCOPE, "path_params": parts, "query_string": urlencode(query or {}).encode()}
            PAGES[path](PageRequest(Request(scope), _VISITOR, self._source, self._name, project, {}))


def _find_run(project: Project, run: str) -> RunRow | None:
    """Find the run of this name, or the newest one."""
    journal = project.memory.journal
    return journal.head(run) if run else next(iter(journal.runs(1)), None)
