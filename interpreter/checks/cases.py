"""Enumeration of cases: rules evaluated on every kind of value that they can tell apart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled
from aurora.interpreter.checks.expressions.domains import (
    OTHER_LIST,
    OTHER_OBJECT,
    OTHER_TEXT,
    Operand,
    build_domain,
    build_node_key,
    collect_operands,
    infer_nullness,
)
from aurora.interpreter.checks.expressions.sites import to_field_path, walk_tree

from .entering import NullLinks, UndecidedError, evaluate_tree, link_nulls, list_excluded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions.domains import Nullness
    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.expressions.tokens import Tree

MAX_CASES = 4096
"""The most combinations that are tried; rules with more are not judged."""

MAX_STEPS = 500_000
"""Combinations times the nodes of all rules, some 3 µs each; rules with more are not judged."""

ValueCase = dict[str, Any]


@dataclass(slots=True)
class RuleOutcome:
    """The outcomes of one rule over all cases.

    Attributes:
        sometimes_true, always_true: whether it is true in some case, in every case.
        winning_case: a case in which it is the first that is true; None when there is none.
        null_path: the path that may be null, which stops the run here; None when there is none.
    """

    sometimes_true: bool = False
    always_true: bool = True
    winning_case: ValueCase | None = None
    null_path: tuple[str, ...] | None = None


@dataclass(slots=True)
class PhaseOutcomes:
    """The outcomes of a phase's rules.

    Attributes:
        operands, nullness: what the rules compare, and whether it may be null.
        domains: the sample values of each operand.
        links: which operands are null together.
        outcomes: by rule.
        uncovered_case: a case in which no rule is true; None when there is none.
        may_fail: whether in some case no rule is true, or one before is null.
    """

    operands: dict[str, Operand]
    nullness: dict[str, Nullness]
    domains: dict[str, list[Any]]
    links: NullLinks
    outcomes: list[RuleOutcome]
    uncovered_case: ValueCase | None = None
    may_fail: bool = False

    def describe_case(self, case: Mapping[str, Any]) -> str:
        """Describe a case in words; empty when a short description is impossible."""
        return describe_values([(to_field_path(self.operands[key].tree), value) for key, value in case.items()])


def describe_values(values: Iterable[tuple[Sequence[str] | None, Any]]) -> str:
    """Describe the values at paths in words; empty when a short description is impossible."""
    parts = []
    for path, value in values:
        if path is None or value in (OTHER_TEXT, OTHER_LIST, OTHER_OBJECT) or isinstance(value, float):
            return ""
        shown = f"'{value}'" if isinstance(value, str) else json.dumps(value)
        parts.append(f'"{".".join(path)}" is {shown}')
    return " and ".join(parts)


def enumerate_cases(site: ExpressionSite, rules: Sequence[Tree | None]) -> PhaseOutcomes | None:
    """Evaluate the rules in all cases; None when there are too many cases.

    Args:
        site: one of the expressions, for the scope that they share.
        rules: the tree of each rule's `when`; None for a rule without one.
    """
    seen = _collect_all_operands(rules)
    domains = {key: build_domain(site, one) for key, one in seen.items()}
    cases = prod(len(values) for values in domains.values())
    if cases > MAX_CASES or cases * _count_nodes(rules) > MAX_STEPS:
        return None
    nulls = {key: infer_nullness(site, one.tree) for key, one in seen.items()}
    found = PhaseOutcomes(seen, nulls, domains, link_nulls(site, seen), [RuleOutcome() for _ in rules])
    tests = find_contains_tests(site, seen)
    excluded = {key: list_excluded(site, one, domains[key]) for key, one in seen.items()}
    for case in _generate_cases(domains):
        if is_consistent(case, tests) and found.links.is_possible(case):
            is_reached = not any(_contains_value(values, case[key]) for key, values in excluded.items())
            _evaluate_case(found, rules, case, is_reached=is_reached)
    return found


def _collect_all_operands(rules: Sequence[Tree | None]) -> dict[str, Operand]:
    seen: dict[str, Operand] = {}
    for tree in rules:
        if tree is not None:
            collect_operands(tree, seen)
    return seen


def _count_nodes(rules: Sequence[Tree | None]) -> int:
    return sum(len(list(walk_tree(tree))) for tree in rules if tree is not None)


def _generate_cases(domains: Mapping[str, Sequence[Any]]) -> Iterator[ValueCase]:
    for values in product(*domains.values()):
        yield dict(zip(domains, values, strict=True))


def _contains_value(values: Sequence[Any], value: Any) -> bool:
    """Return whether a list has a value; true is not 1."""
    return any(one == value and type(one) is type(value) for one in values)


def _evaluate_case(found: PhaseOutcomes, rules: Sequence[Tree | None], case: ValueCase, *, is_reached: bool) -> None:
    """Evaluate one case: the first rule that is true wins it.

    A rule that is null does not shadow the rules after it, because its author may still correct it. A case that the
    rules before the phase exclude is no gap.
    """
    won = failed = False
    for tree, outcome in zip(rules, found.outcomes, strict=True):
        value = _evaluate_condition(tree, case)
        holds = value is True
        outcome.sometimes_true |= holds
        outcome.always_true &= holds
        if holds and not won:
            outcome.winning_case = outcome.winning_case or case
        if value is None and tree is not None and not won and not failed and is_reached:
            outcome.null_path = outcome.null_path or _find_null_path(found, tree, case)
        found.may_fail |= value is None and not won and is_reached
        won |= holds
        failed |= value is None
    found.may_fail |= not won and is_reached
    if is_reached and not won and not failed and found.uncovered_case is None:
        found.uncovered_case = case


def _evaluate_condition(tree: Tree | None, case: ValueCase) -> Any:
    check_cancelled()  # there may be tens of thousands of cases
    if tree is None:
        return True
    try:
        return evaluate_tree(tree, case)
    except UndecidedError:
        return None


def _find_null_path(found: PhaseOutcomes, tree: Tree, case: ValueCase) -> tuple[str, ...] | None:
    """Find a value that is null in this case, may be, and makes the rule null; None where unsure."""
    nulls = [key for key, value in case.items() if value is None]
    inside = {build_node_key(one) for one in walk_tree(tree)}
    own = [key for key in nulls if key in inside]
    if not own or any(found.nullness[key] != "known" for key in nulls) or not found.links.can_be_null(own):
        return None
    deciding = [key for key in own if _decides(tree, case, key, found.domains[key])] or own[-1:]
    return to_field_path(found.operands[deciding[0]].tree)


def _decides(tree: Tree, case: ValueCase, key: str, domain: Sequence[Any]) -> bool:
    """Return whether any other value of an operand makes a rule true or false."""
    others = [value for value in domain if value is not None]
    return any(_evaluate_condition(tree, {**case, key: value}) is not None for value in others)


@dataclass(frozen=True, slots=True)
class ContainsTest:
    """A test `contains(TEXT, 'part')`: its key, that of the text, and the part."""

    key: str
    subject: str
    part: str


def find_contains_tests(site: ExpressionSite, operands: Mapping[str, Operand]) -> tuple[ContainsTest, ...]:
    """Find the operands that test whether a text, which is no list, contains a literal."""
    found = []
    for key, operand in operands.items():
        tree = operand.tree
        if tree["type"] != "function_expression" or tree["value"] != "contains":
            continue
        subject, part = tree["children"]
        path = to_field_path(subject)
        schema = (site.find_schema(path) if path else None) or {}
        if part["type"] == "literal" and isinstance(part["value"], str) and schema.get("type") == "string":
            found.append(ContainsTest(key, build_node_key(subject), part["value"]))
    return tuple(found)


def is_consistent(case: Mapping[str, Any], tests: Iterable[ContainsTest]) -> bool:
    """Return whether a text can exist that gives all tests their values in this case."""
    taken: dict[str, list[str]] = {}
    for test in tests:
        text = case.get(test.subject)
        if isinstance(text, str) and text != OTHER_TEXT and case[test.key] is not (test.part in text):
            return False
        if case[test.key] is True:
            taken.setdefault(test.subject, []).append(test.part)
    return not any(
        case[test.key] is False and any(test.part in part for part in taken.get(test.subject, ())) for test in tests
    )
