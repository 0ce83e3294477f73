"""Comparison of a phase's rules: added, removed, other condition, other bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .change import Change
from .conditions import normalise_condition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from aurora.interpreter.language import Rule


@dataclass(frozen=True, slots=True)
class RuleVersion:
    """A rule in one version: its place, its condition and its resolved targets."""

    rule: Rule
    place: str
    target: str
    else_target: str | None
    guard: str
    """The condition in normal form."""


def resolve_rules(
    rules: Sequence[Rule], places: Sequence[str], resolve_name: Callable[[str], str]
) -> list[RuleVersion]:
    """Resolve the rules of one phase.

    Args:
        rules: the rules in order.
        places: `path:line:column` of each rule.
        resolve_name: maps a name to its phase, by the id of the later version.
    """
    return [
        RuleVersion(
            rule,
            at,
            resolve_name(rule.then),
            resolve_name(rule.else_) if rule.else_ else None,
            normalise_condition(rule.when),
        )
        for rule, at in zip(rules, places, strict=True)
    ]


def compare_rules(phase: str, before: Sequence[RuleVersion], after: Sequence[RuleVersion]) -> Iterator[Change]:
    """Yield the differences of a phase's rules, in the order of the later version."""
    pairs = _pair_rules(before, after)
    for was, is_ in pairs:
        yield from _compare_pair(phase, was, is_)
    for was in _select_unpaired(before, [was for was, _ in pairs]):
        text = f'no longer to "{was.target}"'
        yield Change(phase, "rule", "removed", text, before=_describe_rule(was), was_at=was.place)
    for is_ in _select_unpaired(after, [is_ for _, is_ in pairs]):
        yield Change(phase, "rule", "added", f'to "{is_.target}"', after=_describe_rule(is_), is_at=is_.place)
    if _is_reordered(pairs, before, after):
        order = " → ".join(f'"{is_.target}"' for _, is_ in pairs)
        text = f"the rules are in another order: {order}"
        yield Change(phase, "rule", "changed", text, is_at=pairs[0][1].place)


def _select_unpaired(versions: Iterable[RuleVersion], paired: Iterable[RuleVersion]) -> Iterator[RuleVersion]:
    """Yield the versions that are not paired, compared by identity."""
    paired_ids = {id(version) for version in paired}
    return (version for version in versions if id(version) not in paired_ids)


def _pair_rules(before: Sequence[RuleVersion], after: Sequence[RuleVersion]) -> list[tuple[RuleVersion, RuleVersion]]:
    """Pair the rules that match: in all, in condition and target, in one of them.

    The pairs are in the order of the later version.
    """
    left, right = list(before), list(after)
    pairs: list[tuple[RuleVersion, RuleVersion]] = []
    for key in (_get_full_key, _get_guarded_key, _get_target_key, _get_guard_key):
        for is_ in list(right):
            was = next((one for one in left if key(one) == key(is_)), None)
            if was is not None:
                pairs.append((was, is_))
                left = [one for one in left if one is not was]
                right = [one for one in right if one is not is_]
    place = {id(version): index for index, version in enumerate(after)}
    return sorted(pairs, key=lambda pair: place[id(pair[1])])


def _get_full_key(version: RuleVersion) -> object:
    return (version.guard, version.target, version.else_target, version.rule.max, version.rule.early_exit)


def _get_guarded_key(version: RuleVersion) -> object:
    return (version.guard, version.target)


def _get_target_key(version: RuleVersion) -> object:
    return version.target


def _get_guard_key(version: RuleVersion) -> object:
    return version.guard


def _compare_pair(phase: str, was: RuleVersion, is_: RuleVersion) -> Iterator[Change]:
    if was.guard != is_.guard:
        before, after = was.rule.when or "always", is_.rule.when or "always"
        yield Change(
            phase, "rule", "changed", f'the rule to "{is_.target}" has another condition', before, after
        ).with_places(was.place, is_.place)
    if was.target != is_.target:
        text = f'leads to "{is_.target}", and led to "{was.target}"'
        yield Change(phase, "rule", "changed", text, was.rule.when or "always", is_.rule.when or "always").with_places(
            was.place, is_.place
        )
    if (was.rule.max, was.else_target) != (is_.rule.max, is_.else_target):
        text = f'the rule to "{is_.target}" has another limit'
        yield Change(phase, "rule", "changed", text, _describe_bound(was), _describe_bound(is_)).with_places(
            was.place, is_.place
        )
    if was.rule.early_exit != is_.rule.early_exit:
        text = f'the rule to "{is_.target}" {"is" if is_.rule.early_exit else "is no longer"} an early exit'
        yield Change(phase, "rule", "changed", text).with_places(was.place, is_.place)
    if was.rule.say != is_.rule.say:
        text = f'the message of the rule to "{is_.target}"'
        yield Change(phase, "rule", "words", text, was.rule.say or "nothing", is_.rule.say or "nothing").with_places(
            was.place, is_.place
        )


def _is_reordered(
    pairs: Sequence[tuple[RuleVersion, RuleVersion]], before: Sequence[RuleVersion], after: Sequence[RuleVersion]
) -> bool:
    """Return whether common rules are in another order; an unconditional one does not count."""
    old = {id(version): index for index, version in enumerate(before)}
    new = {id(version): index for index, version in enumerate(after)}
    order = [old[id(was)] for was, is_ in sorted(pairs, key=lambda pair: new[id(pair[1])])]
    return order != sorted(order)


def _describe_bound(version: RuleVersion) -> str:
    if version.rule.max is None:
        return "no limit"
    instead = f', then to "{version.else_target}"' if version.else_target else ""
    return f"at most {version.rule.max} times{instead}"


def _describe_rule(version: RuleVersion) -> str:
    bounds = "" if version.rule.max is None else f" ({_describe_bound(version)})"
    return f"{version.rule.when or 'always'}{bounds}"
