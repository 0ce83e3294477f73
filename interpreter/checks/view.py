"""The view of a workflow that checks get: definition, tools, places in the file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from aurora.interpreter.language.build import find_key, find_node
from aurora.interpreter.language.model import END
from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.interpreter.yaml import display_path, read_yaml, resolve_relative

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Rule
    from aurora.interpreter.problems import Place, Problem
    from aurora.interpreter.run.ports import Toolbox, ToolFacts
    from aurora.interpreter.yaml import Node

Loc = tuple[str | int, ...]

SETTING = "x-setting"
"""Keyword of a field in a tool's output that is null unless the phase turns this setting on."""


class KnownWorkflows(Protocol):
    """The workflows that a phase can run."""

    def list_names(self) -> Sequence[str]:
        """List the names of all workflows, including broken ones."""

    def find_definition(self, name: str) -> Definition | None:
        """Return the workflow of this name; None if there is none, or if its file is broken."""

    def find_error(self, name: str) -> Problem | None:
        """Find the first error of the workflow of this name, which runs itself nowhere."""


@dataclass(frozen=True, slots=True)
class Transition:
    """An edge of the workflow's graph.

    Attributes:
        source, target: the phases; a target of None is the end.
        kind: `then`, `else`, `on_error`, `overflow` (a list that is longer than its `limit`), `decline` or `skip`.
        rule: the index of the rule; None for an edge that is no rule's.
        bounded: whether a `max` limits how often a run takes it.
    """

    source: str
    target: str | None
    kind: str
    rule: int | None
    bounded: bool

    @property
    def is_empty_handed(self) -> bool:
        """True if the phase has written neither a result nor an answer when a run takes the edge."""
        return self.kind in ("on_error", "overflow", "decline", "skip")


# Compared by identity: the view is the key of the caches of the
# checks, and to hash a whole workflow would cost more than they save.
@dataclass(frozen=True, eq=False)
class WorkflowView:
    """A definition under examination, with cached derived data."""

    definition: Definition
    tools: Toolbox | None
    workflows: KnownWorkflows | None = None
    """What phases can run; None when that is unknown."""

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

    @cached_property
    def rules(self) -> Sequence[tuple[str, int, Rule, Loc]]:
        """Every rule with its phase, index and path."""
        return [
            (name, index, rule, self.build_rule_path(name, index))
            for name, phase in self.phases.items()
            for index, rule in enumerate(phase.next_action)
        ]

    def build_rule_path(self, phase: str, index: int) -> Loc:
        """Build the path of a rule; without a list it is that of `next_action`."""
        base: Loc = ("phases", phase, "next_action")
        return (*base, index) if self.definition.document.has_rule_list(phase) else base

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

    @cached_property
    def transitions(self) -> Sequence[Transition]:
        """Every edge of the graph whose target is known."""
        return tuple(self._iterate_transitions())

    def _iterate_transitions(self) -> Iterator[Transition]:
        for name, index, rule, _ in self.rules:
            if self.is_known_target(rule.then):
                # an `else` without its `max` has a report of its own: the author means a bound
                bounded = rule.max is not None or rule.else_ is not None
                yield Transition(name, self.resolve_target(rule.then), "then", index, bounded)
            if rule.max is not None:
                other = rule.else_ or END
                if self.is_known_target(other):
                    yield Transition(name, self.resolve_target(other), "else", index, bounded=False)
        for name in self.phases:
            yield from self._iterate_further(name)
            said = self.phases[name].on_error or self.definition.workflow.on_error
            failing = self.phase_by_name.get(said) if said else None
            if failing is not None and failing != name and _can_fail(self.phases[name]):
                yield Transition(name, failing, "on_error", None, bounded=False)

    def _iterate_further(self, name: str) -> Iterator[Transition]:
        """Iterate over the edges of keys other than rules and failures."""
        phase = self.phases[name]
        targets = (
            ("overflow", phase.for_each.else_ if phase.for_each else None),
            ("decline", self._find_decline_target(name)),
        )
        for kind, target in targets:
            if target is not None and self.is_known_target(target):
                yield Transition(name, self.resolve_target(target), kind, None, bounded=False)

    def _find_decline_target(self, name: str) -> str | None:
        """Find the target of a decline; None where it is that of failures, which has an edge."""
        person = self.phases[name].person
        if person is None:
            return None
        return person.on_decline or (None if self.definition.workflow.find_error_target(name) else END)

    @cached_property
    def skips(self) -> Sequence[Transition]:
        """The edges of skipped phases, each of which is an edge of the phase's default rule, too."""
        found = []
        for name, phase in self.phases.items():
            default = phase.next_action[-1] if phase.when is not None else None
            if default is not None and default.when is None and self.is_known_target(default.then):
                found.append(Transition(name, self.resolve_target(default.then), "skip", None, bounded=False))
        return found

    def find_workflow(self, phase: str) -> Definition | None:
        """Find the workflow that the phase runs, if it is known."""
        name = self.phases[phase].workflow
        return self.workflows.find_definition(name) if self.workflows and name else None

    def find_tool(self, phase: str) -> ToolFacts | None:
        """Find the tool that the phase uses, if it is known."""
        uses = self.phases[phase].uses
        return self.tools.facts(uses) if self.tools and uses else None

    def find_result_schema(self, phase: str) -> Mapping[str, Any] | None:
        """Find the schema of the result: the phase's `output`, else the tool's or the workflow's; or None."""
        if self.phases[phase].workflow is not None:
            return self._build_walk_schema(phase)
        found = self.definition.outputs.get(phase)
        if found is not None or self.phases[phase].output is not None:
            return found
        facts = self.find_tool(phase)
        return _drop_unset(facts.output, self.phases[phase].params) if facts else None

    def _build_walk_schema(self, phase: str) -> Mapping[str, Any] | None:
        """Build the schema of the output of the phase's workflow, or of the list of outputs."""
        walked = self.find_workflow(phase)
        if walked is None:
            return None
        fields = {name: _drop_references(spec.json_schema) for name, spec in (walked.workflow.output or {}).items()}
        output = _build_object(fields)
        if self.phases[phase].for_each is None:
            return output
        return _build_object({"results": {"type": "array", "items": output}})

    def describe_origin(self, phase: str, path: Sequence[str]) -> str:
        """Return `"x" is defined at FILE:LINE:COLUMN`; empty where that is unknown."""
        if not path:
            return ""
        root = self.definition.root
        if path[0] == "inputs" and len(path) > 1 and phase:
            found = find_node(root, ("phases", phase, "inputs")).get_key(path[1])
        elif path[0] in ("inputs", "phases", "run"):
            found = None
        elif path[0] == "vars":
            found = find_node(root, ("vars",)).get_key(path[1]) if len(path) > 1 else None
        elif path[0] == "answer":
            tree = self.load_schema_tree(phase, "answer")
            found = find_node(tree, ("properties",)).get_key(path[1]) if len(path) > 1 else None
        else:
            found = find_node(self.load_schema_tree(phase, "output"), ("properties",)).get_key(path[0])
        return f'"{".".join(path)}" is defined at {found.place.label}' if found is not None else ""

    def load_schema_tree(self, phase: str, *keys: str) -> Node:
        """Load the tree of the schema at these keys of a phase, from the file that contains it."""
        said = find_node(self.definition.root, ("phases", phase, *keys))
        if said.kind == "map" or not isinstance(said.value, str):
            return said
        try:
            path = resolve_relative(said, said.value)
            return read_yaml(read_file(path), display_path(path))[0] or said
        except UnreadableFileError:
            return said

    def find_prompt_path(self, key: str) -> Loc:
        """Find the path of a prompt in the file, by its key among the definition's prompts."""
        phase, _, part = key.partition(".")
        if not part:
            return ("phases", phase, "prompt_template")
        if self.phases[phase].person is not None:
            return ("phases", phase, "person", "message")
        return ("phases", phase, "branches", part, "prompt_template")


def _can_fail(phase: Phase) -> bool:
    """Return whether a phase may fail: all but a bare `next_action` without a condition."""
    reads = phase.inputs or phase.when is not None or any(rule.when is not None for rule in phase.next_action)
    return bool(reads) or not phase.only_decides


def _build_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    fields = {"type": "object", "required": [*properties], "properties": dict(properties)}
    return {**fields, "additionalProperties": False}


def _drop_unset(output: Mapping[str, Any], params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Type the fields of a result as null whose setting the phase does not turn on."""
    fields: Mapping[str, Any] = output.get("properties", {})
    unset = [name for name, field in fields.items() if params.get(field.get(SETTING), SETTING not in field) is False]
    nulls = {name: {"type": "null", SETTING: fields[name][SETTING]} for name in unset}
    return {**output, "properties": {**fields, **nulls}} if unset else output


# What `#/$defs/…` means depends on the root, and here the schema becomes a part of another one.
def _drop_references(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drop a schema with references, which lead nowhere outside of its own root."""
    return {} if "$ref" in str(schema) else schema


_last_view: list[WorkflowView] = []


def view_definition(definition: Definition, tools: Toolbox | None, known: KnownWorkflows | None = None) -> WorkflowView:
    """Return the view of a definition; the last one is kept, with all that was derived from it."""
    # The check, the proof and the simulation of a workflow come one
    # after another, and the caches of the checks hold one view each.
    last = _last_view[-1:]
    if last and last[0].definition is definition and last[0].tools is tools and known in (None, last[0].workflows):
        return last[0]
    view = WorkflowView(definition, tools, known)
    _last_view[:] = [view]
    return view


@dataclass(frozen=True, slots=True)
class Check:
    """A check of one concern.

    Attributes:
        find_problems: yields the problems of a workflow, in any order.
        can_refuse: it may find an error, which refuses the workflow; without it, a run need not wait for the check.
        is_local: it judges each phase without the others, and so runs even when some phases cannot be read.
    """

    find_problems: Callable[[WorkflowView], Iterator[Problem]]
    is_local: bool = False
    can_refuse: bool = True
