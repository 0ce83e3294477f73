"""The checks, a list to read; each takes a `View` and yields problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import check as expressions
from aurora.interpreter.checks.flow import cycles
from aurora.interpreter.checks.flow import unreachable as reach
from aurora.interpreter.checks.flow import unused as reads
from aurora.interpreter.checks.flow import unwritten as writes
from aurora.interpreter.checks.rules import decisions
from aurora.interpreter.checks.rules import order as precedence

from . import combinations, names, prompts, references, schemas
from . import type_flow as fitness
from . import untrusted_text as fences
from .view import View

if TYPE_CHECKING:
    from aurora.interpreter.language.definition import Definition, Loading
    from aurora.interpreter.problems.problem import Place, Problem
    from aurora.interpreter.run.ports import Toolbox

CHECKS = (
    names.problems,
    combinations.problems,
    references.problems,
    schemas.problems,
    expressions.problems,
    decisions.problems,
    precedence.problems,
    reach.problems,
    cycles.problems,
    prompts.problems,
    fitness.problems,
    writes.problems,
    reads.problems,
    fences.problems,
)

LOCAL = (
    names.problems,
    combinations.problems,
    references.problems,
    schemas.problems,
    expressions.problems,
    decisions.problems,
    prompts.problems,
)
"""Those that look at one phase at a time."""


def check(definition: Definition, tools: Toolbox | None) -> tuple[Problem, ...]:
    """Every problem that the checks find; tools are left unchecked without a toolbox."""
    view = View(definition, tools)
    return tuple(problem for find in CHECKS for problem in find(view))


def check_rest(loading: Loading, tools: Toolbox | None) -> tuple[Problem, ...]:
    """What is wrong in the phases whose shape is right, when that of others, or of the file's head, is not.

    How the phases hang together is judged only where that does not hang on what cannot be read.
    """
    if loading.rest is None:
        return ()
    view = View(loading.rest, tools)
    phases = view.definition.root.get("phases")
    broken = [node.place for name in loading.broken if phases and (node := phases.get(name))]
    found = (problem for find in (CHECKS if loading.connected else LOCAL) for problem in find(view))
    return tuple(one for one in found if not any(_within(one, place) for place in broken))


def _within(problem: Problem, place: Place) -> bool:
    return problem.path == place.path and place.line - 1 <= problem.line <= place.end_line
