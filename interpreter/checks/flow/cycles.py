"""Ways that can be walked for ever; each is told once, at the edge that closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.rules.decisions import never_taken
from aurora.interpreter.problems import codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.checks.view import Arrow, View
    from aurora.interpreter.problems.problem import Place, Problem


def problems(view: View) -> Iterator[Problem]:
    """Cycles all of whose edges may be taken without end, and failures that lead back to where they happened."""
    never = never_taken(view)
    taken = [arrow for arrow in view.arrows() if (arrow.source, arrow.rule) not in never]
    arrows = [arrow for arrow in taken if arrow.target is not None and not arrow.bounded]
    ending = _ending(view)
    for cycle in _cycles(view.phases, [arrow for arrow in arrows if arrow.kind != "on_error"]):
        yield _cycle(view, cycle, ends=cycle[-1].source in ending)
    for cycle in _cycles(view.phases, arrows):
        failing = next((arrow for arrow in cycle if arrow.kind == "on_error"), None)
        if failing is not None:
            message = f"failures can go round for ever: {_way(cycle)}"
            help_ = f'let "{failing.target}" lead only to an end, or give one of these phases another "on_error"'
            yield codes.ERROR_LOOP.at(_on_error(view, failing.source), message, help=help_)


def _cycle(view: View, cycle: Sequence[Arrow], *, ends: bool) -> Problem:
    closing = cycle[-1]
    loc = next(loc for name, index, _, loc in view.rules() if (name, index) == (closing.source, closing.rule))
    place = view.value(*loc, closing.kind)
    if ends:
        help_ = f"bound it, as in `{{ then: {closing.target}, max: 2, else: end }}`"
        return codes.UNBOUNDED_CYCLE.at(place, f"this way can be walked for ever: {_way(cycle)}", help=help_)
    message = f"no way leads from here to an end: {_way(cycle)}"
    return codes.NO_END.at(place, message, help="let one of these phases lead to `end`")


def _way(cycle: Sequence[Arrow]) -> str:
    return " → ".join([cycle[0].source, *(str(arrow.target) for arrow in cycle)])


def _on_error(view: View, phase: str) -> Place:
    """Where it is said that a failure of the phase leads on: in the phase, or for all of them."""
    if view.phases[phase].on_error is not None:
        return view.value("phases", phase, "on_error")
    return view.value("on_error")


def _ending(view: View) -> set[str]:
    """The phases from which a run can come to an end; a target that is misspelt is given the benefit of the doubt."""
    arrows = list(view.arrows())
    back: dict[str, list[str]] = {}
    todo = [name for name, _, rule, _ in view.rules() if not view.knows(rule.then)]
    for arrow in arrows:
        if arrow.target is None:
            todo.append(arrow.source)
        elif arrow.kind != "on_error":
            back.setdefault(arrow.target, []).append(arrow.source)
    ending: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in ending:
            ending.add(name)
            todo.extend(back.get(name, ()))
    return ending


def _cycles(phases: Iterable[str], arrows: Iterable[Arrow]) -> Iterator[list[Arrow]]:
    """One cycle for each edge that leads back on a walk in depth."""
    ways: dict[str, list[Arrow]] = {}
    for arrow in arrows:
        ways.setdefault(arrow.source, []).append(arrow)
    done: set[str] = set()
    for start in phases:
        trail: list[Arrow] = []
        depth: dict[str, int] = {}
        todo: list[tuple[str, int]] = [(start, 0)] if start not in done else []
        while todo:
            name, index = todo.pop()
            depth.setdefault(name, len(trail))
            del trail[depth[name] :]
            if index >= len(ways.get(name, ())):
                done.add(name)
                del depth[name]
                continue
            todo.append((name, index + 1))
            arrow = ways[name][index]
            target = str(arrow.target)
            if target in depth:
                yield [*trail[depth[target] :], arrow]
            elif target not in done:
                trail.append(arrow)
                todo.append((target, 0))
