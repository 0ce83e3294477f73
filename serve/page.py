"""Page of a server: sessions of a browser, and the projects of the token behind each."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import re
import secrets
import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse

from aurora import ui
from aurora.errors import Code, Fault
from aurora.serve.tokens import Grant
from aurora.tools.http.guard import (
    BodyLimit,
    GuardSettings,
    RateLimiter,
    Refusal,
    RequestGuard,
    find_cookie,
    send_plain_refusal,
)

from .web import GRANT_KEY, PAGE, PROJECT_KEY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from aurora.serve.authentication import Authenticator
    from aurora.tools.http.address import ServerIdentity
    from aurora.tools.runtime import Workspace

    from .projects import FolderSource
    from .settings import LimitSettings

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
        self._limiter = RateLimiter(limits.requests_per_second, limits.burst)
        self._is_secure = is_secure
        self._cookie = SECURE_COOKIE if is_secure else COOKIE
        self._cookie_path = "/" if is_secure else PAGE

    def guard(self, identity: ServerIdentity) -> ASGIApp:
        """Return the application with its guard around it; only forms have a body here."""
        settings = GuardSettings(identity, body=BodyLimit(_MAX_FORM), content_types=_FORM_TYPES)
        return RequestGuard(self, settings, send_plain_refusal, authorize=self.authorize)

    async def authorize(self, scope: Scope) -> Refusal | None:
        """Lead a request without a session to the form of the token; refuse too many of one token with 429."""
        path: str = scope["path"]
        # The form of the token, and its style, are for those who have no session yet.
        if path == LOGIN or path.startswith(_STATIC):
            return None
        try:
            visitor = self._find_visitor(scope)
            if visitor is None:
                where = {"location": LOGIN}
                return Refusal.make(303, Code.UNAUTHORIZED, "this page needs a session", "Sign in.", where)
            ui.set_visitor(scope, visitor)
            grant: Grant = scope[GRANT_KEY]
            name = path.split("/")[_PROJECT_PART] if path.startswith(f"{PAGE}/p/") else ""
            if name in self.source.list_names(grant):
                scope[PROJECT_KEY] = name
        except Fault as fault:
            return Refusal(503, fault, {"retry-after": "10"})
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
            # Counted together with wrong headers, so that the form is no second way to guess.
            too_many = self._authenticator.count_failure(request.scope)
            if too_many is None:
                return ui.make_login_page(request, "The token is wrong, expired or revoked.", 401)
            response = ui.make_error_page(request, 429, too_many.fault.message, too_many.fault.help)
            response.headers.update(too_many.headers)
            return response
        request.scope[GRANT_KEY] = grant
        try:
            # The cookie names the token's id and has not the token, so that a revoked one ends the session at once.
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
        cookie = find_cookie(scope, self._cookie)
        session = self._signer.read_cookie(cookie, time.time()) if cookie is not None else None
        grant = find_grant(session, self._authenticator) if session is not None else None
        if session is None or grant is None:
            return None
        scope[GRANT_KEY] = grant
        return make_visitor(grant, session, self._signer.make_form_secret(session), LOGOUT)


@dataclass(eq=False)
class _OpenProject:
    """Project that is open.

    Attributes:
        workspace: the project.
        users: requests that use it now.
        used: when one last did.
    """

    workspace: Workspace
    users: int = 0
    used: float = 0.0


class PageSource:
    """Projects of a served page; implements `ui.ProjectSource`. Safe for use from several threads.

    Args:
        source: the projects of the server.
        authenticator: looks up the tokens.
        idle_seconds: how long a project stays open without a request.
    """

    def __init__(self, source: FolderSource, authenticator: Authenticator, idle_seconds: float) -> None:
        self._source = source
        self._authenticator = authenticator
        self._idle_seconds = idle_seconds
        self._opened: dict[tuple[str, bool], _OpenProject] = {}
        self._lock = Lock()
        self._is_stopping = False

    def list_names(self, grant: Grant) -> Sequence[str]:
        """List the names of a grant's projects."""
        return grant.list_projects(self._source.list_names())

    def list_projects(self, visitor: ui.Visitor) -> Sequence[ui.ListedProject]:
        """List the projects of the token; their folders are no concern of who visits."""
        return [ui.ListedProject(name, name) for name in self.list_names(self._find_grant(visitor))]

    @contextlib.contextmanager
    def open_project(self, name: str, visitor: ui.Visitor) -> Iterator[Workspace]:
        """Open a project of the token; read-only for the scope `read`.

        Raises:
            Fault: NOT_FOUND for a project that the token lacks, as for one that does not exist; UNAUTHORIZED when the
                session has ended; the faults of opening the project.
        """
        grant = self._find_grant(visitor)
        if name not in self.list_names(grant):
            message = f'there is no project "{name[:80]}" for this token'
            raise Fault(Code.NOT_FOUND, message, help="The list of projects shows those of your token.")
        opened = self._borrow(name, read_only=grant.find_scope(name) == "read")
        try:
            yield opened.workspace
        finally:
            with self._lock:
                opened.users -= 1
                opened.used = time.monotonic()

    def stop(self) -> None:
        """Open nothing any more, which also ends the streams of changes."""
        self._is_stopping = True

    def close(self) -> None:
        """Close all projects."""
        with self._lock:
            self._close_unused(0.0)

    def _find_grant(self, visitor: ui.Visitor) -> Grant:
        """Return the grant of the session's token as it is now: a stream of changes outlives its first look."""
        session = visitor.session if isinstance(visitor, TokenVisitor) else None
        grant = find_grant(session, self._authenticator) if session and time.time() < session.end else None
        if grant is None:
            raise Fault(Code.UNAUTHORIZED, "the session has ended", help="Sign in again.")
        return grant

    def _borrow(self, name: str, *, read_only: bool) -> _OpenProject:
        # A workspace either writes or does not, so a project may be open twice.
        place = (name, read_only)
        with self._lock:
            if self._is_stopping:
                raise Fault(Code.UPSTREAM_ERROR, "the server is stopping", help="Try again in a few seconds.")
            self._close_unused(self._idle_seconds)
            opened = self._opened.get(place)
            if opened is None:
                opened = self._opened[place] = _OpenProject(self._source.open(name, read_only=read_only))
            opened.users += 1
            return opened

    def _close_unused(self, idle_seconds: float) -> None:
        now = time.monotonic()
        for place, opened in list(self._opened.items()):
            if not opened.users and now - opened.used >= idle_seconds:
                del self._opened[place]
                with contextlib.suppress(Exception):
                    opened.workspace.close()


_PREFIX = "jwt-"

_MAX_CHARS = 3_000
"""Length of a subject in a cookie, of which browsers keep 4,096 bytes."""


def make_subject(grant: Grant, authenticator: Authenticator) -> str:
    """Return the subject of a session that this grant opens.

    A JSON Web Token is stored nowhere, so its subject has the grant itself, and the provider that gave it.

    Raises:
        Fault: INVALID_INPUT for a grant that is too long for a cookie.
    """
    if not grant.is_from_provider:
        return grant.id
    value = [authenticator.provider, grant.id, grant.name, dict(grant.projects)]
    packed = base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")
    if len(packed) > _MAX_CHARS:
        message = "the token names too many projects for a session"
        raise Fault(Code.INVALID_INPUT, message, help="Ask for a token with fewer scopes, or with `aurora:*:read`.")
    return _PREFIX + packed


def find_grant(session: Session, authenticator: Authenticator) -> Grant | None:
    """Return the grant of a session that is signed and has not ended; None if it is no longer valid.

    That of a stored token is looked up again, so that it ends when the token is revoked or expires. That of a JSON Web
    Token ends with the session, and when the server has another provider.

    Raises:
        Fault: the tokens cannot be read.
    """
    if not session.subject.startswith(_PREFIX):
        token = authenticator.find_by_id(session.subject)
        return Grant.from_token(token) if token is not None else None
    packed = session.subject.removeprefix(_PREFIX)
    provider, identifier, name, projects = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    return Grant(identifier, name, projects) if provider and provider == authenticator.provider else None


_NO_PERSON = (
    "Only a token with the scope `admin` changes anything on this page: an assistant has one with `write`, and must "
    "not answer in your place. Ask the operator of the server for a token with `--scope admin`."
)

_NO_ADMIN = "Forget, undo and the doctor need a token with the scope `admin`. Ask the operator of the server for one."


class Session(NamedTuple):
    """Session of a browser.

    Attributes:
        subject: who opened it, as `make_subject` returns it.
        end: the time in seconds since 1970.
        nonce: random text, so that no two sessions are equal.
    """

    subject: str
    end: int
    nonce: str


@dataclass(frozen=True, slots=True)
class TokenVisitor(ui.Visitor):
    """Person with a token.

    Attributes:
        session: the session, whose token is looked up again whenever a project is opened.
    """

    session: Session | None = None


def make_visitor(grant: Grant, session: Session, form_secret: str, sign_out: str) -> TokenVisitor:
    """Return the visitor of a session, who may do what the scopes of the grant allow."""
    return TokenVisitor(
        grant.name,
        form_secret,
        refusal=_NO_PERSON if not grant.is_admin else "",
        admin_refusal=_NO_ADMIN if not grant.is_admin else "",
        sign_out=sign_out,
        session=session,
    )


SESSION_SECONDS = 12 * 3600


_NONCE_BYTES = 16

_FORM = re.compile(
    r"(?P<subject>[0-9a-f]{12}|jwt-[A-Za-z0-9_-]{1,3000})\.(?P<end>[0-9]{1,12})\."
    r"(?P<nonce>[A-Za-z0-9_-]{22})\.(?P<mac>[0-9a-f]{64})"
)


class SessionSigner:
    """Signer of cookies.

    Args:
        key: of the server; all workers have the same.
    """

    def __init__(self, key: bytes) -> None:
        # A key of its own: nothing that the server signs for another purpose is valid as a cookie.
        self._key = hmac.new(key, b"aurora page session", hashlib.sha256).digest()

    def create_session(self, subject: str, now: float, expires: float | None = None) -> Session:
        """Create a session that ends in 12 hours, or when its token expires, whichever is first."""
        end = now + SESSION_SECONDS
        return Session(subject, int(end if expires is None else min(end, expires)), secrets.token_urlsafe(_NONCE_BYTES))

    def make_cookie(self, session: Session) -> str:
        """Return the value of the cookie."""
        return f"{session.subject}.{session.end}.{session.nonce}.{self._sign('cookie', session)}"

    def read_cookie(self, text: str, now: float) -> Session | None:
        """Return the session of a cookie; None if it has ended, or another key has signed it."""
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        session = Session(found["subject"], int(found["end"]), found["nonce"])
        is_signed = hmac.compare_digest(found["mac"], self._sign("cookie", session))
        return session if is_signed and now < session.end else None

    def make_form_secret(self, session: Session) -> str:
        """Return the secret that each form of the session sends back."""
        return self._sign("form", session)

    def _sign(self, purpose: str, session: Session) -> str:
        text = f"{purpose}.{session.subject}.{session.end}.{session.nonce}"
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
