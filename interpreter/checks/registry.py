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
from .view import WorkflowView

if TYPE_CHECKING:
    from aurora.interpreter.language import Definition, LoadResult
    from aurora.interpreter.problems import Place, Problem
    from aurora.interpreter.run import Toolbox

CHECKS = (
    names.check_reserved_names,
    combinations.check_key_combinations,
    references.check_references,
    schemas.check_schemas,
    expressions.check_expressions,
    decisions.check_decisions,
    precedence.check_rule_order,
    reach.check_unreachable_phases,
    cycles.check_cycles,
    prompts.check_prompts,
    fitness.check_type_flow,
    writes.check_unwritten_values,
    reads.check_unused_values,
    fences.check_untrusted_text,
)

LOCAL_CHECKS = (
    names.check_reserved_names,
    combinations.check_key_combinations,
    references.check_references,
    schemas.check_schemas,
    expressions.check_expressions,
    decisions.check_decisions,
    prompts.check_prompts,
)
"""Those that look at one phase at a time."""


def check_definition(definition: Definition, tools: Toolbox | None) -> tuple[Problem, ...]:
    """Every problem that the checks find; tools are left unchecked without a toolbox."""
    view = WorkflowView(definition, tools)
    return tuple(problem for find in CHECKS for problem in find(view))


def check_valid_phases(loading: LoadResult, tools: Toolbox | None) -> tuple[Problem, ...]:
    """What is wrong in the phases whose shape is right, when that of others, or of the file's head, is not.

    How the phases hang together is judged only where that does not hang on what cannot be read.
    """
    if loading.partial is None:
        return ()
    view = WorkflowView(loading.partial, tools)
    phases = view.definition.root.get("phases")
    broken = [node.place for name in loading.broken_phases if phases and (node := phases.get(name))]
    found = (problem for find in (CHECKS if loading.connected else LOCAL_CHECKS) for problem in find(view))
    return tuple(one for one in found if not any(_is_within(one, place) for place in broken))


def _is_within(problem: Problem, place: Place) -> bool:
    return problem.path == place.path and place.line - 1 <= problem.line <= place.end_line
