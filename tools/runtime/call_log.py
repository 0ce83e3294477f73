"""One line per invocation: when, which tool, from where, how long, what came of it; never the values of arguments."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from .log_file import append_line

if TYPE_CHECKING:
    import logging
    from collections.abc import Mapping

    from aurora.tools.core import Project

Surface = Literal["cli", "mcp", "phase", "python"]
"""Where a call came from: the command line, a host, a phase of a workflow, or a program that imports Aurora."""

LOGGER_NAME = "aurora.calls"
"""The logger of the lines, as JSON, at INFO; and of a traceback of our own faults at DEBUG."""

_MAX_NAME_LENGTH = 80
"""A name that nobody declared may be anything, also a megabyte."""


@dataclass(frozen=True, slots=True)
class CallRecord:
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
    def from_call(cls, request_id: str, tool: str, surface: Surface, seconds: float, code: str | None) -> CallRecord:
        """The line of an invocation that ends now."""
        return cls(
            time=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            request_id=request_id,
            surface=surface,
            tool=tool[:_MAX_NAME_LENGTH],
            duration_ms=round(seconds * 1000, 1),
            status="error" if code else "ok",
            code=code,
        )


def log_call(line: CallRecord, project: Project | None = None) -> None:
    """Log one invocation: to whoever listens, and in the project's own log where it keeps one."""
    calls = _get_logger("INFO")
    kept = project is not None and project.keeps_log
    if calls is not None or kept:
        text = json.dumps(asdict(line), separators=(",", ":"))
        if calls is not None:
            calls.info(text)
        if project is not None and kept:
            append_line(project.root, text)


def log_failure(tool: str, error: Exception) -> None:
    """A fault of our own, with its traceback, for whoever listens that closely."""
    calls = _get_logger("DEBUG")
    if calls is not None:
        calls.debug("%s failed", tool[:_MAX_NAME_LENGTH], exc_info=error)


def _get_logger(level: str) -> logging.Logger | None:
    """The logger when somebody listens; a process that has not even loaded `logging` does not."""
    library = sys.modules.get("logging")
    if library is None:
        return None
    calls: logging.Logger = library.getLogger(LOGGER_NAME)
    return calls if calls.isEnabledFor(library.getLevelNamesMapping()[level]) else None


def configure_logging(level: str | None = None, environ: Mapping[str, str] = os.environ) -> None:
    """Send the lines to stderr, once; without this call they go nowhere but into the project's log.

    Args:
        level: `debug`, `info`, `warning`, `error` or `off`; None takes AURORA_LOG, and does nothing when that is unset.
        environ: where AURORA_LOG is looked up.
    """
    wanted = (level or environ.get("AURORA_LOG") or "off").strip().upper()
    if wanted == "OFF":
        return
    import logging  # noqa: PLC0415 - a short command that nobody listens to does without

    calls = logging.getLogger(LOGGER_NAME)
    number = logging.getLevelNamesMapping().get(wanted)
    if number is None:
        return
    calls.setLevel(number)
    calls.propagate = False
    if not calls.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        calls.addHandler(handler)
