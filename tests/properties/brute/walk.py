"""Every run of a workflow of finite schemas: the real engine with every value, without any plan."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.interpreter.run.call import Call, PersonReply
from aurora.interpreter.run.engine import Engine
from aurora.interpreter.run.next_call import build_first_call

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.ports import ToolCall, ToolFacts
    from aurora.interpreter.run.step import Step

MOST_CALLS = 1_500
"""The most calls of one workflow; one with more is left out."""
MOST_STEPS = 300
"""The most steps of one run; a workflow with a longer run, such as one of rules in a circle, is left out, too."""
MOST_PATHS = 3_000
_NAMED_PHASE = re.compile(r'phase "(\w+)"')
TEXTS = ("", "x", "other")
FAILURE = Fault(Code.UPSTREAM_ERROR, "the tool fails")


class TooManyError(Exception):
    """The workflow has more runs than are walked."""


def list_values(schema: Mapping[str, Any]) -> list[Any]:
    """List every value of a finite schema, and one of each kind of text."""
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices is not None:
        return list(choices)
    if "anyOf" in schema:
        return [value for part in schema["anyOf"] for value in list_values(part)]
    kinds = schema.get("type", "string")
    return [value for kind in ([kinds] if isinstance(kinds, str) else kinds) for value in _list_typed(schema, kind)]


def _list_typed(schema: Mapping[str, Any], kind: str) -> list[Any]:
    match kind:
        case "object":
            return list(_list_objects(schema))
        case "array":
            lengths = range(schema.get("minItems", 0), schema["maxItems"] + 1)
            items = list_values(schema["items"])
            return [list(one) for length in lengths for one in product(items, repeat=length)]
        case "integer":
            return list(range(schema["minimum"], schema["maximum"] + 1))
        case _:
            return {"boolean": [True, False], "null": [None], "string": list(TEXTS)}[kind]


def _list_objects(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    absent = object()
    names = list(schema.get("properties", {}))
    required = schema.get("required", ())
    choices = [[*list_values(schema["properties"][name]), *(() if name in required else (absent,))] for name in names]
    for values in product(*choices):
        made = {name: value for name, value in zip(names, values, strict=True) if value is not absent}
        if len(made) >= schema.get("minProperties", 0):
            yield made


@dataclass(slots=True)
class _Tape:
    """Choices of one call; the next tape differs in the last choice that has another value."""

    taken: list[list[int]] = field(default_factory=list)
    at: int = 0

    def choose(self, options: Sequence[Any]) -> Any:
        if self.at == len(self.taken):
            self.taken.append([0, len(options)])
        self.at += 1
        return options[self.taken[self.at - 1][0]]

    def advance(self) -> bool:
        self.at = 0
        while self.taken and self.taken[-1][0] + 1 >= self.taken[-1][1]:
            self.taken.pop()
        if not self.taken:
            return False
        self.taken[-1][0] += 1
        return True


@dataclass(slots=True)
class _World:
    """Catalog, tools, journal and clock of the engine; the tape decides on results."""

    definitions: Mapping[str, Definition]
    tape: _Tape = field(default_factory=_Tape)
    runs: dict[str, Run] = field(default_factory=dict)

    def load(self, name: str) -> Any:
        return self.definitions[name] if name in self.definitions else self.runs.get(name)

    def begin(self, run: Run) -> None:
        self.runs[run.run] = run

    def append(self, run: Run, steps: Sequence[Step]) -> None:
        for step in steps:
            run = run.with_step(step)
        self.runs[run.run] = run

    def names(self, *, in_job: bool) -> Sequence[str]:
        del in_job
        return ()

    def facts(self, name: str) -> ToolFacts | None:
        del name
        return None

    def stamp_facts(self, name: str) -> str:
        del name
        return ""

    def call(self, call: ToolCall) -> dict[str, Any]:
        definition = self.definitions[call.workflow]
        results = list_values(definition.outputs[call.phase])
        fails = definition.workflow.find_error_target(call.phase) is not None
        found = self.tape.choose([*results, *([FAILURE] if fails else [])])
        if isinstance(found, Fault):
            raise found
        return dict(found)

    def now(self) -> float:
        return 0.0

    def elapsed(self) -> float:
        return 0.0

    def today(self) -> str:
        return "1970-01-01"


@dataclass(slots=True)
class State:
    """A state of a run.

    Attributes:
        run: the run; None before the first call.
        after: by call: the state after it, the edges of the outer phases that it took, and whether a tool failed.
        refusals: the errors of calls with values that all fit.
    """

    run: Run | None
    call: Mapping[str, Any] | None
    after: list[tuple[State, tuple[Any, ...], bool]] = field(default_factory=list)
    refusals: list[Mapping[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Walked:
    """Everything that happens in some run.

    Attributes:
        reached: the phases that ran or were skipped; `ran` without those that were only skipped.
        true, false: the rules (phase, index) that were evaluated so; a rule without a condition is true.
        won: the rules whose target was taken; `spent` those whose `else` was.
        failures: (phase, message) of each error that a workflow caused; `stops` those without a route.
        needed: the inputs (phase, name) with a `from` that the run did not know when the phase began.
        empty: the inputs (phase, name) that were null.
        longest: the calls of the longest run; None when there is an endless one.
        paths: the edges of each run without a failure of a tool; None when there are too many.
    """

    calls: int = 0
    reached: set[str] = field(default_factory=set)
    ran: set[str] = field(default_factory=set)
    true: set[tuple[str, int]] = field(default_factory=set)
    false: set[tuple[str, int]] = field(default_factory=set)
    won: set[tuple[str, int]] = field(default_factory=set)
    spent: set[tuple[str, int]] = field(default_factory=set)
    failures: set[tuple[str, str]] = field(default_factory=set)
    stops: set[tuple[str, str]] = field(default_factory=set)
    needed: set[tuple[str, str]] = field(default_factory=set)
    empty: set[tuple[str, str]] = field(default_factory=set)
    longest: int | None = 0
    paths: set[tuple[Any, ...]] | None = field(default_factory=set)


class Walker:
    """The walker of one workflow.

    Args:
        definition: the workflow.
        others: the workflows that its phases run.
        text: its files, to see what expressions can tell apart.
    """

    def __init__(self, definition: Definition, others: Mapping[str, Definition], text: str) -> None:
        self._definition = definition
        name = definition.workflow.name
        self._world = _World({**others, name: definition})
        self._engine = Engine(self._world, self._world, self._world, self._world, default=name)
        self._phases = definition.workflow.phases
        self._is_merged = not any(phase.workflow for phase in self._phases.values())
        self._has_history = any(word in text for word in (".visits", ".answers", ".results", "run.step"))
        self._known: dict[str, State] = {}
        self.found = Walked()

    def walk(self) -> Walked:
        """Walk all runs.

        Raises:
            TooManyError: there are too many.
        """
        first = State(None, build_first_call(self._definition).to_json())
        todo = [first]
        while todo:
            state = todo.pop()
            for child, is_new in self._take_every_step(state):
                if is_new and child.call is not None:
                    todo.append(child)
        self.found.longest = _measure_longest(first)
        if self.found.longest is None:
            self.found.paths = None
        else:
            self.found.paths = _list_paths(first)
        return self.found

    def _take_every_step(self, state: State) -> Iterator[tuple[State, bool]]:
        tape = _Tape()
        is_first = True
        while is_first or tape.advance():
            is_first = False
            if self.found.calls >= MOST_CALLS:
                raise TooManyError
            self.found.calls += 1
            taken = self._take_step(state, tape)
            if taken is not None:
                yield taken

    def _take_step(self, state: State, tape: _Tape) -> tuple[State, bool] | None:
        call, optional = self._choose_call(state, tape)
        world = self._world
        world.tape = tape
        run = state.run
        world.runs = {run.run: run} if run else {}
        response = self._engine.step(call)
        after = next(iter(world.runs.values()), None)
        if after is None or after is run or (run and len(after.steps) == len(run.steps)):
            self._record_refusal(state, call, response, optional=optional)
            return None
        if len(after.steps) > MOST_STEPS:
            raise TooManyError
        new = after.steps[len(run.steps) if run else 0 :]
        for step in new:
            self._record_step(step)
        failed = any(step.status == "error" for step in new)
        child = State(after, response.get("next_call"))
        edges = tuple(
            (step.phase, step.edge.rule, "skipped" if step.status == "skipped" else step.edge.spent)
            for step in new
            if step.edge and step.decides and "/" not in step.phase
        )
        key = self._build_key(child)
        known = self._known.setdefault(key, child) if key else child
        state.after.append((known, edges, failed))
        return known, known is child

    def _choose_call(self, state: State, tape: _Tape) -> tuple[Call, bool]:
        """Choose the answer and the inputs of the next call; true with an input that is not needed."""
        assert state.call is not None
        arguments, needs = state.call["arguments"], state.call["needs"]
        run = state.run
        waiting = run is not None and run.last_step is not None and run.last_step.status == "waiting"
        person = PersonReply(accepts=True, how="terminal") if waiting else None
        answer: tuple[Any, ...] = ()
        if waiting and run is not None and run.last_step is not None:
            declines = tape.choose([False, True])
            person = PersonReply(accepts=not declines, how="terminal")
            if not declines:
                answer = (tape.choose(list_values(self._definition.answers[run.last_step.phase])),)
        elif "answer" in needs:
            answer = (tape.choose(list_values(needs["answer"])),)
        phase = self._phases.get(self._definition.workflow.map_phase_names().get(arguments["phase"], ""))
        inputs = {
            name: tape.choose(
                [one for one in list_values(schema or self._find_source_schema(phase, name)) if one is not None]
            )
            for name, schema in needs.items()
            if name != "answer"
        }
        absent = object()
        optional = False
        offered = [phase] if phase else [one for one in self._phases.values() if run is not None]
        for name, spec in {name: spec for one in offered for name, spec in one.inputs.items()}.items():
            if name in needs or spec.from_ is not None:
                continue
            value = tape.choose([absent, *list_values(spec.json_schema)])
            if value is not absent:
                inputs[name], optional = value, True
        if run is not None and phase is not None:
            self.found.needed |= {(arguments["phase"], name) for name in inputs if phase.inputs[name].from_}
        step = len(run.steps) + 1 if run else None
        number = run.run if run else None
        return Call(arguments["phase"], run=number, step=step, answer=answer, inputs=inputs, person=person), optional

    def _find_source_schema(self, phase: Phase | None, name: str) -> Mapping[str, Any]:
        """Find the schema of what an input is read from: a host that brings it brings such a value."""
        path = str(phase.inputs[name].from_).split(".") if phase else []
        match path:
            case ["phases", source, "answer" | "result" as kind, *fields]:
                known = self._definition.answers if kind == "answer" else self._definition.outputs
                schema = known.get(source, {})
                for one in fields:
                    schema = schema.get("properties", {}).get(one, {})
                return schema
            case ["phases", _, "status"]:
                return {"enum": ["complete", "skipped", "error"]}
        return {}

    def _record_refusal(self, state: State, call: Call, response: Mapping[str, Any], *, optional: bool) -> None:
        error = response.get("error") or {}
        if optional and error.get("code") == "INVALID_INPUT":
            return
        if call.person is not None and not call.person.accepts:
            return  # without a target for it, the person is asked again
        state.refusals.append(error)
        self.found.stops.add(self._record_failure(error, str(response.get("phase") or call.phase)))

    def _record_failure(self, error: Mapping[str, Any], phase: str) -> tuple[str, str]:
        message = str(error.get("message"))
        named = _NAMED_PHASE.search(message)
        failure = (named[1] if named else phase, f"{error.get('code')}: {message}")
        self.found.failures.add(failure)
        return failure

    def _record_step(self, step: Step) -> None:
        if "/" in step.phase or step.phase not in self._phases:
            return
        found = self.found
        if step.kind == "phase":
            found.reached.add(step.phase)
            if step.status != "skipped":
                found.ran.add(step.phase)
                found.empty |= {(step.phase, name) for name, value in step.inputs.items() if value is None}
        if step.error and step.error.get("code") == "WORKFLOW_ERROR":
            self._record_failure(step.error, step.phase)
        for entry in step.decision:
            if not isinstance(entry.get("rule"), int):
                continue
            rule = (step.phase, entry["rule"] - 1)
            (found.true if entry["fired"] else found.false).add(rule)
            if entry["fired"]:
                (found.spent if "spent" in entry else found.won).add(rule)
        if step.status == "skipped" and step.edge and step.edge.rule is not None:
            rule = (step.phase, step.edge.rule)
            found.true.add(rule)
            (found.spent if step.edge.spent else found.won).add(rule)

    def _build_key(self, state: State) -> str:
        """Build the key of all that decides how a run goes on; empty when each state is its own."""
        run = state.run
        if not self._is_merged or run is None or run.last_step is None or state.call is None:
            return ""
        last = run.last_step
        history = run.collect_history()
        left_out = () if self._has_history else ("visits", "answers", "results")
        phases = {
            name: {key: value for key, value in visit.items() if key not in left_out and key != "error"}
            for name, visit in history.phases.items()
        }
        taken: dict[str, int] = {}
        for step in run.steps:
            if step.edge and not step.edge.spent and step.edge.rule is not None:
                taken[f"{step.phase} {step.edge.rule}"] = taken.get(f"{step.phase} {step.edge.rule}", 0) + 1
        bounded = {
            one: count
            for one, count in taken.items()
            if self._phases[one.split(" ")[0]].next_action[int(one.split(" ")[1])].max is not None
        }
        call = {name: value for name, value in state.call["arguments"].items() if name not in ("run", "step")}
        own = [last.phase, last.asks, last.index, last.items, last.branches, last.holds, last.status]
        own += [last.kind, last.edge]
        asking = run.find_asking_step() if last.holds else None
        parts = [asking.edge if asking else None, call, state.call["needs"], phases, history.inputs, bounded, own]
        return json.dumps(parts, sort_keys=True, default=str)


def _measure_longest(first: State) -> int | None:
    """Measure the calls of the longest run; None when a state comes again."""
    done: dict[int, int] = {}
    doing: set[int] = set()
    todo = [first]
    while todo:
        state = todo[-1]
        if id(state) in done:
            todo.pop()
            continue
        children = [child for child, _, _ in state.after]
        missing = [child for child in children if id(child) not in done]
        if not missing:
            done[id(state)] = max((1 + done[id(child)] for child in children), default=0)
            doing.discard(id(state))
            todo.pop()
            continue
        if id(state) in doing or any(id(child) in doing for child in missing):
            return None
        doing.add(id(state))
        todo.extend({id(child): child for child in missing}.values())
    return done[id(first)]


def _list_paths(first: State) -> set[tuple[Any, ...]] | None:
    """List the edges of each run that ends without a failure of a tool; None when there are too many."""
    done: dict[int, set[tuple[Any, ...]]] = {}

    def list_from(state: State) -> set[tuple[Any, ...]]:
        if id(state) in done:
            return done[id(state)]
        if state.call is None:
            found: set[tuple[Any, ...]] = {()}
        else:
            found = set()
            for child, edges, failed in state.after:
                if not failed:
                    found |= {edges + rest for rest in list_from(child)}
                if len(found) > MOST_PATHS:
                    raise TooManyError
        done[id(state)] = found
        return found

    try:
        return list_from(first)
    except TooManyError:
        return None
