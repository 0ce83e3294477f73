"""Entry point of `aur mcp`: a server over standard input and output.

It serves a project in both eras of the protocol.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from typing import TYPE_CHECKING

from aurora.system.environment import read_value
from aurora.tools import runtime

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.runtime import Workspace

_CLOSE_SECONDS = 2.0
"""Seconds that the server waits at its end for a call that still writes; the database survives a kill, too."""

_SWITCH_SECONDS = 0.001
"""Seconds that a thread computes before another one may: with many busy calls, an answer waits for each of them."""


def serve_project(root: Path, *, read_only: bool = False, toolsets: tuple[str, ...] = ()) -> None:
    """Serve one project until standard input ends, or SIGTERM or SIGINT arrives.

    Args:
        root: the project's folder.
        read_only: tools that write return FORBIDDEN; READ_ONLY in the environment does the same.
        toolsets: toolsets to offer besides the default tools, or `all`; without any, those in AURORA_TOOLSETS.

    Raises:
        Fault: INVALID_INPUT for an unknown toolset, or a variable without a meaning.
    """
    # Calls that compute give way to the thread that answers, five times as often as by default.
    sys.setswitchinterval(_SWITCH_SECONDS)
    runtime.configure_logging(read_value("AURORA_LOG") or "info")
    project = runtime.Workspace(root, read_only=read_only)
    try:
        # Garbage collection takes a tenth of the start, and finds no garbage among the protocol's models.
        gc.disable()
        from .stdio import run_server  # noqa: PLC0415 - loads the protocol's models, which takes most of a second

        tools = runtime.get_registry().select_mcp(toolsets or (read_value("AURORA_TOOLSETS"),))
        gc.enable()
        gc.freeze()
        run_server(project, tools)
    except KeyboardInterrupt:
        return
    finally:
        _close_project(project)


def _close_project(project: Workspace) -> None:
    """Close the project, with a timeout for calls that still run."""

    def close_quietly() -> None:
        with contextlib.suppress(Exception):
            project.close()

    closing = threading.Thread(target=close_quietly, name="close", daemon=True)
    closing.start()
    closing.join(_CLOSE_SECONDS)
