"""Warming up: the first pages are rendered while the person opens the link, so that theirs import and read little."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from starlette.requests import Request

from aurora.ui import workflows
from aurora.ui.views import PAGES
from aurora.ui.web import PageRequest, Visitor

if TYPE_CHECKING:
    from .folders import FolderSource

_SCOPE = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}


def warm_up(source: FolderSource, run: str = "") -> None:
    """Render the list of runs of the first project, and its newest run.

    Args:
        source: the projects.
        run: the run to render instead of the newest one.
    """
    for name in ("build_phase_panel", "build_coverage"):
        getattr(workflows, name)  # imports its module
    visitor = Visitor("", "")
    with contextlib.suppress(Exception):  # the page says what is wrong with the project
        for listed in source.list_projects(visitor)[:1]:
            with source.open_project(listed.name, visitor) as project:
                newest = run or next((row.run for row in project.memory.journal.runs(1)), "")
                for path in ("/runs", "/runs/{run}") if newest else ("/runs",):
                    request = Request({**_SCOPE, "path_params": {"run": newest}})
                    PAGES[path](PageRequest(request, visitor, source, listed.name, project, {}))
