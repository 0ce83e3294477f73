"""Step of a run from the command line, logged like a host's call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.runtime import new_request_id, record_call

from .query import TOOL, step_workflow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Engine
    from aurora.interpreter.run.call import PersonReply
    from aurora.tools.core import Project


def run_logged_step(
    project: Project,
    arguments: Mapping[str, Any],
    *,
    engine: Engine | None = None,
    person: PersonReply | None = None,
) -> dict[str, Any]:
    """Run a step and log it; a failure is a response with `status: error`.

    Args:
        project: the open project.
        arguments: those of the call.
        engine: the engine of a workflow that has no name in the project; by default the project's.
        person: the reply of the person to the question of a phase.
    """
    request = new_request_id()
    with record_call(project, request, TOOL.name, "cli") as outcome:
        envelope = step_workflow(project, arguments, request, engine=engine, person=person)
        outcome.set_from_output(envelope)
    return envelope
