"""The registry of checks: a literal to read, and the two functions that run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.errors import check_cancelled
from aurora.interpreter.problems import Place, codes, limit_suggestions

from . import decisions, prompts, references, schemas, structure, type_flow
from .expressions import check as expressions
from .flow import graph, unused, unwritten
from .view import WorkflowView, view_definition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.interpreter.language.definition import Definition, LoadResult
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.run.ports import Toolbox
    from aurora.interpreter.yaml import Node

    from .view import Check, KnownWorkflows

MAX_CHECKED_PROBLEMS = 10_000
"""Problems of one workflow after which the checks stop."""

CHECKS: tuple[Check, ...] = (
    structure.NAMES,
    structure.COMBINATIONS,
    references.REFERENCES,
    references.WORKFLOWS,
    references.REQUIREMENTS,
    schemas.CHECK,
    structure.FORMS,
    structure.RETURNED,
    structure.OUTPUTS,
    expressions.CHECK,
    decisions.DECISIONS,
    decisions.ORDER,
    graph.UNREACHABLE,
    graph.CYCLES,
    graph.GATES,
    prompts.PROMPTS,
    type_flow.CHECK,
    unwritten.UNSENT,
    unwritten.CHECK,
    unused.CHECK,
    prompts.UNTRUSTED_TEXT,
    prompts.ALLOWED,
)


def check_definition(
    definition: Definition, tools: Toolbox | None, known: KnownWorkflows | None = None
) -> tuple[Problem, ...]:
    """Return every problem that the checks find.

    Args:
        definition: the workflow.
        tools: what phases may use; without them, tools are not checked.
        known: the workflows that phases may run; without them, their names are not checked.
    """
    with limit_suggestions():
        return tuple(_run_checks(CHECKS, view_definition(definition, tools, known)))


def has_errors(definition: Definition, tools: Toolbox | None, known: KnownWorkflows | None = None) -> bool:
    """Return whether the checks find an error, without the places of what they find.

    A comment may suppress some errors, which is left to the report.

    Args:
        definition: the workflow.
        tools: what phases may use; without them, tools are not checked.
        known: the workflows that phases may run; without them, their names are not checked.
    """
    view = WorkflowView(definition.without_places(), tools, known)
    # A run waits for this: warnings are looked for by `aur workflow validate` only.
    refusing = [check for check in CHECKS if check.can_refuse]
    with limit_suggestions():
        return any(problem.severity == "error" for problem in _run_checks(refusing, view))


def check_valid_phases(
    loading: LoadResult, tools: Toolbox | None, known: KnownWorkflows | None = None
) -> tuple[Problem, ...]:
    """Return the problems of the valid phases of a file in which other phases, or the head, are broken.

    The checks that follow rules from phase to phase run only when no rule of the file is lost.
    """
    if loading.partial is None:
        return ()
    view = WorkflowView(loading.partial, tools, known)
    phases = view.definition.root.get("phases")
    nodes = [node for name in loading.broken_phases if phases and (node := phases.get(name))]
    broken = [place for node in nodes for place in _list_places(node)]
    # A lost rule would make phases unreachable and values unwritten that are neither.
    checks = CHECKS if loading.connected else [check for check in CHECKS if check.is_local]
    with limit_suggestions():
        return tuple(_drop_problems_within(broken, _run_checks(checks, view)))


def _run_checks(checks: Iterable[Check], view: WorkflowView) -> Iterator[Problem]:
    """Run the checks; stop after so many problems that the limit of a report is far exceeded.

    The last problem is an error then, unless only checks that refuse nothing are left: what was not checked must not
    run.
    """
    count = 0
    for check in checks:
        for problem in check.find_problems(view):
            check_cancelled()
            yield problem
            count += 1
            if count >= MAX_CHECKED_PROBLEMS:
                place = Place(problem.path, problem.line, problem.column, problem.line, problem.end_column)
                message = f"the workflow has more than {MAX_CHECKED_PROBLEMS:,} problems; the rest is not checked"
                kind = codes.TOO_BIG if check.can_refuse else codes.MORE_PROBLEMS
                yield kind.make_problem(place, message, help="fix those above, and validate again")
                return
        check_cancelled()


def _list_places(node: Node) -> Iterator[Place]:
    """Yield the place of a node, and those of its parts that are in another file: the base of a patch."""
    yield node.place
    waiting = [(node, node.place.path)]
    while waiting:
        outer, path = waiting.pop()
        inner = [part for pair in outer.items for part in pair] if outer.kind == "map" else outer.children
        yield from (part.place for part in inner if part.place.path != path)
        waiting.extend((part, part.place.path) for part in inner)


def _drop_problems_within(places: Iterable[Place], problems: Iterable[Problem]) -> Iterator[Problem]:
    for problem in problems:
        if not any(_is_within(problem, place) for place in places):
            yield problem


def _is_within(problem: Problem, place: Place) -> bool:
    return problem.path == place.path and place.line - 1 <= problem.line <= place.end_line
