"""Phases whose rules are alike: what is found of the rules of one of them is true of all."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.schema.plain import is_plain_schema

from .domains import OTHER_TEXT
from .sites import find_root_paths, walk_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.checks.view import WorkflowView

RuleKey = tuple[tuple[str | None, ...], str, bool, bool]
"""What the rules of a phase depend on: their conditions, the answer's schema, its loop, and whether it is the first."""

_OWN_NAMES = frozenset({"answer", "answers", "vars"})
"""Names in a rule's scope that mean the same in each phase with the same schema."""
_PLAIN_NODES = frozenset(
    {"and_expression", "comparator", "field", "function_expression", "index", "index_expression", "literal"}
) | {"not_expression", "or_expression", "subexpression"}
"""Nodes that read the scope only by the names that `find_root_paths` lists."""

_PART = re.compile(
    r"""answer((?:\.[A-Za-z_][A-Za-z0-9_]*)+)(?![\w.]|\s*\()  # a field of the answer
    |'([^'\\]*)'                                              # a text
    |`(?:true|false|null|[0-9]{1,9})`|[=!]=|&&|\|\||[!()]|\s+""",
    re.VERBOSE | re.ASCII,
)
"""The parts of a condition in which names can be exchanged, without functions, lists and orderings."""
_WHOLE = re.compile(f"(?:{_PART.pattern})*+", _PART.flags)
"""A condition that consists of such parts."""
_KEPT_TEXTS = frozenset({"", OTHER_TEXT})
"""Texts that no other can stand for: an empty one counts as false, and the other is made up by the checks."""


@lru_cache(maxsize=1)
def index_rule_kinds(view: WorkflowView) -> Mapping[str, RuleKey]:
    """Map phases to keys that are equal where the rules are alike but for the names of fields, and texts.

    If nothing is found in the rules of a phase, then nothing is found in those of another of the same kind. What is
    found in them has other names.
    """
    kinds = ((phase, _find_rule_kind(view, phase)) for phase in view.phases)
    return {phase: kind for phase, kind in kinds if kind is not None}


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


def _find_rule_kind(view: WorkflowView, phase: str) -> RuleKey | None:
    spec, schema = view.phases[phase], view.definition.answers.get(phase)
    conditions = [rule.when for rule in spec.next_action]
    if schema is None or spec.for_each is not None or not any(conditions) or not _decides_alone(view, phase):
        return None
    if schema.get("type") != "object" or not is_plain_schema(schema, repr(schema)):
        return None
    names = _Renaming()
    renamed = tuple(None if text is None else names.rename_condition(text) for text in conditions)
    if "" in renamed:
        return None
    return renamed, repr(names.describe_fields(schema)), False, _is_first(view, phase)


class _Renaming:
    """Exchange of the names of fields, and of texts, for numbers, in the order of their appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}
        self._fields: dict[str, None] = {}

    def rename_condition(self, text: str) -> str:
        """Rename a condition; empty for one in which names mean more than themselves."""
        return _PART.sub(self._rename_part, text) if _WHOLE.fullmatch(text) else ""

    def _rename_part(self, found: re.Match[str]) -> str:
        path, quoted = found[1], found[2]
        if path is not None:
            names = path[1:].split(".")
            self._fields[names[0]] = None
            return f"answer.{'.'.join(map(self._number, names))}"
        return found[0] if quoted is None else f"'{self._number(quoted)}'"

    def _number(self, name: str) -> str:
        return name if name in _KEPT_TEXTS else self._numbers.setdefault(name, f"#{len(self._numbers)}")

    def describe_fields(self, schema: Mapping[str, Any]) -> Sequence[Any]:
        """Describe the fields that the conditions read, and what an answer has besides."""
        fields, required = schema.get("properties", {}), schema.get("required", ())
        parts = [(self._describe(fields.get(name)), name in required) for name in self._fields]
        return [schema.get("additionalProperties"), *parts]

    def _describe(self, schema: Mapping[str, Any] | None) -> Sequence[Any]:
        """Describe a plain schema without its names."""
        if schema is None:
            return ()
        if "enum" in schema:
            return ("enum", schema.get("type"), [self._number(choice) for choice in schema["enum"]])
        inner = schema.get("properties", {})
        return (
            schema["type"],
            schema.get("additionalProperties"),
            [self._number(name) for name in schema.get("required", ())],
            [(self._number(name), self._describe(one)) for name, one in inner.items()],
            self._describe(schema.get("items")),
        )
