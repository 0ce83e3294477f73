"""What a check is handed: the definition, the tools, and ways to find places."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import find, find_key
from aurora.interpreter.language.model import END
from aurora.interpreter.problems.files import Unreadable, read_file
from aurora.interpreter.yaml.display_path import beside, shown
from aurora.interpreter.yaml.load import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Rule
    from aurora.interpreter.problems.problem import Place
    from aurora.interpreter.run.ports import Toolbox, ToolFacts
    from aurora.interpreter.yaml.node import Node

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge of the workflow's graph: a rule's `then`, its `else`, or `on_error`; `target` None is the end."""

    source: str
    target: str | None
    kind: str
    rule: int | None
    bounded: bool


@dataclass(frozen=True, eq=False)
class View:
    """One definition under examination; what several checks ask for is worked out once."""

    definition: Definition
    tools: Toolbox | None

    @property
    def phases(self) -> Mapping[str, Phase]:
        """The phases by id."""
        return self.definition.workflow.phases

    def value(self, *loc: str | int) -> Place:
        """The place of the value at this path."""
        return find(self.definition.root, loc).place

    def key(self, *loc: str | int) -> Place:
        """The place of the last key of this path."""
        return find_key(self.definition.root, loc).place

    def inside(self, loc: Loc, offset: int, length: int) -> Place:
        """The place of a stretch of the text at this path; the whole text where escapes or folding hide it."""
        return find(self.definition.root, loc).part(offset, length)

    def rules(self) -> Sequence[tuple[str, int, Rule, Loc]]:
        """Every rule with its phase, index and path."""
        return self._rules

    @cached_property
    def _rules(self) -> tuple[tuple[str, int, Rule, Loc], ...]:
        return tuple(self._each_rule())

    def _each_rule(self) -> Iterator[tuple[str, int, Rule, Loc]]:
        for name, phase in self.phases.items():
            for index, rule in enumerate(phase.next_action):
                yield name, index, rule, self.rule(name, index)

    def rule(self, phase: str, index: int) -> Loc:
        """The path of a rule; without a list it is that of `next_action` itself."""
        base: Loc = ("phases", phase, "next_action")
        return (*base, index) if find(self.definition.root, base).kind == "list" else base

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Every phase and alias, with the phase that it means."""
        return self.definition.workflow.names()

    def target(self, name: str) -> str | None:
        """The phase behind a name or alias; None for `end` and for what is unknown."""
        return None if name == END else self.names.get(name)

    def knows(self, name: str) -> bool:
        """Whether the name is a phase, an alias or `end`."""
        return name == END or name in self.names

    def arrows(self) -> Sequence[Arrow]:
        """Every edge of the graph whose target is known."""
        return self._arrows

    @cached_property
    def _arrows(self) -> tuple[Arrow, ...]:
        return tuple(self._each_arrow())

    def _each_arrow(self) -> Iterator[Arrow]:
        for name, index, rule, _ in self.rules():
            if self.knows(rule.then):
                yield Arrow(name, self.target(rule.then), "then", index, rule.max is not None)
            if rule.max is not None:
                other = rule.else_ or END
                if self.knows(other):
                    yield Arrow(name, self.target(other), "else", index, bounded=False)
        for name in self.phases:
            said = self.phases[name].on_error or self.definition.workflow.on_error
            failing = self.names.get(said) if said else None
            if failing is not None and failing != name:
                yield Arrow(name, failing, "on_error", None, bounded=False)

    def facts(self, phase: str) -> ToolFacts | None:
        """The tool that the phase uses, when it is known."""
        uses = self.phases[phase].uses
        return self.tools.facts(uses) if self.tools and uses else None

    def result_schema(self, phase: str) -> Mapping[str, Any] | None:
        """The schema of the phase's result: its `output`, else the tool's own; None when nothing is known."""
        found = self.definition.outputs.get(phase)
        if found is not None or self.phases[phase].output is not None:
            return found
        facts = self.facts(phase)
        return facts.output if facts else None

    def defined(self, phase: str, path: Sequence[str]) -> str:
        """`"complexity" is defined at FILE:LINE:COLUMN`; empty where that cannot be said."""
        if not path:
            return ""
        root = self.definition.root
        if path[0] == "inputs" and len(path) > 1:
            found = find(root, ("phases", phase, "inputs")).key(path[1])
        elif path[0] in ("phases", "run"):
            found = None
        else:
            found = find(self.schema_tree(phase, "output"), ("properties",)).key(path[0])
        return f'"{".".join(path)}" is defined at {found.place.at}' if found is not None else ""

    def schema_tree(self, phase: str, key: str) -> Node:
        """The tree of the schema under `output` or `answer`, in the file that holds it."""
        said = find(self.definition.root, ("phases", phase, key))
        if said.kind == "map" or not isinstance(said.value, str):
            return said
        try:
            path = beside(said, said.value)
            return read_yaml(read_file(path), shown(path))[0] or said
        except Unreadable:
            return said
