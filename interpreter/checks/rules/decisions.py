"""What the rules of each phase come to, and what is wrong with that."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import check as expressions
from aurora.interpreter.checks.expressions import tokens
from aurora.interpreter.checks.expressions.sites import sites
from aurora.interpreter.problems import codes

from .enumerate import tried

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.expressions.sites import Site
    from aurora.interpreter.checks.view import View
    from aurora.interpreter.problems.problem import Problem

    from .enumerate import Outcome, Tried


def problems(view: View) -> Iterator[Problem]:
    """Tests that come out the same whatever comes, rules that never get their turn, nulls, and gaps."""
    tests = _tests(view)
    for phase, found in decided(view).items():
        for index, outcome in enumerate(found.outcomes):
            site = tests.get((phase, index))
            if site is not None:
                yield from _rule(site, index, outcome)
        if found.gap is not None:
            case = found.words(found.gap)
            when = f" when {case}" if case else " for every result"
            message = f'phase "{phase}" has no rule without `when`, and the others do not hold{when}; it would fail'
            place = view.key("phases", phase, "next_action")
            yield codes.NO_DEFAULT.at(place, message, help="add a last rule `{ then: PHASE }`")


@lru_cache(maxsize=1)
def decided(view: View) -> Mapping[str, Tried]:
    """By phase what its rules come to; phases with an expression that is wrong in itself are left out."""
    tests = _tests(view)
    wrong = expressions.wrong(view)
    found = {}
    for name, phase in view.phases.items():
        own = [tests.get((name, index)) for index in range(len(phase.next_action))]
        there = [site for site in own if site is not None]
        if there and not any(site in wrong or site.tree is None for site in there):
            result = tried(there[0], [site.tree if site else None for site in own])
            if result is not None:
                found[name] = result
    return found


def never_taken(view: View) -> frozenset[tuple[str, int]]:
    """The rules, by phase and index, that win in no case."""
    return frozenset(
        (phase, index)
        for phase, found in decided(view).items()
        for index, outcome in enumerate(found.outcomes)
        if outcome.winning is None
    )


@lru_cache(maxsize=1)
def _tests(view: View) -> Mapping[tuple[str, int], Site]:
    return {(site.phase, site.index): site for site in sites(view) if site.kind == "when"}


def _rule(site: Site, index: int, outcome: Outcome) -> Iterator[Problem]:
    whole = site.place((0, len(site.text)))
    if not outcome.ever:
        help_ = "compare with a value that can come, or remove the rule"
        yield codes.CONSTANT_TEST.at(whole, "this test is never true, whatever comes", help=help_)
    elif outcome.always:
        help_ = "leave `when` out, or test something that can differ"
        yield codes.CONSTANT_TEST.at(whole, "this test is always true, whatever comes", help=help_)
    elif outcome.winning is None and outcome.failing is None:
        message = f'rule {index + 1} of phase "{site.phase}" can never win: where it holds, a rule before it does'
        yield codes.SHADOWED_RULE.at(whole, message, help="move it up, narrow those before it, or remove it")
    if outcome.failing is not None:
        name = ".".join(outcome.failing)
        message = f'"{name}" may be null, and then this is neither true nor false: the run would fail here'
        place = site.place(tokens.of_path(site.text, outcome.failing, len(outcome.failing) - 1))
        note = site.view.defined(site.phase, outcome.failing)
        yield codes.MAY_BE_NULL.at(place, message, help=f"write `{name} != null && …`", note=note)
