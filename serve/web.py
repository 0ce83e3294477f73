"""Web application of a server: addresses, metadata, health, metrics and the log of requests."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

from aurora.errors import Code, Fault, escape_json, quote_names, show_hidden
from aurora.serve.tokens import Grant
from aurora.system.environment import read_value
from aurora.tools.http.guard import (
    BodyLimit,
    GuardSettings,
    RateLimiter,
    Refusal,
    RequestGuard,
    send_refusal,
    send_response,
)
from aurora.tools.mcp.access import SCOPES, Caller, set_caller

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from aurora.serve.authentication import Authenticator
    from aurora.tools.http.address import ServerIdentity

    from .projects import FolderSource, ProjectPool
    from .settings import JwtSettings, ServeSettings

GRANT_KEY, PROJECT_KEY = "aurora.grant", "aurora.project"
"""Keys of the grant and of the project's name in the scope of a request, for the log and the metrics."""


_CLIENT_GONE = 499

HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"


OPEN_PATHS = frozenset({HEALTH, READY})


@dataclass(frozen=True)
class ServedProjects:
    """Projects of a server: their source, and those that are open."""

    source: FolderSource
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
        self._limiter = RateLimiter(settings.limits.requests_per_second, settings.limits.burst)
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
        if isinstance(answer, Refusal):
            await send_refusal(send, answer)
        else:
            body, content_type = answer
            await send_response(send, 200, body, content_type, {"cache-control": "no-store"})

    async def _answer_mcp(self, endpoint: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
        grant: Grant = scope[GRANT_KEY]
        name = self._find_project(endpoint, grant)
        if isinstance(name, Refusal):
            await send_refusal(send, name)
            return
        allowed = grant.find_scope(name) or "read"
        scope[PROJECT_KEY] = name
        set_caller(scope, Caller(grant.name, allowed))
        try:
            async with self._projects.pool.borrow(name, read_only=allowed == "read") as answer:
                await answer(scope, receive, send)
        except Fault as fault:
            await send_refusal(send, Refusal(503, fault, {"retry-after": "10"}))

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
        return Refusal.make(404, Code.NOT_FOUND, message, help_)

    def _answer_get(self, scope: Scope) -> tuple[bytes, str] | Refusal:
        """Return the body and its type for the other addresses."""
        path, described = scope["raw_path"].decode("latin-1"), parse_metadata_path(scope["raw_path"])
        known = {HEALTH, READY, METRICS}
        if path not in known and described is None:
            is_open = self._authenticator.is_open
            is_one = is_open and len(self._projects.source.list_names()) == 1
            page = "there is no page, since it asks for no tokens" if is_open else "the page is at /ui/"
            help_ = f"MCP is at {'/mcp' if is_one else '/p/NAME/mcp'}; {page}."
            return Refusal.make(404, Code.NOT_FOUND, "there is nothing at this address", help_)
        if scope["method"] not in {"GET", "HEAD"}:
            return Refusal.make(
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
            return Refusal.make(403, Code.FORBIDDEN, message, "Use a token for all projects: `--project '*'`.")
        return self._metrics.render(), CONTENT_TYPE

    def _check_ready(self) -> tuple[bytes, str] | Refusal:
        """Return 503 while the server stops, or where a project is missing."""
        if self.is_stopping:
            return Refusal.make(503, Code.UPSTREAM_ERROR, "the server is stopping")
        try:
            self._projects.source.check()
        except Fault:  # its message is for the log of the operator: anyone may ask here
            return Refusal.make(503, Code.UPSTREAM_ERROR, "a project cannot be opened")
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
    limits = GuardSettings(identity, BodyLimit(settings.limits.body_bytes), open_paths=OPEN_PATHS)
    guard = RequestGuard(app, limits, authorize=app.authorize)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["raw_path"] if scope["type"] == "http" else b""
        await app.observe(page if page is not None and is_page_path(path) else guard, scope, receive, send)

    return serve


def build_metadata(identity: ServerIdentity, endpoint: Endpoint, jwt: JwtSettings | None) -> bytes:
    """Return the JSON document. It is the same for a project that exists and for one that does not."""
    project = endpoint.project or "*"
    document: dict[str, Any] = {
        "resource": f"{identity.url}{endpoint.path}",
        "resource_name": "Aurora",
        "bearer_methods_supported": ["header"],
        "scopes_supported": [f"aurora:{project}:{scope}" for scope in SCOPES],
    }
    if jwt is not None:
        document["authorization_servers"] = [jwt.issuer]
    return json.dumps(document).encode()


def build_metadata_url(identity: ServerIdentity, path: str) -> str:
    """Return the URL of the metadata of an address."""
    return f"{identity.url}{METADATA}{path}"


METADATA = "/.well-known/oauth-protected-resource"


PAGE = "/ui"
"""Address of the page, without a slash at the end."""


_ENDPOINT = re.compile(r"/mcp|/p/(?P<project>[a-z0-9][a-z0-9_-]{0,62})/mcp")


class Endpoint(NamedTuple):
    """Address of MCP.

    Attributes:
        path: as in the URL.
        project: the name of the project; empty for `/mcp`.
    """

    path: str
    project: str


def parse_endpoint(raw_path: bytes) -> Endpoint | None:
    """Return the address of MCP that a path is, byte for byte: no escapes, no dots, no slash at the end."""
    path = raw_path.decode("latin-1")
    found = _ENDPOINT.fullmatch(path)
    return Endpoint(path, found["project"] or "") if found else None


def is_page_path(raw_path: bytes) -> bool:
    """Return True for an address of the page."""
    path = raw_path.decode("latin-1")
    return path == PAGE or path.startswith(f"{PAGE}/")


def parse_metadata_path(raw_path: bytes) -> Endpoint | None:
    """Return the address whose metadata a path asks for; the path alone asks for that of `/mcp`."""
    path = raw_path.decode("latin-1")
    if path == METADATA:
        return Endpoint("/mcp", "")
    return parse_endpoint(path.removeprefix(METADATA).encode("latin-1")) if path.startswith(f"{METADATA}/") else None


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of the library: the folder in which workers keep their figures; set for them by the parent process."""


_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)


class Metrics:
    """Figures of a server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        names = ("route", "project")
        self._requests = Counter(
            "aurora_http_requests", "Requests by status.", (*names, "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "aurora_http_request_seconds", "Durations of requests.", names, registry=self._registry, buckets=_SECONDS
        )
        self._running = Gauge(
            "aurora_http_requests_running",
            "Requests that run now.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def start_request(self) -> None:
        """Count a request that begins."""
        self._running.inc()

    def finish_request(self, route: str, project: str, status: int, seconds: float) -> None:
        """Count a request that has ended.

        Args:
            route: its kind, one of a few words.
            project: the name of a served project, or empty.
            status: its HTTP status.
            seconds: its duration.
        """
        self._running.dec()
        self._requests.labels(route, project, str(status)).inc()
        self._seconds.labels(route, project).observe(seconds)

    def render(self) -> bytes:
        """Return the figures as text."""
        folder = os.environ.get(FOLDER_VARIABLE)
        if not folder:
            return generate_latest(self._registry)
        for process in _list_dead_processes(Path(folder)):
            multiprocess.mark_process_dead(process, folder)  # type: ignore[no-untyped-call] # of the library
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call] # as above
        return generate_latest(registry)


def _list_dead_processes(folder: Path) -> Iterator[int]:
    """Yield the workers that were killed while they counted requests as running."""
    for path in folder.glob("gauge_live*.db"):
        process = path.stem.rpartition("_")[2]
        if process.isdecimal() and not _is_alive(int(process)):
            yield int(process)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


log = logging.getLogger("aurora.http.requests")


_MAX_PATH = 200

_MAX_NAME = 64

_TOKEN = re.compile(r"aur_|eyJ|bearer", re.IGNORECASE)
"""Beginnings of a token of Aurora, of a JSON Web Token, and of the header that a token belongs into."""


class RequestRecord(NamedTuple):
    """Record of one request.

    Attributes:
        method: its method.
        path: its path without the query.
        status: the HTTP status of the response; 499 when the client has gone before it.
        seconds: its duration.
        project: the name of the project; empty without one.
        caller: the id of the token or its subject; empty without a valid one.
    """

    method: str
    path: str
    status: int
    seconds: float
    project: str
    caller: str


def log_request(request: RequestRecord) -> None:
    """Log one request."""
    if not log.isEnabledFor(logging.INFO):
        return
    record = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "method": request.method[:20],
        "path": mask_path(request.path)[:_MAX_PATH],
        "status": request.status,
        "duration_ms": round(request.seconds * 1000, 1),
        "project": request.project,
        "caller": request.caller,
    }
    log.info(escape_json(json.dumps(record, separators=(",", ":"))))


def mask_path(path: str) -> str:
    """Return a path without the parts that may be a token.

    Who sends one in an address sends it to the log, too.
    """
    names = path.split("/")
    return "/".join("[hidden]" if _TOKEN.search(unquote(one)) or len(one) > _MAX_NAME else one for one in names)


class _EscapingFormatter(logging.Formatter):
    """Formatter that keeps characters of a request from moving the cursor or hiding in the log."""

    def format(self, record: logging.LogRecord) -> str:
        return show_hidden(super().format(record))


def configure_request_log() -> None:
    """Send the log of requests, and errors of the libraries, to standard error.

    AURORA_LOG sets the least level.
    """
    wanted = (read_value("AURORA_LOG") or "info").upper()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_EscapingFormatter("%(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.ERROR)
    ours = logging.getLogger("aurora")
    ours.setLevel(logging.CRITICAL + 1 if wanted == "OFF" else logging.getLevelNamesMapping()[wanted])
