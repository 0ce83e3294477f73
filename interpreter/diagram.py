"""Diagram of a workflow: phases, edges and problems, and its Mermaid and Graphviz texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.errors import show_hidden
from aurora.interpreter.language.build import find_node
from aurora.interpreter.language.definition import list_postorder
from aurora.interpreter.language.model import END
from aurora.interpreter.problems import to_safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Workflow
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
    def words(self) -> tuple[str, ...]:
        """The lines of its box in Mermaid and Graphviz."""
        return tuple(one for one in (self.name, self.title, *self.facts, self.mark) if one)

    @property
    def mark(self) -> str:
        """Mark of its problems in its box; empty without any."""
        return f"✗ {self.problem_codes}" if self.problem_codes else ""

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
    if allowed := phase.describe_allowed():
        facts.append(to_safe_line(f"allows: {'; '.join(allowed)}", 80))
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
        # The order below is reversed as a whole, so the edges are walked backwards:
        # the target of the first rule then stands right below its phase.
        leading_on = [edge.target for edge in reversed(node.edges) if edge.kind == "then"]
        targets[name] = [target for target in leading_on if target is not None and target in nodes]
    seen: set[str] = set()
    ordered: list[str] = []
    # A phase that nothing leads to is drawn as well: a broken workflow is looked at to find such mistakes.
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
        # A problem names a line and no phase, so it belongs to the
        # last phase that begins above it in the same file.
        above = [start_line for start_line in starts if start_line[0] == problem.path and start_line[1] <= problem.line]
        name = above[-1][2] if above else prompts.get(problem.path)
        if name in definition.workflow.phases:
            by_phase.setdefault(name, []).append(problem)
        else:
            others.append(problem)
    return by_phase, tuple(others)


_EDGE_ARROWS = {"then": "-->", "else": "-->", "on_error": "-.->"}
_MERMAID_SHAPES = {"phase": ("[", "]"), "decision": ("{{", "}}"), "person": ("([", "])"), "workflow": ("[[", "]]")}
_PLAIN_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.,→·“”")


def render_mermaid(diagram: Diagram) -> str:
    """Render a flowchart of Mermaid; names get a prefix, because `end` is a word of Mermaid."""
    lines = ["flowchart TD", "  start((start))", "  finish((end))", f"  start --> p_{diagram.start}"]
    for node in diagram.nodes:
        opening, closing = _MERMAID_SHAPES[node.kind]
        label = "<br/>".join(map(_escape_text, node.words))
        lines.append(f'  p_{node.name}{opening}"{label}"{closing}')
    for node in diagram.nodes:
        for edge in node.edges:
            if edge.target is not None:
                target = "finish" if edge.target == END else f"p_{edge.target}"
                lines.append(f'  p_{node.name} {_EDGE_ARROWS[edge.kind]}|"{_escape_text(edge.label)}"| {target}')
    marked = [f"p_{node.name}" for node in diagram.nodes if node.problem_codes]
    if marked:
        lines += ["  classDef problem stroke:#c62828,stroke-width:3px", f"  class {','.join(marked)} problem"]
    return "\n".join(lines) + "\n"


def _escape_text(text: str) -> str:
    """Escape each character that means something to Mermaid or HTML by its number."""
    return "".join(char if char in _PLAIN_CHARACTERS or char.isalpha() else f"#{ord(char)};" for char in text)


_DOT_SHAPES = {"phase": "", "decision": ", shape=hexagon", "person": ", shape=ellipse", "workflow": ", peripheries=2"}


def render_dot(diagram: Diagram) -> str:
    """Render the diagram in the language of Graphviz."""
    lines = [
        f"digraph {_quote_text(diagram.label)} {{",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
        # A phase may be called `start` or `end`, but no name of a phase has a colon.
        '  ":start" [shape=circle, label="start"];',
        '  ":end" [shape=doublecircle, label="end"];',
        f'  ":start" -> {_quote_text(diagram.start)};',
    ]
    for node in diagram.nodes:
        red = ', color="#c62828", penwidth=3' if node.problem_codes else ""
        label = _quote_text(chr(10).join(node.words))
        lines.append(f"  {_quote_text(node.name)} [label={label}{_DOT_SHAPES[node.kind]}{red}];")
    for node in diagram.nodes:
        for edge in node.edges:
            if edge.target is not None:
                target = ":end" if edge.target == END else edge.target
                dashed = ", style=dashed" if edge.kind == "on_error" else ""
                lines.append(
                    f"  {_quote_text(node.name)} -> {_quote_text(target)} [label={_quote_text(edge.label)}{dashed}];"
                )
    return "\n".join([*lines, "}"]) + "\n"


def _quote_text(text: str) -> str:
    escaped = show_hidden(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
