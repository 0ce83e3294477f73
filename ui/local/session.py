"""Session of the local page: a link that works once, and a cookie that no script reads."""

from __future__ import annotations

import hmac
import secrets
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse

from aurora.tools import http
from aurora.ui.web import make_error_page, set_visitor

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from aurora.ui.web import Visitor

_BYTES = 32


def make_secret() -> str:
    """Make a secret that nobody guesses."""
    return secrets.token_urlsafe(_BYTES)


class SessionGate:
    """ASGI application that lets only one browser through: the one that opened the link first.

    Args:
        app: the page.
        port: the port of the server. Cookies are shared by all ports of a host, so the name of this one has it.
        visitor: the person.
        place: the path to which the link leads.
    """

    def __init__(self, app: ASGIApp, port: int, visitor: Visitor, place: str = "/") -> None:
        self._app = app
        self._cookie = f"aurora_{port}"
        self._token = make_secret()
        self._session = make_secret()
        self._is_used = False
        self._lock = Lock()
        self._visitor = visitor
        self._place = place

    @property
    def token(self) -> str:
        """The secret of the link."""
        return self._token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the session, or open the session."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if token and scope["path"] == "/" and scope["method"] == "GET":
            response = self._open_session(request, token)
            await response(scope, receive, send)
        elif self._has_session(request) or scope["path"].startswith("/static/"):
            set_visitor(scope, self._visitor)
            await self._app(scope, receive, send)
        else:
            remedy = "Open the link that `aur ui` printed, in the browser that opened it first; or run `aur ui` again."
            refused = make_error_page(request, 401, "this page needs a session", remedy)
            await refused(scope, receive, send)

    def _open_session(self, request: Request, token: str) -> Response:
        with self._lock:
            fits = hmac.compare_digest(token.encode(), self._token.encode()) and not self._is_used
            self._is_used = self._is_used or fits
        if not fits and not self._has_session(request):
            remedy = "A link works once. Run `aur ui` again for another one."
            return make_error_page(request, 401, "this link was used already, or is not one of this page", remedy)
        response = RedirectResponse(self._place, 303, {"cache-control": "no-store", "referrer-policy": "no-referrer"})
        if fits:
            response.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
        return response

    def _has_session(self, request: Request) -> bool:
        cookie = http.find_cookie(request.scope, self._cookie)
        return cookie is not None and hmac.compare_digest(cookie.encode(), self._session.encode())
