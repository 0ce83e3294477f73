"""Instrumentation of calls: a record in the log, and a span where spans are exported."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Cancelled, Code, Fault

from .call_log import CallRecord, log_call
from .telemetry import start_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

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
