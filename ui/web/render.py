"""Responses of the page: templates with autoescape, plain text, and the headers of both."""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import minijinja
from starlette.responses import Response

from .static import find_static

if TYPE_CHECKING:
    from collections.abc import Mapping

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of each page: files of this server only, nothing inline."""


_TEMPLATES = Path(__file__).parents[1] / "templates"


@cache
def _load_environment() -> minijinja.Environment:

    def load_template(name: str) -> str | None:
        return (_TEMPLATES / name).read_text(encoding="utf-8")

    environment = minijinja.Environment(
        loader=load_template,
        undefined_behavior="strict",
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
    return Response(text.encode("utf-8", "replace"), status, headers, media_type)


def _make_headers() -> dict[str, str]:
    return {
        "content-security-policy": POLICY,
        "cache-control": "no-store",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }
