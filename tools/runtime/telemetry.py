"""Record of each call: a line in the log, and a span where spans are exported."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aurora.errors import Cancelled, Code, Fault
from aurora.system.programs import describe_extra_install

from .call_log import CallRecord, log_call

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.tools.core import Project, Surface


@dataclass(slots=True)
class CallOutcome:
    """Outcome of a call: the code of an error that the output contains, or None."""

    code: str | None = None

    def set_from_output(self, output: Mapping[str, Any]) -> None:
        """Set the code from an output; the response of a phase contains its error instead of raising it."""
        error = output.get("error") if output.get("status") == "error" else None
        self.code = str(error["code"]) if error else None


@contextmanager
def record_call(project: Project | None, request_id: str, tool: str, surface: Surface) -> Iterator[CallOutcome]:
    """Log and trace the call in this block, and re-raise its exception.

    Args:
        project: the open project, whose log receives the record; None if there is none.
        request_id: the id of the call.
        tool: the tool's name, or the unknown name of the request.
        surface: the origin of the call.
    """
    outcome, began = CallOutcome(), time.perf_counter()
    with start_span(tool, request_id, surface) as current:
        try:
            yield outcome
        except BaseException as error:
            outcome.code = _get_error_code(error)
            raise
        finally:
            current.set_outcome(outcome.code)
            seconds = time.perf_counter() - began
            log_call(CallRecord.from_call(request_id, tool, surface, seconds, outcome.code), project)


def _get_error_code(error: BaseException) -> str:
    if isinstance(error, Fault):
        return error.code.value
    return (Code.TIMEOUT if isinstance(error, Cancelled | KeyboardInterrupt) else Code.INTERNAL_ERROR).value


_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_EXPORTERS = ("otlp", "console")
_OTEL = "aurora.tools.runtime.otel"
"""Module that imports OpenTelemetry, which is slow to load and optional."""
_FLUSH_SECONDS = 2.0
"""Seconds that the end of the process waits for unsent spans; an endpoint may be unreachable."""


class NullSpan:
    """Span that is not exported."""

    def set_outcome(self, code: str | None) -> None:
        """Ignore the outcome."""


class CallSpan:
    """Span of OpenTelemetry for one call.

    Args:
        span: the library's span.
    """

    def __init__(self, span: Any) -> None:
        self._span = span

    def set_outcome(self, code: str | None) -> None:
        """Record the outcome: `error.type` is the error code."""
        self._span.set_attribute("aurora.status", "error" if code else "ok")
        if code:
            self._span.set_attribute("error.type", code)
            import_module(_OTEL).mark_error(self._span, code)


@contextmanager
def start_span(tool: str, request_id: str, surface: str) -> Iterator[CallSpan | NullSpan]:
    """Open the span of one call, a child of the current span."""
    tracer = _get_tracer()
    if tracer is None:
        yield NullSpan()
        return
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool[:80],
        "aurora.request_id": request_id,
        "aurora.surface": surface,
    }
    with tracer.start_as_current_span(
        f"execute_tool {tool[:80]}", attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        yield CallSpan(current)


def choose_exporter(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return `otlp` or `console`, or None if the environment configures no exporter."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    named = environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if named:
        return named if named in _EXPORTERS else None
    return "otlp" if any(environ.get(name, "").strip() for name in _ENDPOINTS) else None


def flush_spans() -> None:
    """Send the remaining spans, for a process that exits without Python's shutdown."""
    if _get_tracer.cache_info().currsize and _get_tracer() is not None:
        # In a thread that may be abandoned: the library retries for longer than its timeout.
        sending = threading.Thread(target=import_module(_OTEL).flush_spans, name="spans", daemon=True)
        sending.start()
        sending.join(_FLUSH_SECONDS)


@cache
def _get_tracer() -> Any:
    """Return the tracer of this process, or None if nothing is exported."""
    exporter = choose_exporter()
    if exporter is None:
        _warn_unknown_exporter()
        return None
    endpoint = next((os.environ[name] for name in reversed(_ENDPOINTS) if os.environ.get(name)), "the endpoint")
    try:
        return import_module(_OTEL).build_tracer(exporter, endpoint)
    except ImportError as error:
        remedy = describe_extra_install("otel")
        sys.stderr.write(f"aur: no spans are exported: {error}\nhelp: {remedy[:1].upper()}{remedy[1:]}.\n")
        return None


def _warn_unknown_exporter() -> None:
    """Write a warning if the environment names an exporter that Aurora does not have."""
    named = os.environ.get("OTEL_TRACES_EXPORTER", "").strip()
    if named.lower() not in {"", "none", *_EXPORTERS}:
        sys.stderr.write(f'aur: no spans are exported: OTEL_TRACES_EXPORTER is "{named[:80]}", not otlp or console\n')
