"""One phase called from the command line: as a host's call, with a request id of its own and a line in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.runtime.dispatch import new_request_id
from aurora.tools.runtime.instrumentation import observed

from .query import TOOL, step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.tools.core.project import Project


def stepped(project: Project, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The response to these arguments; a failure is a response with `status: error`, and is logged as one."""
    request = new_request_id()
    with observed(project, request, TOOL.name, "cli") as outcome:
        envelope = step(project, arguments, request)
        outcome.told(envelope)
    return envelope
