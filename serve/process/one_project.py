"""Start of a server over HTTP for one project and one person, on loopback only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.serve.auth import find_token_file
from aurora.serve.settings import DEFAULT_ADDRESS, LimitSettings, ProjectSettings, ServeSettings
from aurora.tools.http import ListenAddress, bind_socket, is_loopback, parse_listen_address

from .plan import ServerPlan
from .start import run_process

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "project"
_REQUESTS_PER_SECOND = 1_000.0
"""Rate of the programs of one person, which share it; the default of `aur serve` protects people from each other."""
_BURST = 10_000


def serve_one_project(
    root: Path, where: str = DEFAULT_ADDRESS, *, read_only: bool = False, toolsets: tuple[str, ...] = ()
) -> None:
    """Serve one project at `/mcp` until SIGTERM or SIGINT.

    Args:
        root: the project's folder.
        where: the address to listen on.
        read_only: tools that write return FORBIDDEN.
        toolsets: toolsets to offer besides the default tools.

    Raises:
        Fault: FORBIDDEN for an address that other machines reach, CONFLICT for a taken port.
    """
    address = parse_listen_address(where, parse_listen_address(DEFAULT_ADDRESS).port)
    if not is_loopback(address.host):
        raise Fault(
            Code.FORBIDDEN,
            f"`aur mcp --http` is for programs of this machine, and {address.authority} can be reached from others",
            help="Use 127.0.0.1; `aur serve` serves other machines, and asks them for tokens.",
        )
    with bind_socket(address) as listening:
        settings = ServeSettings(
            listen=where,
            toolsets=tuple(name for text in toolsets for name in text.split(",")),
            projects={_NAME: ProjectSettings(folder=str(root), read_only=read_only)},
            limits=LimitSettings(requests_per_second=_REQUESTS_PER_SECOND, burst=_BURST),
        )
        port = listening.getsockname()[1]
        plan = ServerPlan(
            settings=settings, host=address.host, port=port, token_file=str(find_token_file()), is_open=True
        )
        url = ListenAddress(address.host, port).url
        run_process(plan, listening, lambda: _announce(root, url))


def _announce(root: Path, url: str) -> None:
    sys.stderr.write(f"aur: serving {root} at {url}/mcp, until Ctrl-C\n")
    sys.stderr.flush()
