"""Proof that a simulation tried every value that the rules can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions import ExpressionError, compile_expression
from aurora.interpreter.schema import to_canonical_json
from aurora.interpreter.simulation.values import ABSENT

from .sources import list_rule_expressions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.expressions import Tree

    from .plan import SimulationPlan
    from .sources import ValueSource

_MAX_RANGE = 64
"""The most whole numbers that are listed one by one."""


def has_every_value(plan: SimulationPlan) -> bool:
    """Return whether the test values of each source are all that its schema allows, or one of each kind."""
    sources = {one for phase in plan.workflow.phases for one in plan.sources_by_phase[phase]}
    return not any(_is_one_of_many(plan, one) for one in sources) and all(_is_covered(plan, one) for one in sources)


def _is_one_of_many(plan: SimulationPlan, source: ValueSource) -> bool:
    """Return whether the source is an answer of a list of answers, of which only the first varies."""
    return source.kind == "answer" and plan.workflow.phases[source.phase].for_each is not None


def _is_covered(plan: SimulationPlan, source: ValueSource) -> bool:
    if plan.workflow.phases[source.phase].workflow is not None and source.kind == "result":
        return False  # its outputs come from some runs of it
    tried = {to_canonical_json(one) for one in plan.list_values(source) if one is not ABSENT}
    schema = plan.find_schema(source)
    allowed = _list_allowed(schema)
    if allowed is not None:
        return {to_canonical_json(one) for one in allowed} <= tried
    if schema.get("type") != "string" or schema.keys() - {"type", "title", "description"}:
        return False
    compared = _find_compared_texts(plan, source)
    return compared is not None and {to_canonical_json(one) for one in compared} < tried


def _list_allowed(schema: Mapping[str, Any]) -> list[Any] | None:
    """List the values of a finite schema, and maybe more; None for any other."""
    if "const" in schema:
        return [schema["const"]]
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [False, True]
    least, most = schema.get("minimum"), schema.get("maximum")
    if schema.get("type") == "integer" and isinstance(least, int) and isinstance(most, int):
        return list(range(least, most + 1)) if most - least < _MAX_RANGE else None
    return None


def _find_compared_texts(plan: SimulationPlan, source: ValueSource) -> set[str] | None:
    """Find the texts that a source is compared with; None when a rule uses it in any other way."""
    found: set[str] = set()
    for phase in plan.workflow.phases:
        if source not in plan.sources_by_phase[phase]:
            continue
        for text in list_rule_expressions(plan.workflow, phase):
            try:
                compared = list(_list_equal_texts(compile_expression(text).parsed))
            except ExpressionError:
                return None
            if None in compared:
                return None
            found.update(one for one in compared if one is not None)
    return found


def _list_equal_texts(tree: Tree) -> Iterator[str | None]:
    """Yield the texts that an expression compares fields with; None for all that is no such comparison."""
    if tree["type"] in ("and_expression", "or_expression", "not_expression"):
        for child in tree["children"]:
            yield from _list_equal_texts(child)
    elif tree["type"] == "comparator" and tree["value"] in ("eq", "ne"):
        literals = [child["value"] for child in tree["children"] if child["type"] == "literal"]
        yield from literals if len(literals) == 1 and isinstance(literals[0], str) else [None]
    else:
        yield None
