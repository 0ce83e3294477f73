"""The view of a workflow that checks get: definition, tools, places in the file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language import END, find_key, find_node
from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.interpreter.yaml import display_path, read_yaml, resolve_relative

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language import Definition, Phase, Rule
    from aurora.interpreter.problems import Place
    from aurora.interpreter.run import Toolbox, ToolFacts
    from aurora.interpreter.yaml import Node

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Transition:
    """An edge of the workflow's graph; `target` None is the end."""

    source: str
    target: str | None
    kind: str
    rule: int | None
    bounded: bool


@dataclass(frozen=True, eq=False)
class WorkflowView:
    """A definition under examination, with cached derived data."""

    definition: Definition
    tools: Toolbox | None

    @property
    def phases(self) -> Mapping[str, Phase]:
        """The phases by id."""
        return self.definition.workflow.phases

    def locate_value(self, *loc: str | int) -> Place:
        """Locate the value at this path."""
        return find_node(self.definition.root, loc).place

    def locate_key(self, *loc: str | int) -> Place:
        """Locate the last key of this path."""
        return find_key(self.definition.root, loc).place

    def locate_text(self, loc: Loc, offset: int, length: int) -> Place:
        """Locate a span of the text at this path; the whole text if escapes hide it."""
        return find_node(self.definition.root, loc).locate_text(offset, length)

    def rules(self) -> Sequence[tuple[str, int, Rule, Loc]]:
        """List every rule with its phase, index and path."""
        return self._all_rules

    @cached_property
    def _all_rules(self) -> tuple[tuple[str, int, Rule, Loc], ...]:
        return tuple(self._iterate_rules())

    def _iterate_rules(self) -> Iterator[tuple[str, int, Rule, Loc]]:
        for name, phase in self.phases.items():
            for index, rule in enumerate(phase.next_action):
                yield name, index, rule, self.build_rule_path(name, index)

    def build_rule_path(self, phase: str, index: int) -> Loc:
        """Build the path of a rule; without a list it is that of `next_action`."""
        base: Loc = ("phases", phase, "next_action")
        return (*base, index) if find_node(self.definition.root, base).kind == "list" else base

    @cached_property
    def phase_by_name(self) -> Mapping[str, str]:
        """Every phase and alias, with the id of its phase."""
        return self.definition.workflow.map_phase_names()

    def resolve_target(self, name: str) -> str | None:
        """Resolve a name or alias to its phase; None for `end` and unknown names."""
        return None if name == END else self.phase_by_name.get(name)

    def is_known_target(self, name: str) -> bool:
        """Return whether the name is a phase, an alias or `end`."""
        return name == END or name in self.phase_by_name

    def transitions(self) -> Sequence[Transition]:
        """List every edge of the graph whose target is known."""
        return self._all_transitions

    @cached_property
    def _all_transitions(self) -> tuple[Transition, ...]:
        return tuple(self._iterate_transitions())

    def _iterate_transitions(self) -> Iterator[Transition]:
        for name, index, rule, _ in self.rules():
            if self.is_known_target(rule.then):
                yield Transition(name, self.resolve_target(rule.then), "then", index, rule.max is not None)
            if rule.max is not None:
                other = rule.else_ or END
                if self.is_known_target(other):
                    yield Transition(name, self.resolve_target(other), "else", index, bounded=False)
        for name in self.phases:
            said = self.phases[name].on_error or self.definition.workflow.on_error
            failing = self.phase_by_name.get(said) if said else None
            if failing is not None and failing != name:
                yield Transition(name, failing, "on_error", None, bounded=False)

    def find_tool(self, phase: str) -> ToolFacts | None:
        """Find the tool that the phase uses, if it is known."""
        uses = self.phases[phase].uses
        return self.tools.facts(uses) if self.tools and uses else None

    def find_result_schema(self, phase: str) -> Mapping[str, Any] | None:
        """Find the schema of the result: the phase's `output`, else the tool's; or None."""
        found = self.definition.outputs.get(phase)
        if found is not None or self.phases[phase].output is not None:
            return found
        facts = self.find_tool(phase)
        return facts.output if facts else None

    def describe_origin(self, phase: str, path: Sequence[str]) -> str:
        """Return `"x" is defined at FILE:LINE:COLUMN`; empty where that is unknown."""
        if not path:
            return ""
        root = self.definition.root
        if path[0] == "inputs" and len(path) > 1:
            found = find_node(root, ("phases", phase, "inputs")).get_key(path[1])
        elif path[0] in ("phases", "run"):
            found = None
        else:
            found = find_node(self.load_schema_tree(phase, "output"), ("properties",)).get_key(path[0])
        return f'"{".".join(path)}" is defined at {found.place.label}' if found is not None else ""

    def load_schema_tree(self, phase: str, key: str) -> Node:
        """Load the tree of the `output` or `answer` schema, from the file that contains it."""
        said = find_node(self.definition.root, ("phases", phase, key))
        if said.kind == "map" or not isinstance(said.value, str):
            return said
        try:
            path = resolve_relative(said, said.value)
            return read_yaml(read_file(path), display_path(path))[0] or said
        except UnreadableFileError:
            return said


_last_view: list[WorkflowView] = []


def view_definition(definition: Definition, tools: Toolbox | None) -> WorkflowView:
    """Return the view of a definition; the last one is kept, with all that was derived from it."""
    last = _last_view[-1:]
    if last and last[0].definition is definition and last[0].tools is tools:
        return last[0]
    view = WorkflowView(definition, tools)
    _last_view[:] = [view]
    return view
