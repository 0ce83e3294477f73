"""What a picture of a workflow shows, whatever draws it: phases in the order of their layers, and the ways between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.interpreter.language.build import find
from aurora.interpreter.language.model import END
from aurora.interpreter.problems.problem import readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Workflow
    from aurora.interpreter.problems.problem import Problem

_PATH = 60
"""Characters of a prompt's path that are shown; what is longer is the prompt itself."""

Kind = Literal["then", "else", "on_error"]


@dataclass(frozen=True, slots=True)
class Way:
    """A rule, its `else`, or the way after a failure; `target` is None where no such phase exists."""

    source: str
    target: str | None
    kind: Kind
    label: str


@dataclass(frozen=True, slots=True)
class Box:
    """A phase: its lines of text, its ways in the order of the file, and the problems that stand in it."""

    name: str
    title: str
    facts: tuple[str, ...]
    ways: tuple[Way, ...]
    problems: tuple[Problem, ...]

    @property
    def mark(self) -> str:
        """`E307, W502`: the codes of the phase's problems; empty without any."""
        return ", ".join(sorted({problem.code for problem in self.problems}))


@dataclass(frozen=True, slots=True)
class Picture:
    """A workflow as it is drawn; `others` are the problems that stand in no phase."""

    label: str
    title: str
    start: str
    boxes: tuple[Box, ...]
    others: tuple[Problem, ...]


def picture(definition: Definition, problems: Sequence[Problem]) -> Picture:
    """The picture of a definition, be it only what could be read of a broken file."""
    flow = definition.workflow
    held, others = _by_phase(definition, problems)
    boxes = {
        name: Box(name, readable(phase.title), _facts(phase), tuple(_ways(flow, name)), tuple(held.get(name, ())))
        for name, phase in flow.phases.items()
    }
    start = flow.names().get(flow.start, flow.start)
    return Picture(
        definition.label, readable(flow.title), start, tuple(boxes[name] for name in _order(boxes, start)), others
    )


def _facts(phase: Phase) -> tuple[str, ...]:
    facts = [f"also called {', '.join(phase.aliases)}"] if phase.aliases else []
    if phase.uses:
        facts.append(f"uses {readable(phase.uses, 80)}")
    if phase.for_each:
        facts.append(
            f"for each {phase.for_each.as_} in {readable(phase.for_each.in_, 60)}, at most {phase.for_each.max}"
        )
    if phase.prompt_template:
        template = phase.prompt_template
        facts.append(
            f"asks {template}" if template.isprintable() and len(template) <= _PATH else "asks a prompt of its own"
        )
    if isinstance(phase.answer, dict) and isinstance(phase.answer.get("properties"), dict):
        facts.append(readable(f"answer: {', '.join(map(str, phase.answer['properties']))}", 80))
    elif isinstance(phase.answer, str):
        facts.append(readable(f"answer: {phase.answer}", 80))
    return tuple(facts)


def _ways(flow: Workflow, name: str) -> list[Way]:
    known = {**flow.names(), END: END}
    ways = []
    for rule in flow.phases[name].next_action:
        words = [rule.when or "always"]
        words += [f"at most {rule.max} times"] if rule.max else []
        words += [f"“{readable(rule.say, 70)}”"] if rule.say else []
        words += ["early exit"] if rule.early_exit else []
        ways.append(Way(name, known.get(rule.then), "then", readable(f"{' · '.join(words)} → {rule.then}", 240)))
        if rule.max is not None:
            other = rule.else_ or END
            ways.append(Way(name, known.get(other), "else", readable(f"spent → {other}", 160)))
    failing = flow.failing_leads_to(name)
    if failing is not None:
        ways.append(Way(name, known.get(failing), "on_error", readable(f"fails → {failing}", 160)))
    return ways


def _order(boxes: Mapping[str, Box], start: str) -> list[str]:
    """The phases by what leads to what: in the order in which a walk in depth leaves them, turned round."""
    targets = {
        name: [way.target for way in reversed(box.ways) if way.target in boxes and way.kind == "then"]
        for name, box in boxes.items()
    }
    seen: set[str] = set()
    islands: list[list[str]] = []
    for first in (start, *boxes):
        if first not in boxes or first in seen:
            continue
        seen.add(first)
        left: list[str] = []
        todo = [(first, iter(targets[first]))]
        while todo:
            name, following = todo[-1]
            target = next((one for one in following if one not in seen), None)
            if target is None:
                left.append(name)
                todo.pop()
            else:
                seen.add(target)
                todo.append((target, iter(targets[target])))
        islands.append(left[::-1])
    return [name for island in islands for name in island]


def _by_phase(
    definition: Definition, problems: Sequence[Problem]
) -> tuple[dict[str, list[Problem]], tuple[Problem, ...]]:
    """The problems by the phase whose lines, prompt file or schema they stand in, and those of none."""
    phases = find(definition.root, ("phases",))
    spots = sorted((key.place.path, key.place.line, str(key.value)) for key, _ in phases.items)
    prompts = {prompt.name: name for name, prompt in definition.prompts.items()}
    held: dict[str, list[Problem]] = {}
    others = []
    for problem in problems:
        above = [spot for spot in spots if spot[0] == problem.path and spot[1] <= problem.line]
        name = above[-1][2] if above else prompts.get(problem.path)
        if name in definition.workflow.phases:
            held.setdefault(name, []).append(problem)
        else:
            others.append(problem)
    return held, tuple(others)
