"""Model of a diagram: the phases in order, their edges and their problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.interpreter.language import END, find_node, list_postorder
from aurora.interpreter.problems import to_safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language import Definition, Phase, Workflow
    from aurora.interpreter.problems import Problem

_MAX_PATH_LENGTH = 60
"""The longest path of a prompt that is shown; a longer text is the prompt itself."""

EdgeKind = Literal["then", "else", "on_error"]
NodeKind = Literal["phase", "decision", "person", "workflow"]
"""A phase with a tool or prompts, of rules only, with a question to the person, or that runs a workflow."""


@dataclass(frozen=True, slots=True)
class DiagramEdge:
    """A rule, an `else` or a refusal, or the edge after a failure; `target` None is unknown.

    Attributes:
        source: the phase.
        target: the phase that comes next, or `end`.
        kind: whether it is a rule.
        label: what it says, whole.
        short: what it depends on, in a few words; empty for a rule without a condition.
    """

    source: str
    target: str | None
    kind: EdgeKind
    label: str
    short: str = ""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A phase: its lines of text, its edges in the order of the file, its problems, its parts."""

    name: str
    title: str
    facts: tuple[str, ...]
    edges: tuple[DiagramEdge, ...]
    problems: tuple[Problem, ...]
    kind: NodeKind = "phase"
    tags: tuple[str, ...] = ()

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
            _classify_phase(phase),
            _list_tags(phase),
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


def _classify_phase(phase: Phase) -> NodeKind:
    if phase.only_decides:
        return "decision"
    if phase.person is not None:
        return "person"
    return "phase" if phase.workflow is None else "workflow"


def _list_tags(phase: Phase) -> tuple[str, ...]:
    tags = {
        "tool": phase.uses,
        "prompt": phase.prompt_template,
        "prompts": phase.branches,
        "person": phase.person,
        "workflow": phase.workflow,
        "loop": phase.for_each,
        "may be skipped": phase.when,
    }
    return tuple(tag for tag, value in tags.items() if value) or ("rules",)


def _describe_phase(phase: Phase) -> tuple[str, ...]:
    facts = [f"also called {', '.join(phase.aliases)}"] if phase.aliases else []
    if phase.when:
        facts.append(f"only when {to_safe_line(phase.when, 60)}, else skipped")
    if phase.uses:
        facts.append(f"uses {to_safe_line(phase.uses, 80)}")
    if phase.workflow:
        facts.append(f"runs the workflow {phase.workflow}")
    if phase.for_each:
        at_once = f", {phase.for_each.max} at once" if phase.for_each.max and not phase.workflow else ""
        facts.append(f"for each {phase.for_each.as_} in {to_safe_line(phase.for_each.in_, 60)}{at_once}")
    facts += _describe_questions(phase)
    if isinstance(phase.answer, dict) and isinstance(phase.answer.get("properties"), dict):
        facts.append(to_safe_line(f"answer: {', '.join(map(str, phase.answer['properties']))}", 80))
    elif isinstance(phase.answer, str):
        facts.append(to_safe_line(f"answer: {phase.answer}", 80))
    return tuple(facts)


def _describe_questions(phase: Phase) -> list[str]:
    facts = []
    if phase.prompt_template:
        template = phase.prompt_template
        is_short = template.isprintable() and len(template) <= _MAX_PATH_LENGTH
        facts.append(f"prompt: {template}" if is_short else "inline prompt")
    if phase.branches:
        facts.append(to_safe_line(f"prompts at once: {', '.join(phase.branches)}", 80))
    if phase.person:
        fields = f": {', '.join(phase.person.form)}" if phase.person.form else ""
        facts.append(to_safe_line(f"asks the person{fields}", 80))
    return facts


def _build_edges(flow: Workflow, name: str) -> list[DiagramEdge]:
    known = {**flow.map_phase_names(), END: END}
    edges = []
    for rule in flow.phases[name].next_action:
        always = "always, or when skipped" if flow.phases[name].when else "always"
        words = [rule.when or always]
        times = _count_times(rule.max)
        words += [times] if times else []
        words += [f"“{to_safe_line(rule.say, 70)}”"] if rule.say else []
        words += ["early exit"] if rule.early_exit else []
        label = to_safe_line(f"{' · '.join(words)} → {rule.then}", 240)
        short = to_safe_line(rule.when, 160) if rule.when else times
        edges.append(DiagramEdge(name, known.get(rule.then), "then", label, short))
        if rule.max is not None:
            other = rule.else_ or END
            edges.append(DiagramEdge(name, known.get(other), "else", to_safe_line(f"spent → {other}", 160), "spent"))
    edges += _build_further_edges(flow.phases[name], name, known)
    failing = flow.find_error_target(name)
    if failing is not None:
        edges.append(
            DiagramEdge(name, known.get(failing), "on_error", to_safe_line(f"fails → {failing}", 160), "fails")
        )
    return edges


def _count_times(most: int | None) -> str:
    return "" if not most else "at most once" if most == 1 else f"at most {most} times"


def _build_further_edges(phase: Phase, name: str, known: Mapping[str, str]) -> Iterator[DiagramEdge]:
    """Build the edges of a list that is too long, and of a person who declines."""
    loop, declined = phase.for_each, phase.person.on_decline if phase.person else None
    if loop is not None and loop.else_ is not None:
        label = f"more than {loop.limit} items → {loop.else_}"
        yield DiagramEdge(
            name, known.get(loop.else_), "else", to_safe_line(label, 160), f"more than {loop.limit} items"
        )
    if declined is not None:
        label = to_safe_line(f"declined → {declined}", 160)
        yield DiagramEdge(name, known.get(declined), "else", label, "declined")


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
    if not problems:
        return {}, ()  # the nodes of the file need not be built
    phases = find_node(definition.root, ("phases",))
    starts = sorted((key.place.path, key.place.line, str(key.value)) for key, _ in phases.items)
    prompts = {prompt.name: key.partition(".")[0] for key, prompt in definition.prompts.items()}
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
