"""Export of spans with OpenTelemetry, an optional dependency; imported only where spans are exported."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.trace import StatusCode

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Span, Tracer


def build_tracer(exporter: str, endpoint: str) -> Tracer:
    """Set up the export of spans and return the tracer of this process.

    Args:
        exporter: `otlp` or `console`.
        endpoint: the address for spans, for the warning when it cannot be reached.

    Raises:
        ImportError: the package of the exporter is missing.
    """
    resource = Resource.create({} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "aurora"})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(_build_processor(exporter, endpoint))
    trace.set_tracer_provider(provider)
    return trace.get_tracer("aurora")


def mark_error(span: Span, code: str) -> None:
    """Set the status of a span to an error code."""
    span.set_status(StatusCode.ERROR, code)


def flush_spans() -> None:
    """Send the spans that have not been sent yet."""
    provider = trace.get_tracer_provider()
    if isinstance(provider, TracerProvider):
        provider.force_flush()


def _build_processor(exporter: str, endpoint: str) -> SpanProcessor:
    if exporter == "console":  # on stderr: stdout belongs to the protocol and to the command's output
        return SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr))
    # In a package of its own, which may be missing where spans go to the console.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - see above

    _replace_messages(f"aur: spans cannot be sent to {endpoint}; tool calls are not delayed\n")
    return BatchSpanProcessor(OTLPSpanExporter())


def _replace_messages(sentence: str) -> None:
    """Replace all log messages of OpenTelemetry with one sentence, written once."""
    logger = logging.getLogger("opentelemetry")
    logger.addHandler(_OnceHandler(sentence))
    logger.propagate = False


class _OnceHandler(logging.Handler):
    """Log handler that writes one sentence instead of the library's repeated retries."""

    def __init__(self, sentence: str) -> None:
        super().__init__(logging.WARNING)
        self._sentence = sentence

    def emit(self, record: logging.LogRecord) -> None:
        """Write the sentence, the first time."""
        del record
        sys.stderr.write(self._sentence)
        self._sentence = ""
