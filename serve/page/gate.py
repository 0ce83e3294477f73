"""Gate of a served page: sign in with a token, sign out, and nothing else without a session."""

from __future__ import annotations

import hmac
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse

from aurora import ui
from aurora.faults import Code, Fault
from aurora.serve.web import GRANT_KEY, PAGE, PROJECT_KEY
from aurora.tools import http

from .subject import find_grant, make_subject
from .visitor import make_visitor

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from aurora.serve.auth import Authenticator, Grant
    from aurora.serve.settings import LimitSettings

    from .session import SessionSigner
    from .source import PageSource

COOKIE, SECURE_COOKIE = "aurora_session", "__Host-aurora_session"
"""Names of the cookie over http and https.

A browser takes a name that begins with `__Host-` only from this host over https, for the path `/`. So no other site of
the domain can set a cookie of this name, which would be used in place of this one.
"""
LOGIN, LOGOUT = f"{PAGE}/login", f"{PAGE}/logout"
_STATIC = f"{PAGE}/static/"
_FORM_TYPES = frozenset({"application/x-www-form-urlencoded"})
_MAX_FORM = 256 * 1024
_MAX_LOGIN = 16 * 1024
"""Bytes of a form of this module that are read; a token has 60, and one of an identity provider some thousands."""
_PROJECT_PART = 3
"""Place of the project's name in `/ui/p/NAME/…`."""


class ServedPage:
    """ASGI application of the page, behind a guard that asks `authorize` before it reads a body.

    Args:
        source: the projects.
        authenticator: looks up tokens, and counts failed ones.
        signer: signs the cookies.
        limits: of the requests of one token.
        is_secure: clients come over https, so the cookie must not leave without it.
    """

    def __init__(
        self,
        source: PageSource,
        authenticator: Authenticator,
        signer: SessionSigner,
        limits: LimitSettings,
        *,
        is_secure: bool,
    ) -> None:
        self.source = source
        self._page = ui.build_page(source)
        self._authenticator = authenticator
        self._signer = signer
        self._limiter = http.RateLimiter(limits.requests_per_second, limits.burst)
        self._is_secure = is_secure
        self._cookie = SECURE_COOKIE if is_secure else COOKIE
        self._cookie_path = "/" if is_secure else PAGE

    def guard(self, identity: http.ServerIdentity) -> ASGIApp:
        """Return the application with its guard around it; only forms have a body here."""
        settings = http.GuardSettings(identity, body=http.BodyLimit(_MAX_FORM), content_types=_FORM_TYPES)
        return http.RequestGuard(self, settings, http.send_plain_refusal, authorize=self.authorize)

    async def authorize(self, scope: Scope) -> http.Refusal | None:
        """Lead a request without a session to the form of the token; refuse too many of one token with 429."""
        path: str = scope["path"]
        if path == LOGIN or path.startswith(_STATIC):
            return None
        try:
            visitor = self._find_visitor(scope)
            if visitor is None:
                where = {"location": LOGIN}
                return http.Refusal.make(303, Code.UNAUTHORIZED, "this page needs a session", "Sign in.", where)
            ui.set_visitor(scope, visitor)
            grant: Grant = scope[GRANT_KEY]
            name = path.split("/")[_PROJECT_PART] if path.startswith(f"{PAGE}/p/") else ""
            if name in self.source.list_names(grant):
                scope[PROJECT_KEY] = name
        except Fault as fault:
            return http.Refusal(503, fault, {"retry-after": "10"})
        return self._limiter.check(grant.id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope["root_path"] = PAGE
        if scope["path"] in {LOGIN, LOGOUT, PAGE}:
            response = await self._answer(Request(scope, receive))
            await response(scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        path, method = request.scope["path"], request.method
        if path == PAGE:
            return RedirectResponse(f"{PAGE}/", 303)
        if path == LOGIN and method in {"GET", "HEAD"}:
            return ui.make_login_page(request)
        if method != "POST":
            return ui.make_error_page(request, 405, "this address takes another method", "Use the forms of the page.")
        fields = parse_qs((await request.body())[:_MAX_LOGIN].decode("latin-1"))
        return await self._sign_in(request, fields) if path == LOGIN else self._sign_out(request, fields)

    async def _sign_in(self, request: Request, fields: dict[str, list[str]]) -> Response:
        """Set the cookie for a valid token; the form again for another one."""
        try:
            grant = await self._authenticator.verify(fields.get("token", [""])[0].strip())
        except Fault as fault:
            return ui.make_error_page(request, 503, fault.message, fault.help)
        if grant is None:
            too_many = self._authenticator.count_failure(request.scope)
            if too_many is None:
                return ui.make_login_page(request, "The token is wrong, expired or revoked.", 401)
            response = ui.make_error_page(request, 429, too_many.fault.message, too_many.fault.help)
            response.headers.update(too_many.headers)
            return response
        request.scope[GRANT_KEY] = grant
        try:
            subject = make_subject(grant, self._authenticator)
        except Fault as fault:
            return ui.make_error_page(request, 400, fault.message, fault.help)
        now = time.time()
        session = self._signer.create_session(subject, now, grant.expires)
        cookie, seconds = self._signer.make_cookie(session), max(0, session.end - int(now))
        redirect = RedirectResponse(f"{PAGE}/", 303, {"cache-control": "no-store"})
        redirect.set_cookie(
            self._cookie,
            cookie,
            seconds,
            path=self._cookie_path,
            secure=self._is_secure,
            httponly=True,
            samesite="strict",
        )
        return redirect

    def _sign_out(self, request: Request, fields: dict[str, list[str]]) -> Response:
        """Delete the cookie, for a form of this session."""
        visitor = ui.get_visitor(request.scope)
        if not hmac.compare_digest(fields.get("csrf", [""])[0].encode(), visitor.csrf.encode()):
            return ui.make_error_page(request, 403, "this form was not sent by this page", "Open the page again.")
        redirect = RedirectResponse(LOGIN, 303, {"cache-control": "no-store"})
        redirect.delete_cookie(
            self._cookie, path=self._cookie_path, secure=self._is_secure, httponly=True, samesite="strict"
        )
        return redirect

    def _find_visitor(self, scope: Scope) -> ui.Visitor | None:
        """Return the person of the session, whose grant is put into the scope for the log.

        Raises:
            Fault: the tokens cannot be read.
        """
        cookie = http.find_cookie(scope, self._cookie)
        session = self._signer.read_cookie(cookie, time.time()) if cookie is not None else None
        grant = find_grant(session, self._authenticator) if session is not None else None
        if session is None or grant is None:
            return None
        scope[GRANT_KEY] = grant
        return make_visitor(grant, session, self._signer.make_form_secret(session), LOGOUT)
