"""What the rules of a phase come to, found by trying them on every kind of value that they could tell apart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.domains import (
    OTHER_LIST,
    OTHER_OBJECT,
    OTHER_TEXT,
    Seen,
    domain,
    key_of,
    look,
    nullness,
)
from aurora.interpreter.checks.expressions.tree import field_path, walk

from .evaluate import Undecided, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions.domains import Nullness
    from aurora.interpreter.checks.expressions.sites import Site
    from aurora.interpreter.checks.expressions.tree import Tree

MOST_CASES = 4096
"""Combinations that are tried; rules that look at more are given the benefit of the doubt."""

Case = dict[str, Any]


@dataclass(slots=True)
class Outcome:
    """What one rule comes to over all cases.

    Attributes:
        ever, always: whether it is true in some case, in each.
        winning: a case where it is the first that is true; None when there is none.
        failing: the path that may be null and then stops the run here; None when there is none.
    """

    ever: bool = False
    always: bool = True
    winning: Case | None = None
    failing: tuple[str, ...] | None = None


@dataclass(slots=True)
class Tried:
    """What the rules of a phase come to: each of them, and a case in which none holds."""

    seen: dict[str, Seen]
    nulls: dict[str, Nullness]
    outcomes: list[Outcome]
    gap: Case | None = None

    def words(self, case: Mapping[str, Any]) -> str:
        """The case in words; empty when it cannot be told shortly."""
        parts = []
        for key, value in case.items():
            path = field_path(self.seen[key].tree)
            if path is None or value in (OTHER_TEXT, OTHER_LIST, OTHER_OBJECT) or isinstance(value, float):
                return ""
            shown = f"'{value}'" if isinstance(value, str) else json.dumps(value)
            parts.append(f'"{".".join(path)}" is {shown}')
        return " and ".join(parts)


def tried(site: Site, rules: Sequence[Tree | None]) -> Tried | None:
    """The rules over all cases; None when there are too many of them.

    Args:
        site: one of the expressions, for what they all see.
        rules: each rule's `when`; None where it has none.
    """
    seen: dict[str, Seen] = {}
    for tree in rules:
        if tree is not None:
            look(tree, seen)
    domains = {key: domain(site, one) for key, one in seen.items()}
    if prod(len(values) for values in domains.values()) > MOST_CASES:
        return None
    nulls = {key: nullness(site, one.tree) for key, one in seen.items()}
    found = Tried(seen, nulls, [Outcome() for _ in rules])
    for case in _cases(domains):
        _try(found, rules, case)
    return found


def _cases(domains: Mapping[str, Sequence[Any]]) -> Iterator[Case]:
    for values in product(*domains.values()):
        yield dict(zip(domains, values, strict=True))


def _try(found: Tried, rules: Sequence[Tree | None], case: Case) -> None:
    """One case: the first rule that is true wins it; a rule that is null may yet be mended, and hides none after it."""
    won = failed = False
    for tree, outcome in zip(rules, found.outcomes, strict=True):
        value = _value(tree, case)
        holds = value is True
        outcome.ever |= holds
        outcome.always &= holds
        if holds and not won:
            outcome.winning = outcome.winning or case
        if value is None and tree is not None and not won and not failed:
            outcome.failing = outcome.failing or _blamed(found, tree, case)
        won |= holds
        failed |= value is None
    if not won and not failed and found.gap is None:
        found.gap = case


def _value(tree: Tree | None, case: Case) -> Any:
    if tree is None:
        return True
    try:
        return value_of(tree, case)
    except Undecided:
        return None


def _blamed(found: Tried, tree: Tree, case: Case) -> tuple[str, ...] | None:
    """The one thing that is null in this case and may be so by its schema; None where that is not sure."""
    nulls = [key for key, value in case.items() if value is None]
    inside = {key_of(one) for one in walk(tree)}
    if len([key for key in nulls if key in inside]) != 1 or any(found.nulls[key] != "known" for key in nulls):
        return None
    return field_path(found.seen[next(key for key in nulls if key in inside)].tree)
