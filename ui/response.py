"""Responses of the page: templates, errors, plain text and static files."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import minijinja
from starlette.exceptions import HTTPException
from starlette.responses import Response

from aurora.errors import Code, Fault
from aurora.interpreter import drawing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request


POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of each page: files of this server only, nothing inline."""


_TEMPLATES = Path(__file__).parent / "templates"


@cache
def _load_environment() -> minijinja.Environment:

    def load_template(name: str) -> str | None:
        return (_TEMPLATES / name).read_text(encoding="utf-8")

    environment = minijinja.Environment(
        loader=load_template,
        # A misspelt name in a template fails its test instead of leaving a gap on the page.
        undefined_behavior="strict",
        # Everything is escaped whatever the template is called: texts come from clones and from assistants.
        auto_escape_callback=lambda _: "html",
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = {"style": "page.css", "drawing": "drawing.css", "script": "page.js", "icon": "icon.svg"}
    environment.add_filter("code", mark_code)
    environment.add_global("files", {key: find_static(name) for key, name in names.items()})
    return environment


def mark_code(text: str) -> Any:
    """Escape a text, and mark what is between backquotes as code."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:  # one without its pair is no mark
        return minijinja.safe(escape(str(text)))
    marked = (f"<code>{escape(part)}</code>" if place % 2 else escape(part) for place, part in enumerate(parts))
    return minijinja.safe("".join(marked))


def render_template(name: str, values: Mapping[str, Any]) -> str:
    """Render a template of the page."""
    return _load_environment().render_template(name, **values)


def make_page(name: str, values: Mapping[str, Any], status: int = 200) -> Response:
    """Return a rendered template as a response."""
    return make_text(render_template(name, values), "text/html", status=status)


def make_text(text: str, media_type: str = "text/plain", file: str = "", *, status: int = 200) -> Response:
    """Return a text as a response; with `file`, as a download of this name."""
    headers = _make_headers()
    if file:
        headers["content-disposition"] = f'attachment; filename="{file}"'
    # A text of a run may hold half of a surrogate pair, which UTF-8 cannot write.
    return Response(text.encode("utf-8", "replace"), status, headers, media_type)


def _make_headers() -> dict[str, str]:
    return {
        "content-security-policy": POLICY,
        # What the page shows of a project stays out of the cache on the disk.
        "cache-control": "no-store",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        # For browsers that do not know `frame-ancestors`.
        "x-frame-options": "DENY",
    }


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


_TYPES = {"page.css": "text/css", "drawing.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
_FOLDER = Path(__file__).parent / "static"
_YEAR = 31_536_000


class StaticFile(NamedTuple):
    """File in memory, and the name under which it is asked for."""

    name: str
    content: bytes
    media_type: str


@cache
def _load_files() -> dict[str, StaticFile]:
    files = {}
    for name, media_type in _TYPES.items():
        content = f".drawing{{{drawing.STYLE}}}".encode() if name == "drawing.css" else (_FOLDER / name).read_bytes()
        stem, _, ending = name.partition(".")
        # The hash in the name makes a year in the cache safe: another version is another file.
        digest = hashlib.sha256(content).hexdigest()[:12]
        files[name] = StaticFile(f"{stem}.{digest}.{ending}", content, media_type)
    return files


def find_static(name: str) -> str:
    """Return the name with the hash of the contents, as in `page.0f1e2d.css`."""
    return _load_files()[name].name


def serve_static(request: Request) -> Response:
    """Serve one of the files; no path reaches the file system."""
    wanted = request.path_params["name"]
    # The name is compared with a few known ones, and never becomes a path.
    for file in _load_files().values():
        if file.name == wanted:
            headers = {"cache-control": f"private, max-age={_YEAR}, immutable"}
            return Response(file.content, media_type=file.media_type, headers=headers)
    raise HTTPException(404)


_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_MONTH = 30 * _DAY


def describe_moment(at: str, now: float) -> str:
    """Describe a time of the journal, ISO 8601 in UTC, by its distance from now, in seconds since 1970."""
    seconds = now - parse_moment(at)
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min ago"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h ago"
    return f"{seconds // _DAY:.0f} d ago" if seconds < _MONTH else at[:10]


def parse_moment(at: str) -> float:
    """Parse a time of the journal to seconds since 1970; 0 for one that cannot be read."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def describe_duration(seconds: float) -> str:
    """Describe a duration with two digits or so: `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 3 min`."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
