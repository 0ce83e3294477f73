"""Views of the page; each is a function from a request to a response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import doctor, memory, run, run_list, workflows
from .home import build_home
from .live import build_live

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from aurora.ui.web import PageRequest

__all__ = ["FORMS", "PAGES", "build_home", "build_live"]

PAGES: dict[str, Callable[[PageRequest], Response]] = {
    "": run_list.list_runs,
    "/runs": run_list.list_runs,
    "/runs/compare": run_list.show_comparison,
    "/runs/{run}": run.show_run,
    "/runs/{run}/export": run.export_page,
    "/runs/{run}/case": run.show_case,
    "/runs/{run}/steps/{step:int}/{part}": run.show_value,
    "/doctor": doctor.show_doctor,
    "/memory": memory.show_memory,
    "/memory/chunk": memory.show_chunk,
    "/workflows": workflows.list_workflows,
    "/workflows/{workflow}": workflows.show_workflow,
}
"""Path below a project -> the view that reads."""

FORMS: dict[str, Callable[[PageRequest], Response]] = {
    "/memory/forget": memory.forget,
    "/memory/undo": memory.undo,
    "/runs/{run}/reply": run_list.answer_question,
}
"""Path below a project -> the view that takes a form."""
