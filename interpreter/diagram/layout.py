"""Layout of a diagram: the phases in order, their edges and their problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.interpreter.language import END, find_node, list_postorder
from aurora.interpreter.problems import to_safe_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.language import Definition, Phase, Workflow
    from aurora.interpreter.problems import Problem

_MAX_PATH_LENGTH = 60
"""The longest path of a prompt that is shown; a longer text is the prompt itself."""

EdgeKind = Literal["then", "else", "on_error"]


@dataclass(frozen=True, slots=True)
class DiagramEdge:
    """A rule, its `else`, or the edge after a failure; `target` None is unknown."""

    source: str
    target: str | None
    kind: EdgeKind
    label: str


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A phase: its lines of text, its edges in the order of the file, its problems."""

    name: str
    title: str
    facts: tuple[str, ...]
    edges: tuple[DiagramEdge, ...]
    problems: tuple[Problem, ...]

    @property
    def problem_codes(self) -> str:
        """The codes of the phase's problems, as in `E307, W502`; empty without any."""
        return ", ".join(sorted({problem.code for problem in self.problems}))


@dataclass(frozen=True, slots=True)
class Diagram:
    """A workflow to draw; `unplaced_problems` belong to no phase."""

    label: str
    title: str
    start: str
    nodes: tuple[DiagramNode, ...]
    unplaced_problems: tuple[Problem, ...]


def build_diagram(definition: Definition, problems: Sequence[Problem]) -> Diagram:
    """Build the diagram of a definition, which may be the valid part of a broken file."""
    flow = definition.workflow
    by_phase, others = _group_problems(definition, problems)
    nodes = {
        name: DiagramNode(
            name,
            to_safe_line(phase.title),
            _describe_phase(phase),
            tuple(_build_edges(flow, name)),
            tuple(by_phase.get(name, ())),
        )
        for name, phase in flow.phases.items()
    }
    start = flow.map_phase_names().get(flow.start, flow.start)
    return Diagram(
        definition.label,
        to_safe_line(flow.title),
        start,
        tuple(nodes[name] for name in _order_phases(nodes, start)),
        others,
    )


def _describe_phase(phase: Phase) -> tuple[str, ...]:
    facts = [f"also called {', '.join(phase.aliases)}"] if phase.aliases else []
    if phase.uses:
        facts.append(f"uses {to_safe_line(phase.uses, 80)}")
    if phase.for_each:
        facts.append(
            f"for each {phase.for_each.as_} in {to_safe_line(phase.for_each.in_, 60)}, at most {phase.for_each.max}"
        )
    if phase.prompt_template:
        template = phase.prompt_template
        facts.append(
            f"prompt: {template}" if template.isprintable() and len(template) <= _MAX_PATH_LENGTH else "inline prompt"
        )
    if isinstance(phase.answer, dict) and isinstance(phase.answer.get("properties"), dict):
        facts.append(to_safe_line(f"answer: {', '.join(map(str, phase.answer['properties']))}", 80))
    elif isinstance(phase.answer, str):
        facts.append(to_safe_line(f"answer: {phase.answer}", 80))
    return tuple(facts)


def _build_edges(flow: Workflow, name: str) -> list[DiagramEdge]:
    known = {**flow.map_phase_names(), END: END}
    edges = []
    for rule in flow.phases[name].next_action:
        words = [rule.when or "always"]
        words += [f"at most {rule.max} times"] if rule.max else []
        words += [f"“{to_safe_line(rule.say, 70)}”"] if rule.say else []
        words += ["early exit"] if rule.early_exit else []
        edges.append(
            DiagramEdge(name, known.get(rule.then), "then", to_safe_line(f"{' · '.join(words)} → {rule.then}", 240))
        )
        if rule.max is not None:
            other = rule.else_ or END
            edges.append(DiagramEdge(name, known.get(other), "else", to_safe_line(f"spent → {other}", 160)))
    failing = flow.find_error_target(name)
    if failing is not None:
        edges.append(DiagramEdge(name, known.get(failing), "on_error", to_safe_line(f"fails → {failing}", 160)))
    return edges


def _order_phases(nodes: Mapping[str, DiagramNode], start: str) -> list[str]:
    """Order the phases in reverse postorder, so that rules lead down where possible."""
    targets: dict[str, list[str]] = {}
    for name, node in nodes.items():
        leading_on = [edge.target for edge in reversed(node.edges) if edge.kind == "then"]
        targets[name] = [target for target in leading_on if target is not None and target in nodes]
    seen: set[str] = set()
    ordered: list[str] = []
    for first in (start, *nodes):
        if first in nodes:
            ordered += reversed(list_postorder(first, targets, seen))
    return ordered


def _group_problems(
    definition: Definition, problems: Sequence[Problem]
) -> tuple[dict[str, list[Problem]], tuple[Problem, ...]]:
    """Group the problems by the phase whose lines, prompt or schema contain them."""
    phases = find_node(definition.root, ("phases",))
    starts = sorted((key.place.path, key.place.line, str(key.value)) for key, _ in phases.items)
    prompts = {prompt.name: name for name, prompt in definition.prompts.items()}
    by_phase: dict[str, list[Problem]] = {}
    others = []
    for problem in problems:
        above = [start_line for start_line in starts if start_line[0] == problem.path and start_line[1] <= problem.line]
        name = above[-1][2] if above else prompts.get(problem.path)
        if name in definition.workflow.phases:
            by_phase.setdefault(name, []).append(problem)
        else:
            others.append(problem)
    return by_phase, tuple(others)
