"""Application of a server: it authenticates each request, and leads it to its project."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, quote_names
from aurora.serve.auth import Grant
from aurora.tools import http
from aurora.tools.mcp import Caller, set_caller

from .addresses import (
    HEALTH,
    METRICS,
    READY,
    Endpoint,
    is_page_path,
    parse_endpoint,
    parse_metadata_path,
)
from .metadata import build_metadata, build_metadata_url
from .metrics import CONTENT_TYPE
from .request_log import RequestRecord, log_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from aurora.serve.auth import Authenticator
    from aurora.serve.pool import ProjectPool
    from aurora.serve.settings import ServeSettings
    from aurora.serve.sources import ProjectSource
    from aurora.tools.http import Refusal, ServerIdentity

    from .metrics import Metrics

GRANT_KEY, PROJECT_KEY = "aurora.grant", "aurora.project"
"""Keys of the grant and of the project's name in the scope of a request, for the log and the metrics."""
_CLIENT_GONE = 499
OPEN_PATHS = frozenset({HEALTH, READY})


@dataclass(frozen=True)
class ServedProjects:
    """Projects of a server: their source, and those that are open."""

    source: ProjectSource
    pool: ProjectPool


class Application:
    """ASGI application behind the guard, which asks `authorize` before it reads a body.

    Args:
        projects: the projects.
        authenticator: verifies tokens.
        identity: the names of the server.
        settings: the limits, and the identity provider.
        metrics: counts requests.
    """

    def __init__(
        self,
        projects: ServedProjects,
        authenticator: Authenticator,
        identity: ServerIdentity,
        settings: ServeSettings,
        metrics: Metrics,
    ) -> None:
        self._projects = projects
        self._authenticator = authenticator
        self._identity = identity
        self._settings = settings
        self._metrics = metrics
        self._limiter = http.RateLimiter(settings.limits.requests_per_second, settings.limits.burst)
        self.is_stopping = False

    def stop(self) -> None:
        """Report that the server is not ready any more, and end what would keep it from stopping."""
        self.is_stopping = True
        self._projects.pool.close_streams()

    async def authorize(self, scope: Scope) -> Refusal | None:
        """Refuse a request without a valid token, with 401, or too many of one token, with 429."""
        path = scope["raw_path"].decode("latin-1")
        if path in OPEN_PATHS or parse_metadata_path(scope["raw_path"]) is not None:
            return None
        metadata_path = path if parse_endpoint(scope["raw_path"]) is not None else "/mcp"
        found = await self._authenticator.authenticate(scope, build_metadata_url(self._identity, metadata_path))
        if not isinstance(found, Grant):
            return found
        scope[GRANT_KEY] = found
        return self._limiter.check(found.id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
            return
        endpoint = parse_endpoint(scope["raw_path"])
        if endpoint is not None:
            await self._answer_mcp(endpoint, scope, receive, send)
            return
        answer = self._answer_get(scope)
        if isinstance(answer, http.Refusal):
            await http.send_refusal(send, answer)
        else:
            body, content_type = answer
            await http.send_response(send, 200, body, content_type, {"cache-control": "no-store"})

    async def _answer_mcp(self, endpoint: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
        grant: Grant = scope[GRANT_KEY]
        name = self._find_project(endpoint, grant)
        if isinstance(name, http.Refusal):
            await http.send_refusal(send, name)
            return
        allowed = grant.find_scope(name) or "read"
        scope[PROJECT_KEY] = name
        set_caller(scope, Caller(grant.name, allowed))
        try:
            async with self._projects.pool.borrow(name, read_only=allowed == "read") as answer:
                await answer(scope, receive, send)
        except Fault as fault:
            await http.send_refusal(send, http.Refusal(503, fault, {"retry-after": "10"}))

    def _find_project(self, endpoint: Endpoint, grant: Grant) -> str | Refusal:
        """Return the name of the project.

        A project that the grant lacks is answered as one that does not exist.
        """
        known = grant.list_projects(self._projects.source.list_names())
        if endpoint.project in known:
            return endpoint.project
        if not endpoint.project and len(known) == 1:
            return known[0]
        if endpoint.project:
            message = f'there is no project "{endpoint.project}" for this token'
        elif known:
            message = f"this token has {len(known)} projects, so the address must name one"
        else:
            message = "this token has no project here"
        help_ = f"Use the address /p/NAME/mcp with one of {quote_names(known)}." if known else "Ask the operator."
        return http.Refusal.make(404, Code.NOT_FOUND, message, help_)

    def _answer_get(self, scope: Scope) -> tuple[bytes, str] | Refusal:
        """Return the body and its type for the other addresses."""
        path, described = scope["raw_path"].decode("latin-1"), parse_metadata_path(scope["raw_path"])
        known = {HEALTH, READY, METRICS}
        if path not in known and described is None:
            is_open = self._authenticator.is_open
            is_one = is_open and len(self._projects.source.list_names()) == 1
            page = "there is no page, since it asks for no tokens" if is_open else "the page is at /ui/"
            help_ = f"MCP is at {'/mcp' if is_one else '/p/NAME/mcp'}; {page}."
            return http.Refusal.make(404, Code.NOT_FOUND, "there is nothing at this address", help_)
        if scope["method"] not in {"GET", "HEAD"}:
            return http.Refusal.make(
                405, Code.INVALID_INPUT, "this address takes GET requests only", headers={"allow": "GET, HEAD"}
            )
        if described is not None:
            return build_metadata(self._identity, described, self._settings.jwt), "application/json"
        if path == METRICS:
            return self._render_metrics(scope[GRANT_KEY])
        return self._check_ready() if path == READY else (b"ok\n", "text/plain")

    def _render_metrics(self, grant: Grant) -> tuple[bytes, str] | Refusal:
        if grant.find_scope("*") is None:
            message = "the metrics are of all projects, and this token has only some"
            return http.Refusal.make(403, Code.FORBIDDEN, message, "Use a token for all projects: `--project '*'`.")
        return self._metrics.render(), CONTENT_TYPE

    def _check_ready(self) -> tuple[bytes, str] | Refusal:
        """Return 503 while the server stops, or where a project is missing."""
        if self.is_stopping:
            return http.Refusal.make(503, Code.UPSTREAM_ERROR, "the server is stopping")
        try:
            self._projects.source.check()
        except Fault:  # its message is for the log of the operator: anyone may ask here
            return http.Refusal.make(503, Code.UPSTREAM_ERROR, "a project cannot be opened")
        return b"ready\n", "text/plain"

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._projects.pool.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def observe(self, inner: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Count and log a request around the guard, also one that it refuses."""
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        began, status = time.perf_counter(), _CLIENT_GONE

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.start_request()
        try:
            await inner(scope, receive, send_noting)
        finally:
            seconds = time.perf_counter() - began
            grant: Grant | None = scope.get(GRANT_KEY)
            project = scope.get(PROJECT_KEY, "")
            self._metrics.finish_request(_name_route(scope), project, status, seconds)
            caller = grant.id if grant is not None else ""
            path = scope["raw_path"].decode("latin-1")
            log_request(RequestRecord(scope["method"], path, status, seconds, project, caller))


def _name_route(scope: Scope) -> str:
    if parse_endpoint(scope["raw_path"]) is not None:
        return "mcp"
    if is_page_path(scope["raw_path"]):
        return "page"
    path: str = scope["raw_path"].decode("latin-1")
    if path in {HEALTH, READY, METRICS}:
        return path.strip("/")
    return "metadata" if parse_metadata_path(scope["raw_path"]) is not None else "other"


def build_application(
    app: Application, identity: ServerIdentity, settings: ServeSettings, page: ASGIApp | None = None
) -> ASGIApp:
    """Return the application with its guard around it, and the count of requests around both.

    Args:
        app: the application.
        identity: the names of the server.
        settings: the limits.
        page: the page with a guard of its own; None without one.
    """
    limits = http.GuardSettings(identity, http.BodyLimit(settings.limits.body_bytes), open_paths=OPEN_PATHS)
    guard = http.RequestGuard(app, limits, authorize=app.authorize)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["raw_path"] if scope["type"] == "http" else b""
        await app.observe(page if page is not None and is_page_path(path) else guard, scope, receive, send)

    return serve
