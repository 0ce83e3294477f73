"""Views of one run: the page, a whole value, the page as a file, and the run as a test case."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.tools import runs as run_tools
from aurora.ui import runs
from aurora.ui.web import describe_moment, make_text, read_count

from .live import stamp_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from aurora.memory import RunRow, StepRow
    from aurora.ui.web import PageRequest

_GOING_ON = frozenset({"open", "waiting", "begun"})
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_TEXT = 5_000_000
"""Characters of a value as plain text."""
_MAX_CASE = 40_000
"""Characters of a test case on its page; its plain text has all."""


def _find_run(page: PageRequest) -> RunRow:
    run = run_tools.resolve_run_id(page.project, page.request.path_params["run"][:80])
    row = page.project.memory.journal.head(run)
    if row is None:
        raise Fault(Code.NOT_FOUND, f'there is no run "{run}"', help="The list of runs shows those of this project.")
    return row


def show_run(page: PageRequest) -> Response:
    """Show one run: the walked workflow, the timeline, and the panel of the chosen step."""
    row = _find_run(page)
    steps = page.project.memory.journal.steps(row.run)
    step = read_count(page.query, "step")
    definition, notes = run_tools.find_run_workflow(page.project, row)
    choice = runs.resolve_choice(page.query, steps, step, definition)
    drawn = steps[:step] if step else steps
    drawing = ""
    if definition is not None:
        drawing = runs.draw_run(page, definition, row, drawn, (choice.phase, choice.way))
        if len(drawing) > runs.MAX_DRAWING:
            drawing, notes = "", [*notes, "The workflow is too large to be drawn here; `aur workflow graph` draws it."]
    head: dict[str, Any] = dict(row.document)
    now = time.time()
    seq = choice.step
    return page.render(
        "run.html",
        tab="runs",
        title=runs.find_question(steps[0] if steps else None, 400) or row.run,
        row=row,
        state_of_run=runs.describe_run_state(head),
        workflow=f"{head.get('workflow', row.workflow)}@{head.get('version', '?')}",
        workflow_link=page.link("workflows", str(head.get("workflow", row.workflow))),
        workflow_title=definition.workflow.title if definition is not None else "",
        branch=str((head.get("origin") or {}).get("branch", "")),
        forked_from=str(head.get("forked_from") or ""),
        began=describe_moment(row.created_at, now),
        changed=describe_moment(row.updated_at, now),
        tokens=runs.describe_tokens(head.get("tokens"), head.get("budget")),
        notes=notes,
        drawing=drawing,
        fits=runs.fits_screen(drawing),
        panel=runs.build_panel(page, row, steps, choice, definition),
        timeline=runs.build_timeline(steps, seq),
        chosen_step=seq,
        is_past=bool(step) and step < len(steps),
        previous=page.link("runs", row.run, step=seq - 1) if seq > 1 else "",
        following=page.link("runs", row.run, step=seq + 1) if 0 < seq < len(steps) else "",
        **_describe_position(page, row, steps),
        here=page.link("runs", row.run),
    )


def _describe_position(page: PageRequest, row: RunRow, steps: Sequence[StepRow]) -> dict[str, Any]:
    """Describe what a run has reached: its answer, the question to the person, or what it waits for."""
    status = row.document.get("status", "open")
    wait = run_tools.find_wait(page.project, row.workflow, steps[-1].document) if steps else None
    return {
        "wait": run_tools.describe_wait(wait.model_dump()) if wait is not None else "",
        "next_phase": str(row.document.get("next") or "") if status == "open" and wait is None else "",
        "answer": runs.find_answer(page, steps) if status == "ended" else None,
        "gate_of_run": runs.find_gate(page.project, row.run) if status == "waiting" else None,
        "live": page.link("live", run=row.run, since=stamp_run(row)) if status in _GOING_ON else "",
    }


def show_value(page: PageRequest) -> Response:
    """Show one value of a step as plain text, whole."""
    row = _find_run(page)
    steps = page.project.memory.journal.steps(row.run)
    seq, part = page.request.path_params["step"], page.request.path_params["part"]
    if not 1 <= seq <= len(steps):
        raise Fault(Code.NOT_FOUND, f'run "{row.run}" has no step {seq}', help="Its page lists its steps.")
    shown = run_tools.describe_step(steps, seq - 1, _keep)
    values = runs.list_values(shown, steps[seq - 1].document)
    if part not in values:
        raise Fault(Code.NOT_FOUND, "a step has no such part", help=f"It has {', '.join(values)}.")
    return make_text(page.hide_paths(run_tools.format_value(values[part], _MAX_TEXT)))


def _keep(value: Any) -> Any:
    return value


def export_page(page: PageRequest) -> Response:
    """Send the run as a page in one file."""
    row = _find_run(page)
    output = run_tools.export_run(run_tools.ExportRunInput(run=row.run), page.context)
    return make_text(page.hide_paths(output.text), "text/html", f"run-{_UNSAFE.sub('-', row.run)}.html")


def show_case(page: PageRequest) -> Response:
    """Show the run as a test case of its workflow."""
    row = _find_run(page)
    steps = page.project.memory.journal.steps(row.run)
    if page.query.get("as") == "text":
        return make_text(page.hide_paths(runs.render_case(page.project, row, steps)))
    case = runs.render_case(page.project, row, steps, _MAX_CASE)
    return page.render(
        "case.html",
        tab="runs",
        title="Copy as a test case",
        row=row,
        case=case[:_MAX_CASE],
        is_cut=len(case) > _MAX_CASE,
        file=f".aurora/workflows/tests/{row.document.get('workflow', row.workflow)}.yaml",
        command=f"aur workflow test {row.document.get('workflow', row.workflow)}",
        here=page.link("runs", row.run),
    )
