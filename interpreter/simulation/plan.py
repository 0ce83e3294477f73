"""What must be known of a workflow to walk it: what its rules look at, what can follow, which values to try."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.view import View
from aurora.interpreter.schema.validate import canonical
from aurora.interpreter.simulation.values.constants import NOTHING, Hints, hints_of
from aurora.interpreter.simulation.values.generate import Unmakeable, made
from aurora.interpreter.simulation.values.normalise import inlined, merged
from aurora.interpreter.simulation.values.set_path import ABSENT, at, needed

from .sources import Source, expressions, seen_paths, sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.ports import Toolbox
    from aurora.interpreter.simulation.values.normalise import Schema

_MOST_LIVE = 300
"""Phases beyond which nobody asks which of them may still come: all may."""
MOST_VALUES = 16
"""Values of one field that are tried."""


class Plan:
    """A workflow under examination; what is found out once is kept.

    Args:
        definition: the workflow, without errors.
        tools: what its phases use; their schemas stand in where a phase has no `output`.
    """

    def __init__(self, definition: Definition, tools: Toolbox | None) -> None:
        self.definition = definition
        self.workflow = definition.workflow
        self._view = View(definition, tools)
        self._wanted = _wanted(definition)
        self._schemas: dict[Source, Schema] = {}
        self._values: dict[Source, tuple[Any, ...]] = {}
        self._reach: dict[str, frozenset[str]] = {}
        self._all = frozenset(self.workflow.phases)
        self._live: dict[frozenset[str], frozenset[Source]] = {}

    @cached_property
    def looked_at(self) -> Mapping[str, frozenset[Source]]:
        """By phase, all that its rules look at."""
        return {phase: frozenset(self.hinted(phase)) for phase in self.workflow.phases}

    @cached_property
    def counts_steps(self) -> bool:
        """Whether some rule looks at the run itself, so that no two steps are alike."""
        flow = self.workflow
        texts = (text for phase in flow.phases for text in expressions(flow, phase))
        return any(path[0] == "run" for text in texts for path in seen_paths(text))

    @cached_property
    def bounded(self) -> frozenset[str]:
        """The phases that have a rule with a `max`."""
        phases = self.workflow.phases.items()
        return frozenset(name for name, spec in phases if any(rule.max is not None for rule in spec.next_action))

    @cached_property
    def _hints(self) -> Mapping[Source, Hints]:
        texts: dict[Source, list[str]] = {}
        for phase in self.workflow.phases:
            for source, said in self.hinted(phase).items():
                texts.setdefault(source, []).extend(said)
        return {source: hints_of(said) for source, said in texts.items()}

    def hinted(self, phase: str) -> dict[Source, list[str]]:
        """What the rules of a phase look at, each with the expressions that do."""
        found: dict[Source, list[str]] = {}
        for text in expressions(self.workflow, phase):
            for source in sources(self.workflow, phase, text):
                found.setdefault(source, []).append(text)
        return found

    def from_here(self, phase: str) -> frozenset[str]:
        """The phase and all that may still come after it."""
        if len(self.workflow.phases) > _MOST_LIVE:
            return self._all
        if phase not in self._reach:
            seen: set[str] = set()
            todo = [phase]
            while todo:
                name = todo.pop()
                if name not in seen:
                    seen.add(name)
                    todo.extend(self._next(name))
            self._reach[phase] = frozenset(seen)
        return self._reach[phase]

    def _next(self, phase: str) -> Iterable[str]:
        names = self.workflow.names()
        said = [name for rule in self.workflow.phases[phase].next_action for name in (rule.then, rule.else_) if name]
        failing = self.workflow.failing_leads_to(phase)
        return [names[name] for name in [*said, *([failing] if failing else [])] if name in names]

    def live(self, phase: str) -> frozenset[Source]:
        """What rules from this phase on look at."""
        later = self.from_here(phase)
        if later not in self._live:
            self._live[later] = frozenset(one for name in later for one in self.looked_at[name])
        return self._live[later]

    def schema(self, source: Source) -> Schema:
        """What may stand at the source, as far as that is known."""
        if source not in self._schemas:
            path = source.path[1:] if source.kind == "inputs" else source.path
            self._schemas[source] = at(self._whole(source), path)
        return self._schemas[source]

    def _whole(self, source: Source) -> Schema:
        """The schema of the whole result, answer or input, as its own phase says it."""
        if source.kind == "inputs":
            return inlined(self.workflow.phases[source.phase].inputs[source.path[0]].json_schema)
        if source.kind == "result":
            return inlined(dict(self._view.result_schema(source.phase) or {"type": "object"}))
        return inlined(dict(self.definition.answers.get(source.phase) or {}))

    def _useful(self, source: Source) -> Schema:
        """What may stand at the source and fits what later phases take from it: a real tool gives what it is for."""
        wanted = self._wanted.get((source.phase, source.kind), {})
        both: Schema = merged(self.schema(source), at(wanted, source.path))
        return both

    def values(self, source: Source) -> tuple[Any, ...]:
        """Values to try at the source, ABSENT where it need not be there; empty when none could be made."""
        if source not in self._values:
            hints = self._hints.get(source, NOTHING)
            schemas = (self._useful(source), self.schema(source))
            found = {canonical(value): value for schema in schemas for value in _made(schema, hints)}
            optional = source.path and not needed(self._outer(source), source.path[-1])
            self._values[source] = (*found.values(), *((ABSENT,) if optional else ()))
        return self._values[source]

    def _outer(self, source: Source) -> Schema:
        """The schema of the object that holds the source."""
        if source.kind != "inputs" or len(source.path) > 1:
            return self.schema(Source(source.phase, source.kind, source.path[:-1]))
        spec = self.workflow.phases[source.phase].inputs[source.path[0]]
        return {} if spec.optional or spec.has_default else {"required": [source.path[0]]}

    def least(self, source: Source) -> Any:
        """The plainest value of the source.

        Raises:
            Unmakeable: none could be made.
        """
        found = self.values(source)
        if not found or found[0] is ABSENT:
            return made(self.schema(source))[0]
        return found[0]


def _made(schema: Schema, hints: Hints) -> list[Any]:
    try:
        return made(schema, hints)[:MOST_VALUES]
    except Unmakeable:
        return []


def _wanted(definition: Definition) -> dict[tuple[str, str], Schema]:
    """What the inputs of other phases ask of results and answers: a real tool gives what its phase is for."""
    found: dict[tuple[str, str], Schema] = {}
    phases = definition.workflow.phases
    for phase in phases.values():
        for spec in phase.inputs.values():
            path = tuple((spec.from_ or "").strip().split("."))
            if len(path) < 3 or path[0] != "phases" or path[2] not in ("result", "answer"):  # noqa: PLR2004 - phases.NAME.KIND
                continue
            source = phases.get(path[1])
            if source is None or not spec.json_schema or (source.for_each and path[2] == "answer"):
                continue
            asked = inlined(spec.json_schema)
            for name in reversed(path[3:]):
                asked = {"properties": {name: asked}}
            key = (path[1], path[2])
            found[key] = merged(found.get(key, {}), asked)
    return found
