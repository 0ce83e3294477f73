"""Server of the local page: a free port of loopback, until Ctrl-C."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from aurora.tools import http
from aurora.ui.app import build_page
from aurora.ui.web import Visitor

from .folders import FolderSource
from .session import SessionGate, make_secret
from .warm import warm_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

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
    listening = http.bind_socket(http.ListenAddress("127.0.0.1", options.port))
    address = http.ListenAddress("127.0.0.1", listening.getsockname()[1])
    source = FolderSource(roots, read_only=options.read_only)
    visitor = Visitor(options.name, make_secret(), options.refusal)
    first = source.list_projects(visitor)[0].name
    place = f"/p/{quote(first)}/runs/{quote(options.run, safe='')}" if options.run else "/"
    gate = SessionGate(build_page(source), address.port, visitor, place)
    settings = http.GuardSettings(
        http.ServerIdentity.from_address(address),
        body=http.BodyLimit(_MAX_FORM),
        content_types=_FORM_TYPES,
        credential_names=frozenset(),
    )
    guard = http.RequestGuard(gate, settings, http.send_plain_refusal)

    def start() -> None:
        announce(f"{address.url}/?token={gate.token}")
        threading.Thread(target=warm_up, args=(source, options.run), name="warm-up", daemon=True).start()

    try:
        http.run_server(
            guard,
            listening,
            http.ServerOptions(stop_seconds=2),
            start,
        )
    finally:
        source.close()
