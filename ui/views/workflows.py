"""Views of the workflows.

They are the list, and a workflow with its drawing, its coverage, and its differences from the shipped one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault, did_you_mean
from aurora.tools.runtime import call_tool
from aurora.ui import runs, workflows
from aurora.ui.web import read_text

if TYPE_CHECKING:
    from starlette.responses import Response

    from aurora.interpreter import Definition
    from aurora.ui.web import PageRequest

_TABS = ("drawing", "coverage", "changes")


def list_workflows(page: PageRequest) -> Response:
    """List the workflows of a project."""
    return page.render(
        "workflows.html",
        tab="workflows",
        title="Workflows",
        workflows=page.project.workflows.list_summaries(),
        untrusted=workflows.list_files(page.project),
    )


def show_workflow(page: PageRequest) -> Response:
    """Show one workflow."""
    name = page.request.path_params["workflow"]
    catalog = page.project.workflows
    names = catalog.list_names()
    if name not in names:  # a name only: `load_partial` would read a file
        help_ = did_you_mean(name, names) or "The list of workflows shows those of this project."
        raise Fault(Code.NOT_FOUND, f'there is no workflow "{name[:80]}"', help=help_)
    definition, problems = catalog.load_partial(name)
    chosen = read_text(page.query, "tab")
    values: dict[str, Any] = {
        "tab": "workflows",
        "title": name,
        "workflow": name,
        "here": page.link("workflows", name),
        "problems": [workflows.describe_problem(page, problem) for problem in problems[:50]],
        "view": chosen if chosen in _TABS else "drawing",
        "label": definition.label if definition else name,
        "workflow_title": definition.workflow.title if definition else "",
        "source": definition.source if definition else "",
        "path": catalog.find_path(name).name,
        "runs_link": page.link("runs", workflow=name),
        "drawing": "",
        "fits": False,
        "panel": None,
        "coverage": None,
        "comparison": None,
    }
    if definition is not None:
        values |= _build_tab(page, definition, problems, values["view"])
    return page.render("workflow.html", **values)


def _build_tab(page: PageRequest, definition: Definition, problems: Any, view: str) -> dict[str, Any]:
    if view == "changes":
        return {"comparison": workflows.compare_with_shipped(page.project, definition)}
    if view == "coverage":
        return _build_coverage(page, definition)
    way = runs.parse_way(page.query.get("way", ""))
    phase = way[0] if way else read_text(page.query, "phase")
    drawing = runs.draw_workflow(page, definition, problems, (phase, way))
    return {
        "drawing": drawing if len(drawing) <= runs.MAX_DRAWING else "",
        "fits": runs.fits_screen(drawing),
        "panel": workflows.build_phase_panel(page, definition, problems, phase, way) if phase else None,
    }


def _build_coverage(page: PageRequest, definition: Definition) -> dict[str, Any]:
    """Build the coverage, with the test cases only when they are asked for: they take a second or more."""
    fired = workflows.read_fired(page.project, definition)
    tested, note = None, ""
    if page.query.get("tests"):
        given = {"files": [definition.workflow.name], "coverage": True}
        try:
            tested = call_tool(page.project, "workflow.test", given, surface="page")
        except Fault as fault:
            note = f"{fault.message}. {fault.help}"
    drawing = runs.draw_workflow(page, definition, (), ("", None), fired.visits) if fired.runs else ""
    return {
        "coverage": workflows.build_coverage(page, definition, fired, tested),
        "drawing": drawing if len(drawing) <= runs.MAX_DRAWING else "",
        "fits": runs.fits_screen(drawing),
        "note": note,
    }
