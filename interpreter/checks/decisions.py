"""Checks of rules: order, constant tests, dead rules, nulls and gaps, on every case that matters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from aurora.errors import check_cancelled
from aurora.interpreter.checks.expressions.check import find_faulty_sites
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
from aurora.interpreter.checks.expressions.scopes import collect_sites
from aurora.interpreter.checks.expressions.sites import to_field_path, walk_tree
from aurora.interpreter.problems import codes

from .entering import NullLinks, UndecidedError, evaluate_tree, link_nulls, list_excluded
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions.domains import Nullness
    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.expressions.tokens import Tree
    from aurora.interpreter.problems import Problem

    from .view import WorkflowView


def check_decisions(view: WorkflowView) -> Iterator[Problem]:
    """Report tests with a constant result, dead rules, nulls and gaps."""
    yield from _check_skips(view)
    yield from _check_faultless_rules(view)
    for phase, found in analyse_rules(view).items():
        yield from _check_phase(view, phase, found)


def _check_phase(view: WorkflowView, phase: str, found: PhaseOutcomes) -> Iterator[Problem]:
    conditions = _index_conditions(view)
    for index, outcome in enumerate(found.outcomes):
        site = conditions.get((phase, index))
        if site is not None:
            yield from _check_rule(site, index, outcome)
    if found.uncovered_case is not None:
        case = found.describe_case(found.uncovered_case)
        when = f" when {case}" if case else " for every result"
        message = f'phase "{phase}" has no rule without `when`, and no other rule is true{when}; the run would fail'
        place = view.locate_key("phases", phase, "next_action")
        yield codes.NO_DEFAULT_RULE.make_problem(place, message, help="add a last rule `{ then: PHASE }`")


def _check_faultless_rules(view: WorkflowView) -> Iterator[Problem]:
    """Report tests with a constant result and dead rules of phases in which another rule is faulty.

    A rule that others shadow stays so, whatever the faulty one means.
    """
    faulty = find_faulty_sites(view)
    rules: dict[str, list[ExpressionSite]] = {}
    for site in _index_conditions(view).values():
        rules.setdefault(site.phase, []).append(site)
    for sites in rules.values():
        if faulty.isdisjoint(sites):
            continue
        valid = [site for site in sites if site.tree is not None and site not in faulty]
        found = enumerate_cases(valid[0], [site.tree for site in valid]) if valid else None
        for site, outcome in zip(valid, found.outcomes if found is not None else (), strict=found is not None):
            # The faulty rule, which is left out here, may be the one that takes the nulls away from those behind it.
            if outcome.null_path is None:
                yield from _check_rule(site, site.index, outcome)


def _check_skips(view: WorkflowView) -> Iterator[Problem]:
    """Report the `when` of a phase with a constant result, and nulls in it."""
    faulty = find_faulty_sites(view)
    for site in collect_sites(view):
        if site.kind == "skip" and site.tree is not None and site not in faulty:
            found = enumerate_cases(site, [site.tree])
            if found is not None:
                yield from _check_rule(site, 0, found.outcomes[0])


@lru_cache(maxsize=1)
def analyse_rules(view: WorkflowView) -> Mapping[str, PhaseOutcomes]:
    """Analyse the rules of each phase, except phases with a faulty expression."""
    conditions = _index_conditions(view)
    outcomes: dict[str, PhaseOutcomes] = {}
    for name, phase in view.phases.items():
        sites = [conditions.get((name, index)) for index in range(len(phase.next_action))]
        found = _analyse_conditions(view, sites)
        if found is None:
            continue
        if phase.when is not None:
            _count_skip(found, sites)
        outcomes[name] = found
    return outcomes


def _analyse_conditions(view: WorkflowView, sites: Sequence[ExpressionSite | None]) -> PhaseOutcomes | None:
    """Analyse the conditions of a phase by rule; None where there is none, or a faulty one."""
    faulty = find_faulty_sites(view)
    present = [site for site in sites if site is not None]
    if not present or any(site in faulty or site.tree is None for site in present):
        return None
    return enumerate_cases(present[0], [site.tree if site else None for site in sites])


def _count_skip(found: PhaseOutcomes, sites: Sequence[ExpressionSite | None]) -> None:
    """Count the visits that skip the phase: the rule without `when` wins them, whatever the values are."""
    for outcome, site in zip(found.outcomes, sites, strict=True):
        if site is None:
            outcome.winning_case = outcome.winning_case or {}


@lru_cache(maxsize=1)
def find_dead_rules(view: WorkflowView) -> frozenset[tuple[str, int]]:
    """Find the rules, as phase and index, that win in no case."""
    return frozenset(
        (phase, index)
        for phase, found in analyse_rules(view).items()
        for index, outcome in enumerate(found.outcomes)
        if outcome.winning_case is None
    )


@lru_cache(maxsize=1)
def _index_conditions(view: WorkflowView) -> Mapping[tuple[str, int], ExpressionSite]:
    return {(site.phase, site.index): site for site in collect_sites(view) if site.kind == "when"}


def _check_rule(site: ExpressionSite, index: int, outcome: RuleOutcome) -> Iterator[Problem]:
    if not outcome.sometimes_true:
        help_ = "compare with a possible value, or remove the rule"
        yield codes.CONSTANT_TEST.make_problem(site.locate_whole(), "this test is never true", help=help_)
    elif outcome.always_true:
        help_ = "remove `when`, or test something that varies"
        yield codes.CONSTANT_TEST.make_problem(site.locate_whole(), "this test is always true", help=help_)
    elif outcome.winning_case is None and outcome.null_path is None and not _follows_default(site, index):
        message = f'rule {index + 1} of phase "{site.phase}" can never win: whenever it is true, so is a rule before it'
        help_ = "move it up, narrow those before it, or remove it"
        yield codes.SHADOWED_RULE.make_problem(site.locate_whole(), message, help=help_)
    if outcome.null_path is not None:
        name = ".".join(outcome.null_path)
        message = f'"{name}" may be null, and then this is neither true nor false: the run would fail here'
        place = site.locate_path(outcome.null_path)
        note = site.view.describe_origin(site.phase, outcome.null_path)
        help_ = f"write `{name} != null && …`{_suggest_default(site, outcome.null_path)}"
        yield codes.MAY_BE_NULL.make_problem(place, message, help=help_, note=note)


def _follows_default(site: ExpressionSite, index: int) -> bool:
    """Return whether a rule before this one has no condition, which the check of the order reports."""
    return any(rule.when is None for rule in site.view.phases[site.phase].next_action[:index])


def _suggest_default(site: ExpressionSite, path: Sequence[str]) -> str:
    """Suggest the phase whose input has a default: no caller sends that, so `inputs` of the run lacks it."""
    if site.kind != "skip" or path[0] != "inputs":
        return ""
    phases = site.view.phases.items()
    given = [name for name, spec in phases if path[1] in spec.inputs and spec.inputs[path[1]].has_default]
    return f", or read the default too: `phases.{given[0]}.{'.'.join(path)}`" if given else ""


DECISIONS = Check(check_decisions, is_local=True)


def check_rule_order(view: WorkflowView) -> Iterator[Problem]:
    """Report rules after an unconditional one, and `max` or `else` alone."""
    always: dict[str, int] = {}
    for name, index, rule, loc in view.rules:
        if name in always:
            message = f'rule {index + 1} of phase "{name}" can never win: rule {always[name] + 1} always does'
            yield codes.SHADOWED_RULE.make_problem(
                view.locate_value(*loc), message, help="move the rule without `when` to the end"
            )
        elif rule.when is None:
            always[name] = index
        if rule.max is not None and rule.else_ is None:
            message = f'"max" without "else" in rule {index + 1} of phase "{name}"'
            help_ = "add where the run goes when the limit is reached: `else: PHASE`, or `else: end`"
            yield codes.MAX_WITHOUT_ELSE.make_problem(view.locate_key(*loc, "max"), message, help=help_)
        if rule.max is None and rule.else_ is not None:
            message = f'"else" without "max" in rule {index + 1} of phase "{name}" is never taken'
            yield codes.MEANINGLESS_COMBINATION.make_problem(
                view.locate_key(*loc, "else"), message, help="add `max: 2`, or remove `else`"
            )


ORDER = Check(check_rule_order)


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
    # Combinations that no value can have are left out: they would be reported as gaps.
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
        # One null is told at a time: behind a rule that fails, no other rule is evaluated.
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
