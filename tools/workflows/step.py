"""One phase called from the command line: as a host's call, with a request id of its own and a line in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.runtime import new_request_id, record_call

from .query import TOOL, step_workflow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.tools.core import Project


def run_logged_step(project: Project, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The response to these arguments; a failure is a response with `status: error`, and is logged as one."""
    request = new_request_id()
    with record_call(project, request, TOOL.name, "cli") as outcome:
        envelope = step_workflow(project, arguments, request)
        outcome.set_from_output(envelope)
    return envelope
