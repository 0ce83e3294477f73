"""Panel of a workflow: a phase with its rules and problems, or the rules of one way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter import diagram
from aurora.interpreter.analysis import preview_rules
from aurora.interpreter.yaml import display_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.problems import Problem
    from aurora.tools.core import Project
    from aurora.ui.web import PageRequest

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
