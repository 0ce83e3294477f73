"""The checks, a list to read; each takes a `View` and yields problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import combinations, cycles, decisions, expressions, names, precedence, prompts, reach, references, schemas
from .view import View

if TYPE_CHECKING:
    from ..definition import Definition
    from ..ports import Toolbox
    from ..problems import Problem

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
)


def check(definition: Definition, tools: Toolbox | None) -> tuple[Problem, ...]:
    """Every problem that the checks find; tools are left unchecked without a toolbox."""
    view = View(definition, tools)
    return tuple(problem for find in CHECKS for problem in find(view))
