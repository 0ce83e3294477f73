"""Workflows as the page shows them: drawing, panel of a phase, problems, and the shipped one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault, did_you_mean
from aurora.interpreter import Catalog, diagram, drawing
from aurora.interpreter.lab.diff import compare_definitions
from aurora.interpreter.lab.explain_step import preview_rules
from aurora.interpreter.yaml import display_path
from aurora.tools import runs

from .request import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from aurora.interpreter import Definition
    from aurora.interpreter.lab.differences import Change
    from aurora.interpreter.problems import Problem
    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project

    from .request import PageRequest


_TABS = ("drawing", "changes")


def list_workflows(page: PageRequest) -> Response:
    """List the workflows of a project."""
    return page.render(
        "workflows.html",
        tab="workflows",
        title="Workflows",
        workflows=page.project.workflows.list_summaries(),
        untrusted=list_files(page.project),
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
        "problems": [describe_problem(page, problem) for problem in problems[:50]],
        "view": chosen if chosen in _TABS else "drawing",
        "label": definition.label if definition else name,
        "workflow_title": definition.workflow.title if definition else "",
        "source": definition.source if definition else "",
        "path": catalog.find_path(name).name,
        "runs_link": page.link("runs", workflow=name),
        "drawing": "",
        "fits": False,
        "panel": None,
        "comparison": None,
    }
    if definition is not None:
        values |= _build_tab(page, definition, problems, values["view"])
    return page.render("workflow.html", **values)


def _build_tab(page: PageRequest, definition: Definition, problems: Any, view: str) -> dict[str, Any]:
    if view == "changes":
        return {"comparison": compare_with_shipped(page.project, definition)}
    way = parse_way(page.query.get("way", ""))
    phase = way[0] if way else read_text(page.query, "phase")
    drawing = draw_workflow(page, definition, problems, (phase, way))
    return {
        "drawing": drawing if len(drawing) <= MAX_DRAWING else "",
        "fits": fits_screen(drawing),
        "panel": build_phase_panel(page, definition, problems, phase, way) if phase else None,
    }


_MAX_PROBLEMS = 50
_MAX_RULES = 60


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """Problem of a file."""

    severity: str
    code: str
    name: str
    message: str
    help: str
    place: str


@dataclass(frozen=True, slots=True)
class ShownRule:
    """Rule of a phase, with its place in the file."""

    number: int
    when: str
    then: str
    place: str
    note: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class PhasePanel:
    """Panel of a phase."""

    name: str
    title: str
    tags: Sequence[str]
    facts: Sequence[str]
    rules: Sequence[ShownRule]
    further: Sequence[str]
    problems: Sequence[ShownProblem]


def describe_problem(page: PageRequest, problem: Problem) -> ShownProblem:
    """Describe a problem."""
    place = page.relate(f"{problem.path}:{problem.line}:{problem.column}")
    return ShownProblem(problem.severity, problem.code, problem.name, problem.message, problem.help, place)


def build_phase_panel(
    page: PageRequest, definition: Definition, problems: Sequence[Problem], phase: str, way: tuple[str, str] | None
) -> PhasePanel | None:
    """Build the panel of a phase; None for one that the workflow does not have."""
    drawn = diagram.build_diagram(definition, problems)
    node = next((one for one in drawn.nodes if one.name == phase), None)
    if node is None:
        return None
    names = definition.workflow.map_phase_names()
    target = way[1] if way else None
    rules = [
        ShownRule(
            rule.rule,
            rule.when or "always",
            rule.then,
            page.relate(rule.place),
            rule.note,
            names.get(rule.then, rule.then) == target,
        )
        for rule in preview_rules(definition, phase)[:_MAX_RULES]
    ]
    return PhasePanel(
        name=node.name,
        title=node.title,
        tags=node.tags,
        facts=node.facts,
        rules=rules,
        further=[edge.label for edge in node.edges if edge.kind != "then"],
        problems=[describe_problem(page, problem) for problem in node.problems[:_MAX_PROBLEMS]],
    )


def list_files(project: Project) -> list[str]:
    """List the project's own workflow files that are not used.

    The person has not trusted the folder.
    """
    return [display_path(path) for path in project.workflows.list_untrusted_files()][:_MAX_PROBLEMS]


_MAX_CHANGES = 300


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes in behaviour from a shipped workflow.

    Attributes:
        shipped: the name of the shipped workflow.
        changes: at most 300 of them.
    """

    shipped: str
    changes: Sequence[Change]


def compare_with_shipped(project: Project, definition: Definition) -> Comparison | None:
    """Compare a workflow with the shipped one of its name.

    Without one, compare it with the nearest shipped one that it extends.

    Returns:
        None when there is none, or this is a shipped one.
    """
    # A catalog without a folder has the shipped workflows only, even where the project has one of the same name.
    catalog = Catalog(None, project.tools)
    name = None if definition.source == "shipped" else _find_shipped(catalog, definition)
    if name is None:
        return None
    return Comparison(name, compare_definitions(catalog.open(name), definition).changes[:_MAX_CHANGES])


def _find_shipped(catalog: Catalog, definition: Definition) -> str | None:
    """Find the name of the shipped workflow to compare with."""
    names = catalog.list_names()
    if definition.workflow.name in names:
        return definition.workflow.name
    # The files of the bases follow the workflow's own, the nearest first.
    bases = definition.files[1 : definition.bases + 1]
    return next((base.stem for base in bases if catalog.is_shipped(base) and base.stem in names), None)


_WAY = ">"
"""Between the two phases of a way in an address; no name of a phase contains it."""
_HEIGHT = re.compile(r'^<svg [^>]* height="(\d+)"')
_MAX_HEIGHT = 1060
"""Height in pixels up to which a drawing is fitted to the screen."""
MAX_DRAWING = 400_000
"""Characters of a drawing; a larger one has a link to itself instead."""


def fits_screen(svg: str) -> bool:
    """Return True for a drawing that can be read when it is as high as a screen."""
    height = _HEIGHT.search(svg)
    return height is not None and int(height[1]) <= _MAX_HEIGHT


def parse_way(text: str) -> tuple[str, str] | None:
    """Parse the way of an address; None for any other text."""
    source, between, target = text.partition(_WAY)
    return (source, target) if between and source and target else None


def format_way(source: str, target: str) -> str:
    """Format a way for an address."""
    return f"{source}{_WAY}{target}"


def draw_run(
    page: PageRequest,
    definition: Definition,
    row: RunRow,
    steps: Sequence[StepRow],
    chosen: tuple[str, tuple[str, str] | None],
) -> str:
    """Draw the walk of a run; each phase and each way leads to what the panel shows of it.

    Args:
        page: the request.
        definition: the workflow.
        row: the run.
        steps: its steps as far as they are drawn.
        chosen: the phase and the way that the panel shows.
    """
    visits = runs.count_visits(definition, row, steps)
    links = drawing.Links(
        phase=lambda name: page.link("runs", row.run, phase=name) + "#panel",
        way=lambda source, target: page.link("runs", row.run, way=format_way(source, target)) + "#panel",
        chosen_phase=chosen[0],
        chosen_way=chosen[1],
    )
    return drawing.render_svg(diagram.build_diagram(definition, ()), visits, links)


def draw_workflow(
    page: PageRequest,
    definition: Definition,
    problems: Sequence[Problem],
    chosen: tuple[str, tuple[str, str] | None],
) -> str:
    """Draw a workflow with its problems."""
    name = definition.workflow.name
    links = drawing.Links(
        phase=lambda phase: page.link("workflows", name, phase=phase) + "#panel",
        way=lambda source, target: page.link("workflows", name, way=format_way(source, target)) + "#panel",
        chosen_phase=chosen[0],
        chosen_way=chosen[1],
    )
    return drawing.render_svg(diagram.build_diagram(definition, problems), None, links)
