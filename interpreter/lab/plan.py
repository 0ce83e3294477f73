"""The plan of a simulation: values that rules read, phases that follow, test values."""

from __future__ import annotations

import json
import re
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from aurora.interpreter.checks import view_definition
from aurora.interpreter.language.definition import find_reachable
from aurora.interpreter.language.model import END
from aurora.interpreter.schema.json_values import to_canonical_json
from aurora.interpreter.schema.validate import find_faults

from .generate import UnsatisfiableError, generate_values
from .player import RunState, find_deciding_phase
from .sources import (
    WHOLE_RUN,
    OutputReading,
    RunFact,
    ValueSource,
    collect_demands,
    list_rule_expressions,
    parse_paths,
    trace_facts,
    trace_skip_sources,
    trace_sources,
)
from .values import (
    ABSENT,
    NO_CONSTANTS,
    ComparedConstants,
    collect_constants,
    find_schema,
    inline_references,
    is_required,
    merge_schemas,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase
    from aurora.interpreter.run.ports import Toolbox

    from .values import Schema

_CONSTANT = re.compile(r"\bvars\.([a-z][a-z0-9_]*)\b")

_MAX_LIVE_PHASES = 300
"""With more phases than this, every phase counts as reachable."""

MAX_VALUES = 16
"""The most test values of one field."""


class OutputFinder(Protocol):
    """A finder of the outputs of a workflow that runs as a phase."""

    def find_outputs(self, definition: Definition, reading: OutputReading) -> tuple[Any, ...]:
        """Find outputs that runs of the workflow end with; empty if none was found."""


class SimulationPlan:
    """A workflow under simulation, with cached derived data.

    Args:
        definition: the workflow, without errors.
        tools: the tools that its phases use; their schemas replace a missing `output`.
        known: the workflows that its phases run; None leaves their outputs open.
        finder: finds their outputs; None makes them from their schemas.
        reading: for a workflow that runs as a phase, the use of its output: the output is varied too.
    """

    def __init__(
        self,
        definition: Definition,
        tools: Toolbox | None,
        known: KnownWorkflows | None = None,
        finder: OutputFinder | None = None,
        reading: OutputReading | None = None,
    ) -> None:
        self.definition = definition
        self.workflow = definition.workflow
        self.view = view_definition(definition, tools, known)
        self._finder = finder
        self._reading = reading
        self._outputs: dict[str, tuple[Any, ...]] = {}
        self._demands = collect_demands(definition, reading)
        self._schemas: dict[ValueSource, Schema] = {}
        self._roots: dict[ValueSource, Schema] = {}
        self._least: dict[ValueSource, Any] = {}
        self._values: dict[ValueSource, tuple[Any, ...]] = {}
        self._reachable: dict[str, frozenset[str]] = {}
        self._all_phases = frozenset(self.workflow.phases)
        self._live_sources: dict[frozenset[str], frozenset[ValueSource]] = {}
        self._live_facts: dict[frozenset[str], tuple[RunFact, ...]] = {}
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
        return any(WHOLE_RUN in facts for facts in self.facts_by_phase.values())

    @cached_property
    def facts_by_phase(self) -> Mapping[str, tuple[RunFact, ...]]:
        """The facts of the run that the rules of each phase read, in order."""
        return {phase: tuple(sorted(trace_facts(self.workflow, phase))) for phase in self.workflow.phases}

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
        for source in self._list_output_sources():
            texts.setdefault(source, []).extend(self._reading.expressions if self._reading else ())
        lists = {source: tuple(expressions) for source, expressions in texts.items()}
        read = {expressions: collect_constants(expressions) for expressions in set(lists.values())}
        return {source: read[expressions] for source, expressions in lists.items()}

    def _list_output_sources(self) -> set[ValueSource]:
        """List the sources that the output of the workflow reads, where it is varied."""
        flow = self.workflow
        texts = [spec.from_ for spec in (flow.output or {}).values()] if self._reading is not None else []
        return {one for text in texts for one in trace_sources(flow, flow.map_phase_names()[flow.start], text)}

    @cached_property
    def output_sources(self) -> tuple[ValueSource, ...]:
        """The sources of the output's fields, without which a run cannot end well, in order."""
        flow = self.workflow
        start = flow.map_phase_names()[flow.start]
        needed = [spec.from_ for spec in (flow.output or {}).values() if find_faults(None, spec.json_schema)]
        return tuple(sorted({one for text in needed for one in trace_sources(flow, start, text)}))

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
        """Find the sources that a phase's rules and its `when` read, each with its expressions."""
        when = self.workflow.phases[phase].when
        skip = trace_skip_sources(self.workflow, phase)
        found = {self._widen_source(source): [when] for source in skip if when is not None}
        for text in [*list_rule_expressions(self.workflow, phase), *self._list_read_outputs(phase)]:
            for source in trace_sources(self.workflow, phase, text):
                found.setdefault(self._widen_source(source), []).append(text)
        return found

    def _list_read_outputs(self, phase: str) -> list[str]:
        """List the expressions of the output that a run with this last phase has, where it is varied."""
        rules = self.workflow.phases[phase].next_action
        if self._reading is None or all(END not in (rule.then, rule.else_) for rule in rules):
            return []
        return [spec.from_ for spec in (self.workflow.output or {}).values()]

    def _widen_source(self, source: ValueSource) -> ValueSource:
        """Return the whole result for a part of what a workflow gives, because its parts depend on each other."""
        is_walk = source.kind == "result" and self.workflow.phases[source.phase].workflow is not None
        return ValueSource(source.phase, "result", ()) if is_walk else source

    def find_reachable(self, phase: str) -> frozenset[str]:
        """Find the phase and all that may follow it."""
        # To find what follows each of many phases takes time with the square of their number.
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

    def find_live_facts(self, phase: str) -> tuple[RunFact, ...]:
        """Find the facts of the run that rules from this phase on read, in order."""
        later = self.find_reachable(phase)
        if later not in self._live_facts:
            self._live_facts[later] = tuple(sorted({one for name in later for one in self.facts_by_phase[name]}))
        return self._live_facts[later]

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
        root = ValueSource(source.phase, source.kind, source.path[:1] if source.kind == "inputs" else ())
        if root not in self._roots:
            self._roots[root] = self._build_root_schema(root)
        return self._roots[root]

    def _build_root_schema(self, source: ValueSource) -> Schema:
        if source.kind == "inputs":
            name = source.path[0]
            said = inline_references(self.workflow.phases[source.phase].inputs[name].json_schema)
            return said or self._find_read_schema(source.phase, name)
        if source.kind == "result":
            return inline_references(dict(self.view.find_result_schema(source.phase) or {"type": "object"}))
        return inline_references(dict(self.definition.answers.get(source.phase) or {}))

    def _find_read_schema(self, phase: str, name: str) -> Schema:
        """Find the schema of the value that an input is read from; a host that brings it brings such a value."""
        text = (self.workflow.phases[phase].inputs[name].from_ or "").strip()
        sources = trace_sources(self.workflow, phase, f"inputs.{name}")
        if len(sources) != 1 or parse_paths(text) != (tuple(text.split(".")),):
            return {}
        return self.find_schema(next(iter(sources)))

    def _find_useful_schema(self, source: ValueSource) -> Schema:
        """Find the schema at the source that also fits what later phases take from it."""
        wanted = self._demands.get((source.phase, source.kind), {})
        both: Schema = merge_schemas(self.find_schema(source), find_schema(wanted, source.path))
        return both

    def list_values(self, source: ValueSource) -> tuple[Any, ...]:
        """List test values, with ABSENT for an optional one; empty when there are none."""
        if source not in self._values and (outputs := self._list_walk_results(source)):
            self._values[source] = outputs
        if source not in self._values:
            hints = self._constants.get(source, NO_CONSTANTS)
            # Values that later phases can use come first; those that only
            # fit the phase itself reach the rules that reject the others.
            schemas = (self._find_useful_schema(source), self.find_schema(source))
            found = {to_canonical_json(value): value for schema in schemas for value in _generate_values(schema, hints)}
            optional = source.path and not is_required(self._find_parent_schema(source), source.path[-1])
            self._values[source] = (*found.values(), *((ABSENT,) if optional else ()))
        return self._values[source]

    def _list_walk_results(self, source: ValueSource) -> tuple[Any, ...]:
        """List the results of a phase with a workflow, those first that fit what later phases take from it."""
        spec = self.workflow.phases[source.phase]
        if spec.workflow is None or source.kind != "result" or source.path:
            return ()
        outputs = self.find_outputs(source.phase)
        results = [{"results": [one]} for one in outputs] if spec.for_each else list(outputs)
        if spec.for_each and len(outputs) > 1:
            # Near the front, because only the first of the values are kept.
            results.insert(1, {"results": list(outputs)})
        wanted = self._demands.get((source.phase, "result"), {})
        return tuple(sorted(results, key=lambda one: bool(find_faults(one, wanted)))[:MAX_VALUES])

    def find_outputs(self, phase: str) -> tuple[Any, ...]:
        """Find outputs that runs of the phase's workflow end with; empty if it was not walked."""
        if phase not in self._outputs:
            inner = self.view.find_workflow(phase)
            found: tuple[Any, ...] = ()
            if inner is not None and self._finder is not None:
                whole = ValueSource(phase, "result", ())
                texts = [text for name in self.workflow.phases for text in self._list_readers(name, whole)]
                reading = OutputReading(texts, self._demands.get((phase, "result"), {}))
                found = self._finder.find_outputs(inner, reading)
            self._outputs[phase] = found
        return self._outputs[phase]

    @property
    def is_every_walk_known(self) -> bool:
        """True if each workflow that runs as a phase has outputs that runs of it end with."""
        return all(phase.workflow is None or self.find_outputs(name) for name, phase in self.workflow.phases.items())

    def _list_readers(self, phase: str, source: ValueSource) -> list[str]:
        return [self._fill_constants(text) for text in self.find_source_expressions(phase).get(source, ())]

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
        if found and found[0] is not ABSENT:
            return found[0]
        if source not in self._least:
            self._least[source] = generate_values(self.find_schema(source))[0]
        return self._least[source]


def _has_bounded_rule(phase: Phase) -> bool:
    return any(rule.max is not None for rule in phase.next_action)


def _generate_values(schema: Schema, hints: ComparedConstants) -> list[Any]:
    try:
        return generate_values(schema, hints)[:MAX_VALUES]
    except UnsatisfiableError:
        return []
