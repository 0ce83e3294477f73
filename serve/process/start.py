"""Start of one process: the application over a bound socket, until a signal ends it."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.serve.auth import Authenticator, JwtVerifier, KeySet, TokenStore, load_signing_key
from aurora.serve.page import PageSource, ServedPage, SessionSigner
from aurora.serve.pool import ProjectPool
from aurora.serve.sources import FolderSource
from aurora.serve.web import Application, Metrics, ServedProjects, build_application, configure_request_log
from aurora.tools import commands, http, runtime

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from aurora.serve.sources import ProjectSource

    from .plan import ServerPlan

_COLLECTED_OBJECTS = 5_000
"""New objects after which the garbage collector looks for cycles; a request makes some hundred."""
_SWITCH_SECONDS = 0.001
"""Seconds that a thread computes before another one may: with many busy calls, an answer waits for each of them."""


class _BuiltServer(NamedTuple):
    """Application of a server, and its page; None where no token is asked for."""

    app: Application
    page: ServedPage | None

    def stop(self) -> None:
        """Begin the end of the server."""
        self.app.stop()
        if self.page is not None:
            self.page.source.stop()


def run_process(plan: ServerPlan, listening: socket.socket, announce: Callable[[], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT, finish what runs, and return.

    Args:
        plan: of the server.
        listening: the bound socket.
        announce: called once requests are answered.

    Raises:
        Fault: the settings or the key cannot be used.
    """
    configure_request_log()
    source = FolderSource(plan.settings.projects, is_local=plan.is_open)
    built = _build(plan, source)
    gc.freeze()  # what is loaded now stays
    gc.set_threshold(_COLLECTED_OBJECTS)  # a short command's limit lets the cycles of many requests add up
    sys.setswitchinterval(_SWITCH_SECONDS)
    options = http.ServerOptions(stop_seconds=plan.settings.limits.stop_seconds)
    try:
        page = built.page.guard(plan.identity) if built.page is not None else None
        guarded = build_application(built.app, plan.identity, plan.settings, page)
        http.run_server(guarded, listening, options, announce, built.stop)
    finally:
        if built.page is not None:
            built.page.source.close()
        commands.end_programs()


def _build(plan: ServerPlan, source: ProjectSource) -> _BuiltServer:
    settings = plan.settings
    toolsets = settings.toolsets or (os.environ.get("AURORA_TOOLSETS", ""),)
    tools = runtime.get_registry().select_mcp(toolsets)
    key = load_signing_key(plan.state_folder)
    pool = ProjectPool(source, tools, key, settings.limits.idle_project_seconds)
    verifier = JwtVerifier(settings.jwt, KeySet(settings.jwt.jwks_url)) if settings.jwt is not None else None
    authenticator = Authenticator(TokenStore(Path(plan.token_file)), verifier, is_open=plan.is_open)
    app = Application(ServedProjects(source, pool), authenticator, plan.identity, settings, Metrics())
    if plan.is_open:  # each program of this machine could answer for the person
        return _BuiltServer(app, None)
    shown = PageSource(source, authenticator, settings.limits.idle_project_seconds)
    is_secure = plan.identity.url.startswith("https://")
    return _BuiltServer(app, ServedPage(shown, authenticator, SessionSigner(key), settings.limits, is_secure=is_secure))
