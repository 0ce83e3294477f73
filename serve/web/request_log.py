"""Log of requests: one JSON line each, without queries, headers and bodies, which may have secrets."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import unquote

from aurora.faults import escape_json, read_value, show_hidden

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
