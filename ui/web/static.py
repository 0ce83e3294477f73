"""Static files of the page: style sheets and one script.

Their names contain a hash of their contents, so that a browser keeps them.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response

from aurora.interpreter import diagram

if TYPE_CHECKING:
    from starlette.requests import Request

_TYPES = {"page.css": "text/css", "drawing.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
_FOLDER = Path(__file__).parents[1] / "static"
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
        content = f".drawing{{{diagram.STYLE}}}".encode() if name == "drawing.css" else (_FOLDER / name).read_bytes()
        stem, _, ending = name.partition(".")
        digest = hashlib.sha256(content).hexdigest()[:12]
        files[name] = StaticFile(f"{stem}.{digest}.{ending}", content, media_type)
    return files


def find_static(name: str) -> str:
    """Return the name with the hash of the contents, as in `page.0f1e2d.css`."""
    return _load_files()[name].name


def serve_static(request: Request) -> Response:
    """Serve one of the files; no path reaches the file system."""
    wanted = request.path_params["name"]
    for file in _load_files().values():
        if file.name == wanted:
            headers = {"cache-control": f"private, max-age={_YEAR}, immutable"}
            return Response(file.content, media_type=file.media_type, headers=headers)
    raise HTTPException(404)
