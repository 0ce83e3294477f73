"""Checks of rules: their order, constant tests, dead rules, nulls and gaps."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions.alike import find_rule_key
from aurora.interpreter.checks.expressions.check import find_faulty_sites
from aurora.interpreter.checks.expressions.scopes import collect_sites
from aurora.interpreter.checks.expressions.tokens import find_path
from aurora.interpreter.problems import codes

from .cases import enumerate_cases
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions.alike import RuleKey
    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.problems import Problem

    from .cases import PhaseOutcomes, RuleOutcome
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
    alike: dict[RuleKey, PhaseOutcomes] = {}  # a generated workflow has hundreds of phases with equal rules
    outcomes: dict[str, PhaseOutcomes] = {}
    for name, phase in view.phases.items():
        sites = [conditions.get((name, index)) for index in range(len(phase.next_action))]
        key = find_rule_key(view, name)
        found = (alike.get(key) if key is not None else None) or _analyse_conditions(view, sites)
        if found is None:
            continue
        if key is not None:
            alike[key] = found
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
        place = site.locate_span(find_path(site.text, outcome.null_path, len(outcome.null_path) - 1))
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
    for name, index, rule, loc in view.rules():
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
