"""The plan of a simulation: values that rules read, phases that follow, test values."""

from __future__ import annotations

import json
import re
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks import view_definition
from aurora.interpreter.language import find_reachable
from aurora.interpreter.schema import to_canonical_json
from aurora.interpreter.simulation.values import (
    ABSENT,
    NO_CONSTANTS,
    ComparedConstants,
    UnsatisfiableError,
    collect_constants,
    find_schema,
    generate_values,
    inline_references,
    is_required,
    merge_schemas,
)

from .sources import ValueSource, list_rule_expressions, parse_paths, trace_sources
from .step import RunState, find_deciding_phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language import Definition, Phase
    from aurora.interpreter.run import Toolbox
    from aurora.interpreter.simulation.values import Schema

_CONSTANT = re.compile(r"\bvars\.([a-z][a-z0-9_]*)\b")
_MAX_LIVE_PHASES = 300
"""With more phases than this, every phase counts as reachable."""
MAX_VALUES = 16
"""The most test values of one field."""


class SimulationPlan:
    """A workflow under simulation, with cached derived data.

    Args:
        definition: the workflow, without errors.
        tools: the tools that its phases use; their schemas replace a missing `output`.
    """

    def __init__(self, definition: Definition, tools: Toolbox | None) -> None:
        self.definition = definition
        self.workflow = definition.workflow
        self.view = view_definition(definition, tools)
        self._demands = _collect_demands(definition)
        self._schemas: dict[ValueSource, Schema] = {}
        self._values: dict[ValueSource, tuple[Any, ...]] = {}
        self._reachable: dict[str, frozenset[str]] = {}
        self._all_phases = frozenset(self.workflow.phases)
        self._live_sources: dict[frozenset[str], frozenset[ValueSource]] = {}
        self._live_groups: dict[frozenset[str], tuple[tuple[str, tuple[ValueSource, ...]], ...]] = {}

    @cached_property
    def sources_by_phase(self) -> Mapping[str, frozenset[ValueSource]]:
        """The sources that the rules of each phase read."""
        return {phase: frozenset(self.find_source_expressions(phase)) for phase in self.workflow.phases}

    @cached_property
    def sorted_sources(self) -> Mapping[str, tuple[ValueSource, ...]]:
        """The sources that the rules of each phase read, in order."""
        return {phase: tuple(sorted(sources)) for phase, sources in self.sources_by_phase.items()}

    @cached_property
    def is_step_dependent(self) -> bool:
        """True when a rule reads the run itself, so that no two steps are alike."""
        flow = self.workflow
        texts = (text for phase in flow.phases for text in list_rule_expressions(flow, phase))
        return any(path[0] == "run" for text in texts for path in parse_paths(text))

    @cached_property
    def bounded_phases(self) -> frozenset[str]:
        """The phases that have a rule with a `max`."""
        return frozenset(name for name, phase in self.workflow.phases.items() if _has_bounded_rule(phase))

    @cached_property
    def _constants(self) -> Mapping[ValueSource, ComparedConstants]:
        texts: dict[ValueSource, list[str]] = {}
        for phase in self.workflow.phases:
            for source, expressions in self.find_source_expressions(phase).items():
                texts.setdefault(source, []).extend(self._fill_constants(text) for text in expressions)
        return {source: collect_constants(expressions) for source, expressions in texts.items()}

    def _fill_constants(self, text: str) -> str:
        """Write the workflow's constants as literals, to compare values with them."""
        constants = self.workflow.vars

        def fill(found: re.Match[str]) -> str:
            value = constants.get(found[1])
            return f"`{json.dumps(value)}`" if isinstance(value, str | int | float | bool) else found[0]

        return _CONSTANT.sub(fill, text)

    def find_deciding_phase(self, moment: RunState) -> str:
        """Find the phase whose rules the next call evaluates; it may wait for its answer."""
        return find_deciding_phase(self.workflow, moment)

    def find_source_expressions(self, phase: str) -> dict[ValueSource, list[str]]:
        """Find the sources that a phase's rules read, each with its expressions."""
        found: dict[ValueSource, list[str]] = {}
        for text in list_rule_expressions(self.workflow, phase):
            for source in trace_sources(self.workflow, phase, text):
                found.setdefault(source, []).append(text)
        return found

    def find_reachable(self, phase: str) -> frozenset[str]:
        """Find the phase and all that may follow it."""
        if len(self.workflow.phases) > _MAX_LIVE_PHASES:
            return self._all_phases
        if phase not in self._reachable:
            self._reachable[phase] = frozenset(find_reachable([phase], self._successors))
        return self._reachable[phase]

    @cached_property
    def _successors(self) -> Mapping[str, list[str]]:
        return {phase: self._list_successors(phase) for phase in self.workflow.phases}

    def _list_successors(self, phase: str) -> list[str]:
        names = self.workflow.map_phase_names()
        targets = [self.workflow.find_error_target(phase)]
        for rule in self.workflow.phases[phase].next_action:
            targets += [rule.then, rule.else_]
        return [names[target] for target in targets if target is not None and target in names]

    def find_live_sources(self, phase: str) -> frozenset[ValueSource]:
        """Find the sources that rules from this phase on read."""
        later = self.find_reachable(phase)
        if later not in self._live_sources:
            self._live_sources[later] = frozenset(one for name in later for one in self.sources_by_phase[name])
        return self._live_sources[later]

    def group_live_sources(self, phase: str) -> tuple[tuple[str, tuple[ValueSource, ...]], ...]:
        """Group the sources that rules from this phase on read by their phase, in order."""
        later = self.find_reachable(phase)
        if later not in self._live_groups:
            live = sorted(self.find_live_sources(phase))
            groups = groupby(live, key=lambda one: one.phase)
            self._live_groups[later] = tuple((name, tuple(sources)) for name, sources in groups)
        return self._live_groups[later]

    def find_schema(self, source: ValueSource) -> Schema:
        """Find the schema at the source, as far as it is known."""
        if source not in self._schemas:
            path = source.path[1:] if source.kind == "inputs" else source.path
            self._schemas[source] = find_schema(self._find_root_schema(source), path)
        return self._schemas[source]

    def _find_root_schema(self, source: ValueSource) -> Schema:
        """Find the schema of the whole result, answer or input."""
        if source.kind == "inputs":
            return inline_references(self.workflow.phases[source.phase].inputs[source.path[0]].json_schema)
        if source.kind == "result":
            return inline_references(dict(self.view.find_result_schema(source.phase) or {"type": "object"}))
        return inline_references(dict(self.definition.answers.get(source.phase) or {}))

    def _find_useful_schema(self, source: ValueSource) -> Schema:
        """Find the schema at the source that also fits what later phases take from it."""
        wanted = self._demands.get((source.phase, source.kind), {})
        both: Schema = merge_schemas(self.find_schema(source), find_schema(wanted, source.path))
        return both

    def list_values(self, source: ValueSource) -> tuple[Any, ...]:
        """List test values, with ABSENT for an optional one; empty when there are none."""
        if source not in self._values:
            hints = self._constants.get(source, NO_CONSTANTS)
            schemas = (self._find_useful_schema(source), self.find_schema(source))
            found = {to_canonical_json(value): value for schema in schemas for value in _generate_values(schema, hints)}
            optional = source.path and not is_required(self._find_parent_schema(source), source.path[-1])
            self._values[source] = (*found.values(), *((ABSENT,) if optional else ()))
        return self._values[source]

    def _find_parent_schema(self, source: ValueSource) -> Schema:
        """Find the schema of the object that contains the source."""
        if source.kind != "inputs" or len(source.path) > 1:
            return self.find_schema(ValueSource(source.phase, source.kind, source.path[:-1]))
        spec = self.workflow.phases[source.phase].inputs[source.path[0]]
        return {} if spec.optional or spec.has_default else {"required": [source.path[0]]}

    def find_least_value(self, source: ValueSource) -> Any:
        """Find the least value of the source.

        Raises:
            UnsatisfiableError: no value could be generated.
        """
        found = self.list_values(source)
        if not found or found[0] is ABSENT:
            return generate_values(self.find_schema(source))[0]
        return found[0]


def _has_bounded_rule(phase: Phase) -> bool:
    return any(rule.max is not None for rule in phase.next_action)


def _generate_values(schema: Schema, hints: ComparedConstants) -> list[Any]:
    try:
        return generate_values(schema, hints)[:MAX_VALUES]
    except UnsatisfiableError:
        return []


def _collect_demands(definition: Definition) -> dict[tuple[str, str], Schema]:
    """Collect the schemas that the inputs of other phases demand of results and answers."""
    found: dict[tuple[str, str], Schema] = {}
    phases = definition.workflow.phases
    for phase in phases.values():
        for spec in phase.inputs.values():
            match (spec.from_ or "").strip().split("."):
                case ["phases", name, ("result" | "answer") as kind, *path]:
                    source = phases.get(name)
                case _:
                    continue
            if source is None or not spec.json_schema or (source.for_each and kind == "answer"):
                continue
            demanded = inline_references(spec.json_schema)
            for step in reversed(path):
                demanded = {"properties": {step: demanded}}
            found[name, kind] = merge_schemas(found.get((name, kind), {}), demanded)
    return found
