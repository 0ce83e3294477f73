"""Requests of the page: open projects, faults as pages, and checked forms."""

from __future__ import annotations

import hmac
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl, quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from aurora.errors import Code, Fault
from aurora.tools import text as tool_text
from aurora.tools.core import Context
from aurora.tools.runtime import new_request_id

from .response import make_text, render_fault, render_template

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
    from contextlib import AbstractContextManager

    from starlette.requests import Request
    from starlette.responses import Response

    from aurora.tools.core import Project


_KEY = "aurora.visitor"
"""Key of the visitor in the scope of a request."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Person who looks at the page.

    Attributes:
        name: as the journal names who answered; may be empty.
        csrf: secret of the session, which each form sends back.
        refusal: why this person may change nothing, and what they can do instead; empty when they may.
        admin_refusal: why this person may neither change the memory nor run the doctor; empty when they may.
        sign_out: the address of the form that ends the session, without a host; empty without one.
    """

    name: str
    csrf: str
    refusal: str = ""
    admin_refusal: str = ""
    sign_out: str = ""


@dataclass(frozen=True, slots=True)
class ListedProject:
    """Project in the list.

    Attributes:
        name: the part of the address that names it: letters, digits, "-", "_" and ".".
        title: its name for the person.
        place: the folder or the repository, for the person.
    """

    name: str
    title: str
    place: str = ""


class ProjectSource(Protocol):
    """Projects of a page: one, or many."""

    def list_projects(self, visitor: Visitor) -> Sequence[ListedProject]:
        """List the projects that this person may see."""
        ...

    def open_project(self, name: str, visitor: Visitor) -> AbstractContextManager[Project]:
        """Open a project for one request.

        Raises:
            Fault: NOT_FOUND for a name that this person may not see, as for one that does not exist.
        """
        ...


def set_visitor(scope: MutableMapping[str, Any], visitor: Visitor) -> None:
    """Put the person into the scope of an authenticated request."""
    scope[_KEY] = visitor


def get_visitor(scope: MutableMapping[str, Any]) -> Visitor:
    """Return the person of an authenticated request.

    Raises:
        Fault: FORBIDDEN when nobody has authenticated the request.
    """
    visitor = scope.get(_KEY)
    if not isinstance(visitor, Visitor):
        raise Fault(Code.FORBIDDEN, "this page needs a session", help="Open the address that `aur ui` prints.")
    return visitor


_MAX_FIELDS = 200
log = logging.getLogger("aurora.page")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Request of a page of one project.

    Attributes:
        request: the HTTP request.
        visitor: the person.
        source: the projects.
        name: the project's name in the address.
        project: the open project.
        form: the fields of a form; empty for a GET.
    """

    request: Request
    visitor: Visitor
    source: ProjectSource
    name: str
    project: Project
    form: Mapping[str, list[str]]

    @property
    def query(self) -> Mapping[str, str]:
        """The query of the address."""
        return self.request.query_params

    @property
    def base(self) -> str:
        """The address of the project's pages, without a host."""
        return f"{self.request.scope.get('root_path', '')}/p/{quote(self.name)}"

    def link(self, *parts: str, **query: str | int) -> str:
        """Return the address of a page of the project, without a host; empty values of the query are left out."""
        path = "/".join([self.base, *(quote(part, safe="") for part in parts)])
        given = {name: value for name, value in query.items() if value != ""}
        return f"{path}?{urlencode(given)}" if given else path

    def relate(self, place: str) -> str:
        """Return a place in a file from the project's folder, or its short name where it is shipped."""
        return str(tool_text.shorten_places(place.removeprefix(f"{self.project.root}/")))

    def hide_paths(self, text: str) -> str:
        """Return a page or a text without folders of this machine, for who is elsewhere; they have signed in."""
        return str(tool_text.hide_server_paths(text, self.project.root)) if self.visitor.sign_out else text

    @property
    def context(self) -> Context:
        """The context for a tool's function."""
        return Context(self.project, {}, new_request_id(), surface="page")

    def field(self, name: str) -> str:
        """Return a field of the form; empty without it."""
        return self.form.get(name, [""])[0]

    def require_admin(self) -> None:
        """Check that the person may do what concerns more than a run.

        Raises:
            Fault: FORBIDDEN.
        """
        if self.visitor.admin_refusal:
            raise Fault(Code.FORBIDDEN, "you may not do this here", help=self.visitor.admin_refusal)

    def render(self, template: str, **values: Any) -> Response:
        """Render a page of the project."""
        shown = next((one for one in self.source.list_projects(self.visitor) if one.name == self.name), None)
        common = {
            "root": self.request.scope.get("root_path", ""),
            "base": self.base,
            "project": shown.title if shown else self.name,
            "csrf": self.visitor.csrf,
            "refusal": self.visitor.refusal,
            "admin_refusal": self.visitor.admin_refusal,
            "sign_out": self.visitor.sign_out,
            "read_only": self.project.read_only,
        }
        html = render_template(template, {**common, **values})
        # The text of a chunk is the project's own, whatever folder it names.
        return make_text(html if template == "chunk.html" else self.hide_paths(html), "text/html")

    def redirect(self, address: str) -> Response:
        """Return a redirection after a form; a reload then sends nothing again."""
        # 303 makes the browser fetch the page with GET, whatever sent the form.
        return RedirectResponse(address, 303, {"cache-control": "no-store"})


def answer_get(source: ProjectSource, view: Callable[[PageRequest], Response]) -> Callable[[Request], Response]:
    """Return the endpoint of a view that only reads; it runs in a thread."""

    def endpoint(request: Request) -> Response:
        return _answer(source, view, request, {})

    return endpoint


def answer_post(
    source: ProjectSource, view: Callable[[PageRequest], Response]
) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a form; its session and its origin are checked first."""

    async def endpoint(request: Request) -> Response:
        # The body is read here and the view runs in a thread, since views read the database.
        body = await request.body()
        return await run_in_threadpool(_answer, source, view, request, None, body)

    return endpoint


def _answer(
    source: ProjectSource,
    view: Callable[[PageRequest], Response],
    request: Request,
    form: Mapping[str, list[str]] | None,
    body: bytes = b"",
) -> Response:
    try:
        visitor = get_visitor(request.scope)
        if form is None:
            form = _parse_form(body)
            _check_form(request, visitor, form)
        name = request.path_params["project"]
        with source.open_project(name, visitor) as project:
            page = PageRequest(request, visitor, source, name, project, form)
            try:
                return view(page)
            except Fault as fault:
                return render_fault(
                    # A fault names folders of the server as a page may, and is read by the same person elsewhere.
                    request,
                    Fault(fault.code, page.hide_paths(fault.message), help=page.hide_paths(fault.help)),
                )
    except Fault as fault:
        return render_fault(request, fault)
    except Exception as error:
        # The traceback goes to the log, since the person who looks may be elsewhere.
        log.exception("the page failed (%s)", type(error).__name__)
        message = f"the page failed inside Aurora ({type(error).__name__})"
        help_ = "This is a bug in Aurora. Set AURORA_LOG=debug to log the traceback, and report it."
        return render_fault(request, Fault(Code.INTERNAL_ERROR, message, help=help_))


def _parse_form(body: bytes) -> dict[str, list[str]]:
    """Parse an urlencoded form.

    Raises:
        Fault: INVALID_INPUT for too many fields, or text that is not UTF-8.
    """
    try:
        # Anything outside ASCII is escaped in a form that a browser sends, so other bytes are not from one.
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="strict")
    except (ValueError, UnicodeDecodeError):
        raise Fault(Code.INVALID_INPUT, "the form cannot be read", help="Send the form of the page itself.") from None
    form: dict[str, list[str]] = {}
    for name, value in pairs:
        form.setdefault(name, []).append(value)
    return form


def _check_form(request: Request, visitor: Visitor, form: Mapping[str, list[str]]) -> None:
    """Check that this page of this session sent the form, and that the person may send it.

    Raises:
        Fault: FORBIDDEN.
    """
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    # A browser sends the origin with each form; only the host is compared, since a proxy may end the TLS.
    is_same = origin is not None and origin.partition("://")[2] == host
    sent = form.get("csrf", [""])[0]
    # As bytes: a text outside ASCII would make `compare_digest` raise.
    if not is_same or not hmac.compare_digest(sent.encode(), visitor.csrf.encode()):
        message = "this form was not sent by this page"
        raise Fault(Code.FORBIDDEN, message, help="Open the page again, and send the form from there.")
    # Such as a page without a terminal: an assistant that starts one through its shell must not approve for the
    # person.
    if visitor.refusal:
        raise Fault(Code.FORBIDDEN, "this page may change nothing", help=visitor.refusal)


_MAX_DIGITS = 9


def read_text(query: Mapping[str, str], name: str, most: int = 200) -> str:
    """Return a text of at most `most` characters, without blanks around it; empty without one."""
    return query.get(name, "").strip()[:most]


def read_count(query: Mapping[str, str], name: str, default: int = 0) -> int:
    """Return a number from 0; `default` for anything else."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else default
