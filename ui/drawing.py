"""Drawings inside a page: a workflow, and the walk of a run through it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter import diagram, drawing
from aurora.tools import runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.problems import Problem
    from aurora.memory import RunRow, StepRow

    from .request import PageRequest


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
