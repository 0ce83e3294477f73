"""`aur mcp`: the tools over MCP on standard input and output, in both eras of the protocol."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_CLOSE_SECONDS = 2.0
"""Seconds that the end of the server waits for a call that still writes; the database survives a harder end too."""


def serve_project(root: Path, *, read_only: bool = False, toolsets: tuple[str, ...] = ()) -> None:
    """Serve one project until standard input ends, or SIGTERM or SIGINT comes.

    Args:
        root: the project's folder.
        read_only: tools that write answer FORBIDDEN; READ_ONLY in the environment says the same.
        toolsets: families of tools to show beside the three, or `all`; without any AURORA_TOOLSETS says which.

    Raises:
        Fault: INVALID_INPUT for a toolset that does not exist.
    """
    # A tenth of the start is the garbage collector looking through half-made protocol models, none of which is garbage.
    gc.disable()
    # The protocol's models take most of a second; no other command may pay for them.
    from aurora.tools.runtime import Workspace, get_registry  # noqa: PLC0415 - see above
    from aurora.tools.runtime import call_log as calllog  # noqa: PLC0415 - see above

    from .session import run_server  # noqa: PLC0415 - see above

    tools = get_registry().select_mcp(toolsets or (os.environ.get("AURORA_TOOLSETS", ""),))
    gc.enable()
    gc.freeze()
    calllog.configure_logging(os.environ.get("AURORA_LOG") or "info")
    project = Workspace(root, read_only=read_only)
    try:
        run_server(project, tools)
    except KeyboardInterrupt:
        return
    finally:
        _close_project(project)


def _close_project(project: object) -> None:
    """Close the project, but do not wait for ever for a call that nobody waits for any more."""

    def close_quietly() -> None:
        with contextlib.suppress(Exception):
            project.close()  # type: ignore[attr-defined]  # a Workspace, which is imported late

    closing = threading.Thread(target=close_quietly, name="close", daemon=True)
    closing.start()
    closing.join(_CLOSE_SECONDS)
