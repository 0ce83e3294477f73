"""What is kept of one invocation, whatever comes of it: its line in the log, and its span where spans are exported."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.faults.cancellation import Abandoned

from . import call_log as calllog
from .telemetry import span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from aurora.tools.core.project import Project

    from .call_log import Surface


@dataclass(slots=True)
class Outcome:
    """What came of it: the code of a fault that was told and not raised, or None."""

    code: str | None = None

    def told(self, output: Mapping[str, Any]) -> None:
        """Take the code from an output: a phase's response tells its fault, and does not raise."""
        error = output.get("error") if output.get("status") == "error" else None
        self.code = str(error["code"]) if error else None


@contextmanager
def observed(project: Project | None, request_id: str, tool: str, surface: Surface) -> Iterator[Outcome]:
    """Keep what is to be kept of the invocation in this block; whatever it raises goes on.

    Args:
        project: the open project, whose log has the line; None where there is none.
        request_id: a name for the invocation.
        tool: the tool's name, or the one that was asked for.
        surface: where the call came from.
    """
    outcome, began = Outcome(), time.perf_counter()
    with span(tool, request_id, surface) as current:
        try:
            yield outcome
        except BaseException as error:
            outcome.code = _code(error)
            raise
        finally:
            current.ended(outcome.code)
            calllog.record(
                calllog.Line.of(request_id, tool, surface, time.perf_counter() - began, outcome.code), project
            )


def _code(error: BaseException) -> str:
    if isinstance(error, Fault):
        return error.code.value
    return (Code.TIMEOUT if isinstance(error, Abandoned | KeyboardInterrupt) else Code.INTERNAL_ERROR).value
