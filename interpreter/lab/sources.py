"""Sources of the values that rules read: a tool's result, an answer, an input."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.checks.expressions.sites import find_root_paths
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.expressions.meter import stop_metering

from .values import find_schema, inline_references, merge_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Workflow

    from .values import Schema

SourceKind = Literal["result", "answer", "inputs"]


_Seen = set[tuple[str, str, tuple[str, ...]]]
"""The inputs that were traced for an expression, each with the path inside it; another time finds nothing more."""

_MAX_PATH = 50
"""The most names of a path inside an input; an input that is read from a part of itself has no end."""


@dataclass(frozen=True, slots=True, order=True)
class ValueSource:
    """A value that enters a run from outside.

    Attributes:
        phase: the phase whose result, answer or input it is.
        kind: the part of the phase that contains it.
        path: the names that lead to it from there; for `inputs` the first names the input.
    """

    phase: str
    kind: SourceKind
    path: tuple[str, ...]

    def read_value(self, phases: Mapping[str, Any]) -> Any:
        """Read the value from the phases of a run's scope; None where there is none."""
        here: Any = phases.get(self.phase, {}).get(self.kind)
        for name in self.path:
            here = here.get(name) if isinstance(here, dict) else None
        return here


@dataclass(frozen=True, slots=True, order=True)
class RunFact:
    """A value of a run that its steps make: the status, the visits or the history of a phase.

    Attributes:
        phase: the phase; empty for the run itself.
        part: the key under `phases.NAME`; empty for all of them.
    """

    phase: str
    part: str

    def read_value(self, phases: Mapping[str, Any]) -> Any:
        """Read the value from the phases of a run's scope; None where there is none."""
        entry = phases.get(self.phase)
        return entry.get(self.part) if self.part and entry else entry


WHOLE_RUN = RunFact("", "")
"""The run itself, which each step changes."""


@dataclass(frozen=True, slots=True)
class OutputReading:
    """The use of a workflow's output by the workflow around it.

    Attributes:
        expressions: those that read the output.
        schema: what is demanded of it.
    """

    expressions: Sequence[str] = ()
    schema: Schema = field(default_factory=dict)


@lru_cache(maxsize=4096)
def parse_paths(text: str) -> tuple[tuple[str, ...], ...]:
    """Parse the paths from the scope's root that an expression reads."""
    try:
        with stop_metering():
            # What is kept for all simulations must not count for the one
            # that asks first: the same one again would take another way.
            return tuple(dict.fromkeys(find_root_paths(compile_expression(text).parsed)))
    except ExpressionError:
        return ()


def list_rule_expressions(workflow: Workflow, phase: str) -> list[str]:
    """List the expressions of a phase's rules and of its `for_each`, with its limit as one on its length."""
    spec = workflow.phases[phase]
    rules = [rule.when for rule in spec.next_action if rule.when is not None]
    if spec.for_each is None:
        return rules
    loop = spec.for_each
    return [*rules, loop.in_ if loop.limit is None else f"length({loop.in_}) > `{loop.limit}`"]


def trace_sources(workflow: Workflow, phase: str, text: str) -> frozenset[ValueSource]:
    """Trace everything that an expression of this phase reads to its sources."""
    return frozenset(one for one in _trace_reads(workflow, phase, text) if isinstance(one, ValueSource))


def trace_skip_sources(workflow: Workflow, phase: str) -> frozenset[ValueSource]:
    """Trace everything that the `when` of a phase reads to its sources."""
    return frozenset(one for one in _trace_skip_reads(workflow, phase) if isinstance(one, ValueSource))


def trace_facts(workflow: Workflow, phase: str) -> frozenset[RunFact]:
    """Trace the facts of the run that the rules and the `when` of a phase read."""
    rules = [read for text in list_rule_expressions(workflow, phase) for read in _trace_reads(workflow, phase, text)]
    return frozenset(one for one in (*rules, *_trace_skip_reads(workflow, phase)) if isinstance(one, RunFact))


def _trace_reads(workflow: Workflow, phase: str, text: str) -> Iterator[ValueSource | RunFact]:
    seen: _Seen = set()
    for path in parse_paths(text):
        yield from _trace_path(workflow, phase, path, seen)


def _trace_skip_reads(workflow: Workflow, phase: str) -> Iterator[ValueSource | RunFact]:
    seen: _Seen = set()
    for path in parse_paths(workflow.phases[phase].when or ""):
        yield from _trace_recalled(workflow, phase, path, seen)


def _trace_path(workflow: Workflow, phase: str, path: tuple[str, ...], seen: _Seen) -> Iterator[ValueSource | RunFact]:
    match path:
        case ("run", *_):
            yield WHOLE_RUN
        case ("vars", *_) | ("inputs",):
            return
        case ("answers", *_) if workflow.phases[phase].asks:
            yield ValueSource(phase, "answer", ())
        case ("answer", *rest) if workflow.phases[phase].asks:
            yield ValueSource(phase, "answer", tuple(rest))
        case ("inputs", name, *rest):
            yield from _trace_input(workflow, phase, name, tuple(rest), seen)
        case ("phases", *rest):
            yield from _trace_visit(workflow, tuple(rest), seen)
        case _:
            yield ValueSource(phase, "result", path)


def _trace_visit(workflow: Workflow, path: tuple[str, ...], seen: _Seen) -> Iterator[ValueSource | RunFact]:
    """Trace a path below `phases`."""
    match path:
        case (other, "inputs", name, *rest):
            yield from _trace_input(workflow, other, name, tuple(rest), seen)
        case (other, "result" | "answer" as kind, *rest) if other in workflow.phases:
            yield ValueSource(other, kind, tuple(rest))
        case (other, "results" | "answers" as kind, *_) if other in workflow.phases:
            yield ValueSource(other, "result" if kind == "results" else "answer", ())
            yield RunFact(other, kind)
        case (other, part, *_) if other in workflow.phases:
            yield RunFact(other, part)
        case (other,) if other in workflow.phases:
            yield RunFact(other, "")
        case ():
            yield WHOLE_RUN


def _trace_input(
    workflow: Workflow, phase: str, name: str, rest: tuple[str, ...], seen: _Seen
) -> Iterator[ValueSource | RunFact]:
    """Trace an input: through its `from`, else to its caller."""
    spec = workflow.phases[phase].inputs.get(name) if phase in workflow.phases else None
    if spec is None or (phase, name, rest) in seen or len(rest) > _MAX_PATH:
        return
    seen.add((phase, name, rest))
    if spec.from_ is None:
        yield ValueSource(phase, "inputs", (name, *rest))
        return
    plain = parse_paths(spec.from_)
    # Only of an input that is the value itself, a part is that
    # part of the value; a computed one may have any parts.
    whole = spec.from_.replace(" ", "") == ".".join(plain[0]) if len(plain) == 1 else False
    for path in plain:
        yield from _trace_recalled(workflow, phase, (*path, *rest) if whole else path, seen)


def _trace_recalled(
    workflow: Workflow, phase: str, path: tuple[str, ...], seen: _Seen
) -> Iterator[ValueSource | RunFact]:
    """Trace a path of a `from`, or of the `when` of a phase: `inputs.X` is what any caller passed as X."""
    if path[0] != "inputs":
        yield from _trace_path(workflow, phase, path, seen)
        return
    for other in workflow.phases_by_input.get(path[1], ()) if len(path) > 1 else ():
        yield from _trace_input(workflow, other, path[1], path[2:], seen)


def collect_demands(definition: Definition, reading: OutputReading | None) -> dict[tuple[str, str], Schema]:
    """Collect the schemas that inputs of other phases, and the output, demand of results and answers."""
    found: dict[tuple[str, str], Schema] = {}
    phases = definition.workflow.phases
    for text, schema in _list_demands(definition, reading):
        match text.strip().split("."):
            case ["phases", name, ("result" | "answer") as kind, *path]:
                source = phases.get(name)
            case _:
                continue
        # The answer of a `for_each` is a list of answers, and values are made for each of them.
        if source is None or not schema or (source.for_each and kind == "answer"):
            continue
        demanded = inline_references(schema)
        for step in reversed(path):
            demanded = {"properties": {step: demanded}}
        found[name, kind] = merge_schemas(found.get((name, kind), {}), demanded)
    return found


def _list_demands(definition: Definition, reading: OutputReading | None) -> Iterator[tuple[str, Schema]]:
    """Yield each expression of an input or of the output, with the schemas of its value."""
    for phase in definition.workflow.phases.values():
        yield from ((spec.from_, spec.json_schema) for spec in phase.inputs.values() if spec.from_)
    for name, field_ in (definition.workflow.output or {}).items():
        yield field_.from_, field_.json_schema
        if reading is not None:
            yield field_.from_, find_schema(reading.schema, (name,))
