"""Tool `runs.export`: one run as a page in one file, to read in a browser or to attach to a review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.interpreter import diagram
from aurora.tools.core import Command, Example, StrictModel, Tool

from .last import resolve_run_id
from .page import render_page
from .show import build_output, describe_step
from .walked import count_visits, find_run_workflow, find_wait

if TYPE_CHECKING:
    from aurora.tools.core import Context

_MAX_STEPS = 500
"""Steps of a page, the first ones; a browser shows them without waiting."""


class ExportRunInput(StrictModel):
    """Run to export."""

    run: str = Field(min_length=1, max_length=80, description="The run's id, as `runs list` shows it, or `last`.")


class ExportRunOutput(StrictModel):
    """Page as HTML, which loads nothing, and the number of its steps."""

    run: str
    steps: int
    text: str


def export_run(given: ExportRunInput, context: Context) -> ExportRunOutput:
    """Export a run as a page.

    Raises:
        Fault: NOT_FOUND for an unknown run.
    """
    journal = context.project.memory.journal
    run = resolve_run_id(context.project, given.run)
    row = journal.head(run)
    if row is None:
        help_ = "`aur runs list` shows the runs of this project."
        raise Fault(Code.NOT_FOUND, f'there is no run "{run}"', help=help_, details={"run": run})
    steps = journal.steps(run)
    wait = find_wait(context.project, row.workflow, steps[-1].document) if steps else None
    shown = [describe_step(steps, at, _keep_value, wait) for at in range(min(len(steps), _MAX_STEPS))]
    definition, notes = find_run_workflow(context.project, row)
    if len(steps) > _MAX_STEPS:
        notes.append(f"This page has the first {_MAX_STEPS:,} of {len(steps):,} steps.")
    drawing = ""
    if definition is not None:
        visits = count_visits(definition, row, steps)
        drawing = diagram.render_svg(diagram.build_diagram(definition, ()), visits)
    title = definition.workflow.title if definition is not None else ""
    page = render_page(build_output(row, (), None), shown, title, drawing, notes)
    return ExportRunOutput(run=run, steps=len(shown), text=page)


def _keep_value(value: Any) -> Any:
    """Return a value as it is: the page clips it."""
    return value


TOOL = Tool(
    name="runs.export",
    title="Export a run as a page",
    description=(
        "One run as an HTML page in one file that loads nothing: the workflow with the ways that were taken, and each "
        "step with its inputs, the rules with the values they saw, its result and answer. Secrets are masked."
    ),
    input=ExportRunInput,
    output=ExportRunOutput,
    run=export_run,
    family="runs",
    risk="read",
    idempotent=True,
    timeout=60.0,
    constraints=("Runs of a read-only project are not stored.",),
    examples=(Example("A run, by the id in its responses", {"run": "k3f9wq2m"}),),
    command=Command("runs export", "Write one run as an HTML page.", arguments=("run",)),
)
