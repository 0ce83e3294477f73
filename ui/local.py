"""The page on this machine: folders as projects, a link that works once, and the server."""

from __future__ import annotations

import hmac
import re
import secrets
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Route

from aurora.errors import Code, Fault, did_you_mean
from aurora.memory.files import has_memory
from aurora.tools.http.address import ListenAddress, ServerIdentity, bind_socket
from aurora.tools.http.guard import BodyLimit, GuardSettings, RequestGuard, find_cookie, send_plain_refusal
from aurora.tools.http.run import ServerOptions, run_server
from aurora.tools.runtime import Workspace, call_tool

from . import gate, memory, run, run_list, workflows
from .live import build_live
from .request import ListedProject, Visitor, answer_get, answer_post, get_visitor, set_visitor
from .response import describe_moment, make_error_page, make_page, render_fault, serve_static

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .request import PageRequest, ProjectSource

_MAX_FORM = 256 * 1024

_FORM_TYPES = frozenset({"application/x-www-form-urlencoded"})


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Options of the local page.

    Attributes:
        port: the port; 0 for a free one.
        name: the person, for the journal.
        refusal: why the page may change nothing; empty when it may.
        read_only: nothing is written.
        run: the run of the first project to which the link leads; empty for the list of runs.
    """

    port: int = 0
    name: str = ""
    refusal: str = ""
    read_only: bool = False
    run: str = ""


def serve_page(roots: Sequence[Path], options: PageOptions, announce: Callable[[str], None]) -> None:
    """Serve the page of these folders until SIGTERM or SIGINT.

    Args:
        roots: the folders of the projects.
        options: the port and the person.
        announce: called with the link once the server takes requests.

    Raises:
        Fault: CONFLICT or FORBIDDEN when the port cannot be used.
    """
    # Bound before the server starts, so that the link has the port that the system chose.
    listening = bind_socket(ListenAddress("127.0.0.1", options.port))
    address = ListenAddress("127.0.0.1", listening.getsockname()[1])
    source = FolderSource(roots, read_only=options.read_only)
    visitor = Visitor(options.name, make_secret(), options.refusal)
    first = source.list_projects(visitor)[0].name
    place = f"/p/{quote(first)}/runs/{quote(options.run, safe='')}" if options.run else "/"
    gate = SessionGate(build_page(source), address.port, visitor, place)
    settings = GuardSettings(
        ServerIdentity.from_address(address),
        body=BodyLimit(_MAX_FORM),
        content_types=_FORM_TYPES,
        # The link itself carries its token in the query; it works once, and leads to an address without it.
        credential_names=frozenset(),
    )
    guard = RequestGuard(gate, settings, send_plain_refusal)
    try:
        run_server(
            guard,
            listening,
            ServerOptions(stop_seconds=2),
            lambda: announce(f"{address.url}/?token={gate.token}"),
        )
    finally:
        source.close()


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
        # Another secret than the link's: who finds the link later, in the output of the terminal, has no session.
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
        # The static files say nothing of a project, and the page that refuses needs its style.
        elif self._has_session(request) or scope["path"].startswith("/static/"):
            set_visitor(scope, self._visitor)
            await self._app(scope, receive, send)
        else:
            remedy = "Open the link that `aur ui` printed, in the browser that opened it first; or run `aur ui` again."
            refused = make_error_page(request, 401, "this page needs a session", remedy)
            await refused(scope, receive, send)

    def _open_session(self, request: Request, token: str) -> Response:
        with self._lock:
            # Under the lock, so that two browsers with the same link do not both get the session.
            fits = hmac.compare_digest(token.encode(), self._token.encode()) and not self._is_used
            self._is_used = self._is_used or fits
        # A reload of the link in the browser that opened it leads to the page.
        if not fits and not self._has_session(request):
            remedy = "A link works once. Run `aur ui` again for another one."
            return make_error_page(request, 401, "this link was used already, or is not one of this page", remedy)
        response = RedirectResponse(self._place, 303, {"cache-control": "no-store", "referrer-policy": "no-referrer"})
        if fits:
            # No script can read the cookie, and no other site sends it; a form has a secret besides.
            response.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
        return response

    def _has_session(self, request: Request) -> bool:
        cookie = find_cookie(request.scope, self._cookie)
        return cookie is not None and hmac.compare_digest(cookie.encode(), self._session.encode())


_CACHE_KIB = 500
"""KiB of a database that a connection of the page keeps in memory; the system keeps the file as well."""

_OTHER = re.compile(r"[^a-z0-9_.-]+")


class FolderSource:
    """Projects of the folders that a person named; implements `ProjectSource`.

    Safe for use from several threads.

    Args:
        roots: the folders, each of which is a project.
        read_only: nothing is written.
    """

    def __init__(self, roots: Sequence[Path], *, read_only: bool = False) -> None:
        self._roots = _name_folders(roots)
        self._read_only = read_only
        self._opened: dict[str, Workspace] = {}
        self._empty: dict[str, Workspace] = {}
        self._lock = Lock()

    def list_projects(self, visitor: Visitor) -> Sequence[ListedProject]:  # noqa: ARG002 - one person sees all
        """List all folders."""
        return [ListedProject(name, root.name or str(root), str(root)) for name, root in self._roots.items()]

    @contextmanager
    def open_project(self, name: str, visitor: Visitor) -> Iterator[Workspace]:  # noqa: ARG002 - as above
        """Open a folder's project, which stays open until `close`.

        Raises:
            Fault: NOT_FOUND for an unknown name.
        """
        root = self._roots.get(name)
        if root is None:
            help_ = did_you_mean(name, self._roots) or "The list of projects shows those of this page."
            raise Fault(Code.NOT_FOUND, f'there is no project "{name[:80]}"', help=help_)
        # A look makes no memory in the folder; once an assistant has made one, it is opened.
        is_empty = name not in self._opened and not has_memory(root)
        opened = self._empty if is_empty else self._opened
        with self._lock:
            if name not in opened:
                opened[name] = Workspace(
                    # A list reads all runs, and would fill the 32 MB that a connection keeps otherwise.
                    root,
                    read_only=self._read_only,
                    untouched=is_empty,
                    for_display=True,
                    cache_kib=_CACHE_KIB,
                )
        yield opened[name]

    def close(self) -> None:
        """Close the projects."""
        with self._lock:
            for workspace in (*self._opened.values(), *self._empty.values()):
                workspace.close()
            self._opened.clear()
            self._empty.clear()


def _name_folders(roots: Sequence[Path]) -> dict[str, Path]:
    """Give each folder a name for addresses, and a number where two are alike."""
    # The name is a part of the addresses, so two folders of one name cannot share it.
    named: dict[str, Path] = {}
    for root in dict.fromkeys(roots):
        first = _OTHER.sub("-", root.name.lower()).strip("-.")[:60] or "project"
        name, number = first, 2
        while name in named:
            name, number = f"{first}-{number}", number + 1
        named[name] = root
    return named


_SIGNS = {"pass": ("ended", "✓"), "warn": ("waiting", "▲"), "fail": ("failed", "✕"), "skip": ("skipped", "»")}


def show_doctor(page: PageRequest) -> Response:
    """Show the findings; the checks take seconds, so they run only on request."""
    report: dict[str, Any] | None = None
    if page.query.get("run"):
        page.require_admin()
        report = call_tool(page.project, "doctor.run", {}, surface="page")
    groups = [_describe_group(group) for group in report["groups"]] if report else []
    return page.render(
        "doctor.html",
        tab="doctor",
        title="Doctor",
        ran=report is not None,
        groups=groups,
        counts=report["counts"] if report else {},
        run_link=page.link("doctor", run=1),
    )


def _describe_group(group: dict[str, Any]) -> dict[str, Any]:
    """Describe a group with its problems before what is right."""
    order = {"fail": 0, "warn": 1, "skip": 2, "pass": 3}
    # Problems first; within one state the order of the checks stays, since sorting is stable.
    findings = sorted(group["findings"], key=lambda one: order.get(one["status"], 2))
    return {
        "title": group["title"],
        "name": group["name"],
        "findings": [
            {
                **one,
                "state": _SIGNS.get(one["status"], ("open", "○"))[0],
                "sign": _SIGNS.get(one["status"], ("open", "○"))[1],
                "command": f"aur doctor --fix --only {one['check']}" if one["fixable"] else "",
            }
            for one in findings
        ],
    }


# Reading and changing views are in two tables: only the second checks the session's secret and the origin.
PAGES: dict[str, Callable[[PageRequest], Response]] = {
    "": run_list.list_runs,
    "/runs": run_list.list_runs,
    "/runs/{run}": run.show_run,
    "/runs/{run}/export": run.export_page,
    "/runs/{run}/case": run.show_case,
    "/runs/{run}/steps/{step:int}/{part}": run.show_value,
    "/doctor": show_doctor,
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
        Route("/", build_home(source), methods=["GET"]),
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


def build_home(source: ProjectSource) -> Callable[[Request], Response]:
    """Build the endpoint of the list of projects."""

    def show_projects(request: Request) -> Response:
        try:
            visitor = get_visitor(request.scope)
            listed = source.list_projects(visitor)
        except Fault as fault:
            return render_fault(request, fault)
        root = request.scope.get("root_path", "")
        # With one project, its list of runs is the first page.
        if len(listed) == 1 and "all" not in request.query_params:
            return RedirectResponse(f"{root}/p/{quote(listed[0].name)}/runs", 303)
        common = {"root": root, "title": "Projects", "csrf": visitor.csrf, "sign_out": visitor.sign_out}
        cards = [_describe_project(source, one, visitor, root) for one in listed]
        return make_page("projects.html", {**common, "projects": cards})

    return show_projects


def _describe_project(source: ProjectSource, listed: ListedProject, visitor: Visitor, root: str) -> dict[str, object]:
    """Describe a project by a few figures, or by why it cannot be opened."""
    card: dict[str, object] = {
        "title": listed.title,
        "place": listed.place,
        "link": f"{root}/p/{quote(listed.name)}/runs",
        "fault": "",
        "counts": {},
        "runs": 0,
        "chunks": 0,
        "indexed": "",
    }
    try:
        # One folder that cannot be opened must not take the list of the others away.
        with source.open_project(listed.name, visitor) as project:
            stats, counts = project.memory.stats(), project.memory.journal.count_states()
            card |= {
                "counts": counts,
                "runs": sum(counts.values()),
                "chunks": sum(stats.chunks.values()),
                "indexed": describe_moment(stats.indexed_at, time.time()) if stats.indexed_at else "",
            }
    except Fault as fault:
        card["fault"] = f"{fault.message}. {fault.help}"
    return card
