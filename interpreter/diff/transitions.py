"""The rules of a phase in two editions: which ways were added, removed, guarded anew, bounded anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .change import Change
from .conditions import normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aurora.interpreter.language.model import Rule


@dataclass(frozen=True, slots=True)
class Way:
    """A rule as one edition has it: its place among the rules and in the file, and where it really leads."""

    rule: Rule
    at: str
    target: str
    instead: str | None
    guard: str
    """The condition, so that equal ones are equal."""


def ways(rules: Sequence[Rule], places: Sequence[str], lead: Callable[[str], str]) -> list[Way]:
    """The rules of one phase.

    Args:
        rules: in order.
        places: `path:line:column` of each.
        lead: from a name to the phase that it means, as the later edition calls it.
    """
    return [
        Way(rule, at, lead(rule.then), lead(rule.else_) if rule.else_ else None, normal(rule.when))
        for rule, at in zip(rules, places, strict=True)
    ]


def transitions(phase: str, before: Sequence[Way], after: Sequence[Way]) -> Iterator[Change]:
    """What changed in where a phase leads, in the order of the later edition."""
    pairs = _paired(before, after)
    matched = {id(was) for was, _ in pairs}
    for was, is_ in pairs:
        yield from _between(phase, was, is_)
    for was in before:
        if id(was) not in matched:
            yield Change(phase, "rule", "removed", f'no longer to "{was.target}"', before=_said(was), was_at=was.at)
    new = {id(is_) for _, is_ in pairs}
    for is_ in after:
        if id(is_) not in new:
            yield Change(phase, "rule", "added", f'to "{is_.target}"', after=_said(is_), is_at=is_.at)
    if _reordered(pairs, before, after):
        first = next(is_ for is_ in after if id(is_) in new)
        order = " → ".join(f'"{is_.target}"' for is_ in after if id(is_) in new)
        text = f"the rules are asked in another order: {order}"
        yield Change(phase, "rule", "changed", text, is_at=first.at)


def _paired(before: Sequence[Way], after: Sequence[Way]) -> list[tuple[Way, Way]]:
    """Rules that are each other's successors: alike in all, in guard and target, in target, in guard."""
    left, right = list(before), list(after)
    pairs: list[tuple[Way, Way]] = []
    for key in (_whole, _guarded, _target, _guard):
        for is_ in list(right):
            was = next((one for one in left if key(one) == key(is_)), None)
            if was is not None:
                pairs.append((was, is_))
                left = [one for one in left if one is not was]
                right = [one for one in right if one is not is_]
    place = {id(way): index for index, way in enumerate(after)}
    return sorted(pairs, key=lambda pair: place[id(pair[1])])


def _whole(way: Way) -> object:
    return (way.guard, way.target, way.instead, way.rule.max, way.rule.early_exit)


def _guarded(way: Way) -> object:
    return (way.guard, way.target)


def _target(way: Way) -> object:
    return way.target


def _guard(way: Way) -> object:
    return way.guard


def _between(phase: str, was: Way, is_: Way) -> Iterator[Change]:
    if was.guard != is_.guard:
        before, after = was.rule.when or "always", is_.rule.when or "always"
        yield Change(phase, "rule", "changed", f'the way to "{is_.target}" is guarded anew', before, after).at(
            was.at, is_.at
        )
    if was.target != is_.target:
        text = f'leads to "{is_.target}", and led to "{was.target}"'
        yield Change(phase, "rule", "changed", text, was.rule.when or "always", is_.rule.when or "always").at(
            was.at, is_.at
        )
    if (was.rule.max, was.instead) != (is_.rule.max, is_.instead):
        text = f'the way to "{is_.target}" is bounded anew'
        yield Change(phase, "rule", "changed", text, _bounds(was), _bounds(is_)).at(was.at, is_.at)
    if was.rule.early_exit != is_.rule.early_exit:
        text = f'the way to "{is_.target}" {"is" if is_.rule.early_exit else "is no longer"} an early exit'
        yield Change(phase, "rule", "changed", text).at(was.at, is_.at)
    if was.rule.say != is_.rule.say:
        text = f'what is said on the way to "{is_.target}"'
        yield Change(phase, "rule", "words", text, was.rule.say or "nothing", is_.rule.say or "nothing").at(
            was.at, is_.at
        )


def _reordered(pairs: Sequence[tuple[Way, Way]], before: Sequence[Way], after: Sequence[Way]) -> bool:
    """Whether rules that both editions have stand in another order; a rule without a condition only ends the list."""
    old = {id(way): index for index, way in enumerate(before)}
    new = {id(way): index for index, way in enumerate(after)}
    order = [old[id(was)] for was, is_ in sorted(pairs, key=lambda pair: new[id(pair[1])])]
    return order != sorted(order)


def _bounds(way: Way) -> str:
    if way.rule.max is None:
        return "no bound"
    instead = f', then to "{way.instead}"' if way.instead else ""
    return f"{way.rule.max} times at the most{instead}"


def _said(way: Way) -> str:
    bounds = "" if way.rule.max is None else f" ({_bounds(way)})"
    return f"{way.rule.when or 'always'}{bounds}"
