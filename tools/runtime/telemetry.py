"""A span for each invocation, when the environment names an exporter and OpenTelemetry is installed; else nothing.

The variables are OpenTelemetry's own: OTEL_TRACES_EXPORTER (`otlp`, `console` or `none`), OTEL_EXPORTER_OTLP_ENDPOINT
or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_SERVICE_NAME, OTEL_SDK_DISABLED. `pip install aurora-workflows[otel]`
brings the packages.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_FLUSH_SECONDS = 2.0
"""Seconds that the end of the process waits for spans that are still to be sent; an endpoint may be dead."""


class NullSpan:
    """What there is to say goes nowhere."""

    def set_outcome(self, code: str | None) -> None:
        """Nothing to do."""


class CallSpan:
    """A span of OpenTelemetry.

    Args:
        span: the library's own.
    """

    def __init__(self, span: Any) -> None:
        self._span = span

    def set_outcome(self, code: str | None) -> None:
        """Tell what came of it: `error.type` is the code of the fault."""
        self._span.set_attribute("aurora.status", "error" if code else "ok")
        if code:
            from opentelemetry.trace import StatusCode  # noqa: PLC0415 - imported only where spans are exported

            self._span.set_attribute("error.type", code)
            self._span.set_status(StatusCode.ERROR, code)


@contextlib.contextmanager
def start_span(tool: str, request_id: str, surface: str) -> Iterator[CallSpan | NullSpan]:
    """The span of one invocation, a part of the one around it."""
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
    """`otlp`, `console`, or None when the environment configures none."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    named = environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if named:
        return named if named in ("otlp", "console") else None
    return "otlp" if any(environ.get(name, "").strip() for name in _ENDPOINTS) else None


def flush_spans() -> None:
    """Send what is still to be sent; at the end of a process that leaves without Python's own goodbye."""
    if _get_tracer.cache_info().currsize and _get_tracer() is not None:
        from opentelemetry import trace  # noqa: PLC0415 - as above

        provider: Any = trace.get_tracer_provider()
        # In a thread that is left to itself: the library goes on trying for longer than it is told to.
        sending = threading.Thread(target=provider.force_flush, name="spans", daemon=True)
        sending.start()
        sending.join(_FLUSH_SECONDS)


@cache
def _get_tracer() -> Any:
    """The tracer of this process; None where nothing is exported."""
    wanted = choose_exporter()
    if wanted is None:
        _warn_unknown_exporter()
        return None
    try:
        return _build_tracer(wanted)
    except ImportError as error:
        sys.stderr.write(f"aur: no spans are exported: {error}; `pip install 'aurora-workflows[otel]'` mends it\n")
        return None


def _warn_unknown_exporter() -> None:
    """A sentence where an exporter is named that is none of ours: spans are missed otherwise, and nobody knows why."""
    named = os.environ.get("OTEL_TRACES_EXPORTER", "").strip()
    if named.lower() not in {"", "none", "otlp", "console"}:
        sys.stderr.write(f'aur: no spans are exported: OTEL_TRACES_EXPORTER is "{named[:80]}", not otlp or console\n')


def _build_tracer(wanted: str) -> Any:
    # OpenTelemetry is heavy, and an extra: only who asks for spans imports it.
    from opentelemetry import trace  # noqa: PLC0415 - see above
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - see above
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - see above
    from opentelemetry.sdk.trace.export import (  # noqa: PLC0415 - see above
        BatchSpanProcessor,
        ConsoleSpanExporter,
        SimpleSpanProcessor,
    )

    resource = Resource.create({} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "aurora"})
    provider = TracerProvider(resource=resource)
    if wanted == "console":  # on stderr: stdout belongs to the protocol and to the command's output
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - see above

        from .telemetry_logging import replace_messages  # noqa: PLC0415 - see above

        where = next((os.environ[name] for name in reversed(_ENDPOINTS) if os.environ.get(name)), "the endpoint")
        replace_messages(f"aur: spans cannot be sent to {where}; the calls themselves are not held up\n")
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return trace.get_tracer("aurora")
