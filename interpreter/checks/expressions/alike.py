"""Phases whose rules are alike: what is found of the rules of one of them is true of all."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression

from .sites import find_root_paths, walk_tree

if TYPE_CHECKING:
    from aurora.interpreter.checks.view import WorkflowView

RuleKey = tuple[tuple[str | None, ...], str, bool, bool]
"""What the rules of a phase depend on: their conditions, the answer's schema, its loop, and whether it is the first."""

_OWN_NAMES = frozenset({"answer", "answers", "vars"})
"""Names in a rule's scope that mean the same in each phase with the same schema."""
_PLAIN_NODES = frozenset(
    {"and_expression", "comparator", "field", "function_expression", "index", "index_expression", "literal"}
) | {"not_expression", "or_expression", "subexpression"}
"""Nodes that read the scope only by the names that `find_root_paths` lists."""


def find_rule_key(view: WorkflowView, phase: str) -> RuleKey | None:
    """Find a key that is equal where the rules are alike; a phase without a key is like no other.

    Rules are alike if they read only the answer of their own phase and constants: then nothing that is true of their
    conditions depends on other phases, on inputs, or on the name of the phase.
    """
    keys = _know_rule_keys(view)
    if phase not in keys:
        keys[phase] = _find_rule_key(view, phase)
    return keys[phase]


@lru_cache(maxsize=1)
def _know_rule_keys(_: WorkflowView) -> dict[str, RuleKey | None]:
    return {}


def _find_rule_key(view: WorkflowView, phase: str) -> RuleKey | None:
    spec, schema = view.phases[phase], view.definition.answers.get(phase)
    if schema is None or not _decides_alone(view, phase):
        return None
    conditions = tuple(rule.when for rule in spec.next_action)
    if not all(text is None or _reads_only_own(text) for text in conditions):
        return None
    return conditions, repr(schema), spec.for_each is not None, _is_first(view, phase)


def _decides_alone(view: WorkflowView, phase: str) -> bool:
    """Return whether a phase only asks the host for an answer."""
    spec = view.phases[phase]
    if spec.prompt_template is None or spec.has_result or spec.output is not None:
        return False
    return spec.when is None and spec.person is None and spec.branches is None


def _is_first(view: WorkflowView, phase: str) -> bool:
    return phase == view.resolve_target(view.definition.workflow.start)


@lru_cache(maxsize=1024)
def _reads_only_own(text: str) -> bool:
    """Return whether a condition reads only values that do not depend on other phases."""
    try:
        tree = compile_expression(text).parsed
    except ExpressionError:
        return False
    if any(node["type"] not in _PLAIN_NODES for node in walk_tree(tree)):
        return False
    return all(path[0] in _OWN_NAMES for path in find_root_paths(tree))
