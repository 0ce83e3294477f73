"""Where rules lead: phases that nothing reaches, ways that never end, rules that can never win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import codes
from ..choices import listed
from ..expressions import ExpressionError, compiled
from .coverage import gap
from .sites import sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..problems import Problem
    from .sites import Site
    from .tree import Tree
    from .view import Arrow, View


def problems(view: View) -> Iterator[Problem]:
    """Islands, dead ends, cycles without a bound, bounds without a way out, rules behind one that always wins."""
    arrows = list(view.arrows())
    yield from _unreachable(view, arrows)
    yield from _endless(view, arrows)
    yield from _cycles(view, arrows)
    yield from _rules(view)


def _rules(view: View) -> Iterator[Problem]:
    always: dict[str, int] = {}
    for name, index, rule, loc in view.rules():
        if name in always:
            message = f'rule {index + 1} of phase "{name}" can never win: rule {always[name] + 1} always does'
            yield codes.SHADOWED_RULE.at(view.value(*loc), message, help="move the rule without `when` to the end")
        elif rule.when is None:
            always[name] = index
        if rule.max is not None and rule.else_ is None:
            message = f'"max" without "else" in rule {index + 1} of phase "{name}"'
            help_ = "say where the run goes once it is spent: `else: PHASE`, or `else: end`"
            yield codes.MAX_WITHOUT_ELSE.at(view.key(*loc, "max"), message, help=help_)
        if rule.max is None and rule.else_ is not None:
            message = f'"else" without "max" in rule {index + 1} of phase "{name}" is never taken'
            yield codes.COMBINATION.at(view.key(*loc, "else"), message, help="add `max: 2`, or remove `else`")
    yield from _gaps(view, {name for name in view.phases if name not in always})


def _gaps(view: View, phases: set[str]) -> Iterator[Problem]:
    """Phases where no rule may hold; those with an expression that cannot be read are told elsewhere."""
    rules: dict[str, list[tuple[Site, Tree]]] = {name: [] for name in phases}
    for site in sites(view):
        if site.kind == "when" and site.phase in phases:
            try:
                rules[site.phase].append((site, compiled(site.text).parsed))
            except ExpressionError:
                phases = phases - {site.phase}
    for name in phases:
        found = gap(rules[name])
        if found is not None:
            when = f" when {found}" if found else " for every result"
            message = f'phase "{name}" has no rule without `when`, and the others do not hold{when}; it would fail'
            place = view.key("phases", name, "next_action")
            yield codes.NO_DEFAULT.at(place, message, help="add a last rule `{ then: PHASE }`")


def _reached(start: str | None, arrows: list[Arrow]) -> set[str]:
    seen: set[str] = set()
    todo = [start] if start else []
    ways: dict[str, list[str]] = {}
    for arrow in arrows:
        if arrow.target:
            ways.setdefault(arrow.source, []).append(arrow.target)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(ways.get(name, ()))
    return seen


def _unreachable(view: View, arrows: list[Arrow]) -> Iterator[Problem]:
    start = view.target(view.definition.workflow.start)
    if start is None:
        return
    reached = _reached(start, arrows)
    for name in view.phases:
        if name not in reached:
            message = f'no way leads from "{start}" to phase "{name}"'
            help_ = f"name it in a rule of one of {listed(reached)}, or remove it"
            yield codes.UNREACHABLE.at(view.key("phases", name), message, help=help_)


def _endless(view: View, arrows: list[Arrow]) -> Iterator[Problem]:
    back: dict[str, list[str]] = {}
    todo: list[str] = []
    for arrow in arrows:
        if arrow.target is None:
            todo.append(arrow.source)
        else:
            back.setdefault(arrow.target, []).append(arrow.source)
    ends: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in ends:
            ends.add(name)
            todo.extend(back.get(name, ()))
    unknown = {name for name, _, rule, _ in view.rules() if not view.knows(rule.then)}
    for name in view.phases:
        if name not in ends and name not in unknown:
            yield codes.NO_END.at(view.key("phases", name), f'no way leads from phase "{name}" to an end')


def _cycles(view: View, arrows: list[Arrow]) -> Iterator[Problem]:
    """Cycles all of whose edges may be taken for ever; each is told once, at the edge that closes it."""
    ways: dict[str, list[Arrow]] = {}
    for arrow in arrows:
        if arrow.target is not None and not arrow.bounded:
            ways.setdefault(arrow.source, []).append(arrow)
    done: set[str] = set()
    for start in view.phases:
        path: list[str] = []
        todo: list[tuple[str, int]] = [(start, 0)] if start not in done else []
        while todo:
            name, index = todo.pop()
            if index == 0:
                path.append(name)
            if index >= len(ways.get(name, ())):
                done.add(path.pop())
                continue
            todo.append((name, index + 1))
            arrow = ways[name][index]
            target = str(arrow.target)
            if target in path:
                yield _cycle(view, arrow, [*path[path.index(target) :], target])
            elif target not in done:
                todo.append((target, 0))


def _cycle(view: View, arrow: Arrow, path: list[str]) -> Problem:
    way = " → ".join(path)
    if arrow.kind == "on_error":
        place = view.key("phases", arrow.source, "on_error")
        return codes.ERROR_LOOP.at(place, f"a failing phase leads back to itself without end: {way}")
    loc = ("phases", arrow.source, "next_action")
    places = [where for name, index, _, where in view.rules() if (name, index) == (arrow.source, arrow.rule)]
    place = view.value(*(places[0] if places else loc))
    help_ = "bound it: `max: 2, else: PHASE` on the rule that leads back"
    return codes.UNBOUNDED_CYCLE.at(place, f"this way can be walked for ever: {way}", help=help_)
