"""Application of the page: its routes over a source of projects.

It knows nothing of how a person authenticated.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route

from . import gate, memory, overview, run, run_list, workflows
from .live import build_live
from .request import answer_get, answer_post
from .response import make_error_page, serve_static

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from .request import PageRequest, ProjectSource

PAGES: dict[str, Callable[[PageRequest], Response]] = {
    "": run_list.list_runs,
    "/runs": run_list.list_runs,
    "/runs/{run}": run.show_run,
    "/runs/{run}/export": run.export_page,
    "/runs/{run}/case": run.show_case,
    "/runs/{run}/steps/{step:int}/{part}": run.show_value,
    "/doctor": overview.show_doctor,
    "/memory": memory.show_memory,
    "/memory/chunk": memory.show_chunk,
    "/workflows": workflows.list_workflows,
    "/workflows/{workflow}": workflows.show_workflow,
}
"""Path below a project -> the view that reads."""

FORMS: dict[str, Callable[[PageRequest], Response]] = {
    "/memory/forget": memory.forget,
    "/memory/undo": memory.undo,
    "/runs/{run}/reply": gate.answer_question,
}
"""Path below a project -> the view that takes a form."""


def build_page(source: ProjectSource) -> Starlette:
    """Build the application; it can be mounted under any path.

    Each request must have a visitor in its scope, put there by `set_visitor` after the person has authenticated.

    Args:
        source: the projects.
    """
    return Starlette(routes=build_routes(source), exception_handlers={HTTPException: _show_error})


def build_routes(source: ProjectSource) -> list[BaseRoute]:
    """Build the routes over these projects."""
    routes: list[BaseRoute] = [
        Route("/", overview.build_home(source), methods=["GET"]),
        Route("/static/{name}", serve_static, methods=["GET"]),
        Route("/p/{project}/live", build_live(source), methods=["GET"]),
    ]
    for path, view in PAGES.items():
        routes.append(Route(f"/p/{{project}}{path}", answer_get(source, view), methods=["GET"]))
    for path, view in FORMS.items():
        routes.append(Route(f"/p/{{project}}{path}", answer_post(source, view), methods=["POST"]))
    return routes


def _show_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = HTTPStatus(status).phrase.lower()
    return make_error_page(request, status, f"{request.url.path[:200]}: {message}", "The links above lead on.")
