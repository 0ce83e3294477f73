"""Error pages: what is wrong, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

from .render import make_page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_STATUS = {
    Code.NOT_FOUND: 404,
    Code.INVALID_INPUT: 400,
    Code.UNAUTHORIZED: 401,
    Code.FORBIDDEN: 403,
    Code.CONFLICT: 409,
    Code.RATE_LIMITED: 429,
    Code.TIMEOUT: 503,
    Code.UPSTREAM_ERROR: 503,
}


def render_fault(request: Request, fault: Fault) -> Response:
    """Render a fault as a page."""
    return make_error_page(request, _STATUS.get(fault.code, 500), fault.message, fault.help)


def make_login_page(request: Request, message: str = "", status: int = 200) -> Response:
    """Render the form that asks for a token; `message` says why it is shown again."""
    return make_page("login.html", {"base": request.scope.get("root_path", ""), "message": message}, status)


def make_error_page(request: Request, status: int, message: str, remedy: str) -> Response:
    """Render an error page."""
    values = {"base": request.scope.get("root_path", ""), "status": status, "message": message, "remedy": remedy}
    return make_page("error.html", values, status)
