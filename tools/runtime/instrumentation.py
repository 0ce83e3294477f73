"""What is kept of one invocation, whatever comes of it: its line in the log, and its span where spans are exported."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Cancelled, Code, Fault

from . import call_log as calllog
from .telemetry import start_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from aurora.tools.core import Project

    from .call_log import Surface


@dataclass(slots=True)
class CallOutcome:
    """What came of it: the code of a fault that was told and not raised, or None."""

    code: str | None = None

    def set_from_output(self, output: Mapping[str, Any]) -> None:
        """Take the code from an output: a phase's response tells its fault, and does not raise."""
        error = output.get("error") if output.get("status") == "error" else None
        self.code = str(error["code"]) if error else None


@contextmanager
def record_call(project: Project | None, request_id: str, tool: str, surface: Surface) -> Iterator[CallOutcome]:
    """Keep what is to be kept of the invocation in this block; whatever it raises goes on.

    Args:
        project: the open project, whose log has the line; None where there is none.
        request_id: a name for the invocation.
        tool: the tool's name, or the one that was asked for.
        surface: where the call came from.
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
            calllog.log_call(
                calllog.CallRecord.from_call(request_id, tool, surface, time.perf_counter() - began, outcome.code),
                project,
            )


def _get_error_code(error: BaseException) -> str:
    if isinstance(error, Fault):
        return error.code.value
    return (Code.TIMEOUT if isinstance(error, Cancelled | KeyboardInterrupt) else Code.INTERNAL_ERROR).value
