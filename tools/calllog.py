"""One line per invocation: request id, tool, duration, status; never the values of arguments."""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

calls = logging.getLogger("aurora.calls")
"""The lines, as JSON, at INFO; a traceback of our own faults at DEBUG."""

_LONGEST_NAME = 80
"""A name that nobody declared may be anything, also a megabyte."""


def record(request_id: str, tool: str, seconds: float, status: str) -> None:
    """Log one invocation.

    Args:
        request_id: the same as in the response's metadata and the trace.
        tool: the tool's name, or the unknown name that was asked for.
        seconds: how long it took; the line shows milliseconds.
        status: `ok`, or the code of the fault.
    """
    if calls.isEnabledFor(logging.INFO):
        line = {
            "request_id": request_id,
            "tool": tool[:_LONGEST_NAME],
            "duration_ms": round(seconds * 1000, 1),
            "status": status,
        }
        calls.info(json.dumps(line, separators=(",", ":")))


def listen(level: str | None = None, environ: Mapping[str, str] = os.environ) -> None:
    """Send the lines to stderr, once; without this call they go nowhere.

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
