"""Application of the page: its routes, over a source of projects.

It knows nothing of how a person authenticated.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route

from aurora.ui import views
from aurora.ui.web import answer_get, answer_post, make_error_page, serve_static

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from aurora.ui.web import ProjectSource


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
        Route("/", views.build_home(source), methods=["GET"]),
        Route("/static/{name}", serve_static, methods=["GET"]),
        Route("/p/{project}/live", views.build_live(source), methods=["GET"]),
    ]
    for path, view in views.PAGES.items():
        routes.append(Route(f"/p/{{project}}{path}", answer_get(source, view), methods=["GET"]))
    for path, view in views.FORMS.items():
        routes.append(Route(f"/p/{{project}}{path}", answer_post(source, view), methods=["POST"]))
    return routes


def _show_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = HTTPStatus(status).phrase.lower()
    return make_error_page(request, status, f"{request.url.path[:200]}: {message}", "The links above lead on.")
