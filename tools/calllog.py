"""One line per invocation: when, which tool, from where, how long, what came of it; never the values of arguments."""

from __future__ import annotations

import json
import logging
import os
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from .logs_file import append

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .workspace import Workspace

Surface = Literal["cli", "mcp", "phase", "python"]
"""Where a call came from: the command line, a host, a phase of a workflow, or a program that imports Aurora."""

calls = logging.getLogger("aurora.calls")
"""The lines, as JSON, at INFO; a traceback of our own faults at DEBUG."""

_LONGEST_NAME = 80
"""A name that nobody declared may be anything, also a megabyte."""


@dataclass(frozen=True, slots=True)
class Line:
    """One invocation.

    Attributes:
        time: when it ended, in ISO 8601, UTC.
        request_id: the same as in the response's metadata and the trace; a phase's tool has that of its step.
        surface: where it came from.
        tool: the tool's name, or the unknown name that was asked for.
        duration_ms: how long it took.
        status: `ok` or `error`.
        code: the code of the fault; None when it went well.
    """

    time: str
    request_id: str
    surface: Surface
    tool: str
    duration_ms: float
    status: Literal["ok", "error"]
    code: str | None

    @classmethod
    def of(cls, request_id: str, tool: str, surface: Surface, seconds: float, code: str | None) -> Line:
        """The line of an invocation that ends now."""
        return cls(
            time=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            request_id=request_id,
            surface=surface,
            tool=tool[:_LONGEST_NAME],
            duration_ms=round(seconds * 1000, 1),
            status="error" if code else "ok",
            code=code,
        )


def record(line: Line, workspace: Workspace | None = None) -> None:
    """Log one invocation: to whoever listens, and in the project's own log where it keeps one."""
    listened = calls.isEnabledFor(logging.INFO)
    kept = workspace is not None and workspace.keeps_log
    if listened or kept:
        text = json.dumps(asdict(line), separators=(",", ":"))
        if listened:
            calls.info(text)
        if workspace is not None and kept:
            append(workspace.root, text)


def listen(level: str | None = None, environ: Mapping[str, str] = os.environ) -> None:
    """Send the lines to stderr, once; without this call they go nowhere but into the project's log.

    Args:
        level: `debug`, `info`, `warning`, `error` or `off`; None takes AURORA_LOG, and does nothing when that is unset.
        environ: where AURORA_LOG is looked up.
    """
    wanted = (level or environ.get("AURORA_LOG") or "off").strip().upper()
    number = logging.getLevelNamesMapping().get(wanted)
    if number is None:
        return
    calls.setLevel(number)
    calls.propagate = False
    if not calls.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        calls.addHandler(handler)
