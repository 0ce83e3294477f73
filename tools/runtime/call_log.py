"""Log of calls: time, tool, surface, duration and error code of each; never the values of arguments."""

from __future__ import annotations

import json
import os
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.faults import escape_json, read_value, show_hidden, show_hidden_line

from .log_file import append_line, append_to_file

if TYPE_CHECKING:
    import logging
    from collections.abc import Mapping

    from aurora.tools.core import Project, Surface

LOGGER_NAME = "aurora.calls"
"""Logger of the records, as JSON at INFO, and of tracebacks of bugs in Aurora at DEBUG."""

_MAX_NAME_LENGTH = 80
"""Length limit for a tool name in the log; an unknown name may have any length."""


class CallRecord(NamedTuple):
    """Record of one call.

    Attributes:
        time: when it ended, in ISO 8601, UTC.
        request_id: the id in the response's metadata and the trace; the tool of a phase has the id of its step.
        surface: its origin.
        tool: the tool's name, or the unknown name of the request.
        duration_ms: its duration in milliseconds.
        status: `ok` or `error`.
        code: the error code; None on success.
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
        """Return the record of a call that ends now."""
        return cls(
            time=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            request_id=request_id,
            surface=surface,
            tool=tool[:_MAX_NAME_LENGTH],
            duration_ms=round(seconds * 1000, 1),
            status="error" if code else "ok",
            code=code,
        )


def log_call(record: CallRecord, project: Project | None = None) -> None:
    """Log one call to the logger, and to the project's log file if it has one."""
    calls = _get_logger("INFO")
    root = project.root if project is not None and project.keeps_log else None
    named = read_value("AURORA_LOG_FILE")
    if calls is None and root is None and not named:
        return
    text = escape_json(json.dumps(record._asdict(), separators=(",", ":")))
    if calls is not None:
        calls.info(text)
    if root is not None:
        append_line(root, text)
    if named:
        append_to_file(named, text)


def log_alias(alias: str, tool: str, request_id: str) -> None:
    """Log at level DEBUG that a call used an alias of a tool."""
    calls = _get_logger("DEBUG")
    if calls is not None:
        calls.debug(json.dumps({"request_id": request_id, "alias": alias, "tool": tool}, separators=(",", ":")))


def log_failure(tool: str, error: Exception) -> None:
    """Log the traceback of a bug in Aurora at level DEBUG."""
    calls = _get_logger("DEBUG")
    if calls is not None:
        text = show_hidden("".join(traceback.format_exception(error)))  # a message may quote a file
        calls.debug("%s failed\n%s", show_hidden_line(tool[:_MAX_NAME_LENGTH]), text)


def _get_logger(level: str) -> logging.Logger | None:
    """Return the logger if it is enabled; it is not in a process that has not loaded `logging`."""
    library = sys.modules.get("logging")
    if library is None:
        return None
    calls: logging.Logger = library.getLogger(LOGGER_NAME)
    return calls if calls.isEnabledFor(library.getLevelNamesMapping()[level]) else None


def configure_logging(level: str | None = None, environ: Mapping[str, str] = os.environ) -> None:
    """Send the records to stderr; without this call they go only to the project's log file.

    Args:
        level: `debug`, `info`, `warning`, `error` or `off`; None means AURORA_LOG, or nothing if it is unset.
        environ: the environment with AURORA_LOG.

    Raises:
        Fault: INVALID_INPUT for an unknown level in AURORA_LOG.
    """
    wanted = (level or read_value("AURORA_LOG", environ) or "off").upper()
    if wanted == "OFF":
        return
    import logging  # noqa: PLC0415 - without AURORA_LOG, a short command does not load it

    calls = logging.getLogger(LOGGER_NAME)
    calls.setLevel(logging.getLevelNamesMapping()[wanted])
    calls.propagate = False
    if not calls.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        calls.addHandler(handler)
