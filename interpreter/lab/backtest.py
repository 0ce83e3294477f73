"""Backtest of a recorded run in an edited workflow, up to the first divergence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from aurora.errors import Fault
from aurora.interpreter.checks.expressions.sites import find_root_paths
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.language.model import END
from aurora.interpreter.run.execute import build_arguments
from aurora.interpreter.run.inputs import InputFaults, resolve_answer, resolve_inputs
from aurora.interpreter.run.rules import (
    build_decision_scope,
    build_prompt_scope,
    build_recall_scope,
    decide_next,
    decide_skipped,
    decides_by_answer,
    fingerprint_tool,
    is_skipped,
)
from aurora.interpreter.run.step import Edge
from aurora.interpreter.run.work import PhaseWorker
from aurora.interpreter.schema.validate import find_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Rule, Workflow
    from aurora.interpreter.run.execute import RenderedPrompts
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.step import Step
    from aurora.interpreter.run.work import PhaseWork


def backtest_run(run: Run, definition: Definition) -> BacktestResult:
    """Replay a run through the definition until it differs from its recording.

    Args:
        run: the recorded run, ended or not.
        definition: the edited workflow.
    """
    replay = _Replay(definition, run)
    divergence = None
    try:
        for step in run.steps:
            replay.replay_step(step)
    except DivergedError as parted:
        divergence = parted.divergence
    return BacktestResult(run.run, len(replay.run.steps), len(run.steps), divergence, tuple(replay.notes))


class _Replay:
    """The run as the edited workflow has it so far, and the notes on the way."""

    def __init__(self, definition: Definition, run: Run) -> None:
        self.definition = definition
        self.run = run.rewind_before(1)
        self.notes: list[Note] = []
        self._phase_by_name = definition.workflow.map_phase_names()
        first = run.steps[0].phase if run.steps else ""
        start = self._phase_by_name[definition.workflow.start]
        # With the same file, the caller chose to begin there, which is no difference.
        if first and run.digest != definition.digest and self._phase_by_name.get(first, first) != start:
            self.notes.append(Note("start", 1, first))

    def replay_step(self, old: Step) -> None:
        """Replay one recorded step.

        Raises:
            DivergedError: the step is no longer possible, or takes another edge.
        """
        if old.is_within:
            self.run = self.run.with_step(old)  # of a workflow within this one, which has a file of its own
            return
        phase = self._phase_by_name.get(old.phase)
        if phase is None:
            raise DivergedError(Divergence("gone", old.seq, old.phase))
        if old.kind == "answer":
            self._replay_answer(old, phase)
        elif old.status == "skipped":
            self._replay_skip(old, phase)
        else:
            self._replay_phase(old, phase)

    def _replay_answer(self, old: Step, phase: str) -> None:
        """Replay an answer that had a call of its own, and what it decides."""
        asking = self.run.find_asking_step()
        refusal = InputFaults()
        brought: tuple[Any, ...] = ()
        if old.status == "complete" or old.brought:
            brought = resolve_answer(old.brought, self.definition, self.run.last_step, refusal)
        if refusal.faults:
            where = ("phases", phase, "answer")
            raise DivergedError(Divergence("answer", old.seq, phase, where, faults=tuple(refusal.faults)))
        if asking is not None and old.decision and old.edge is not None and old.edge.rule is not None:
            recalled = build_recall_scope(self.run, self.definition, brought)
            own = recalled["phases"][phase]
            answered = {name: own[name] for name in ("answer", "answers")}
            seen = build_decision_scope(asking.inputs, asking.result, recalled, answered)
            self._compare_edges(old, phase, self._decide(old, phase, seen), seen)
        self.run = self.run.with_step(replace(old, phase=phase, brought=brought))

    def _replay_skip(self, old: Step, phase: str) -> None:
        """Replay a phase that was skipped."""
        spec = self.definition.workflow.phases[phase]
        recalled = build_recall_scope(self.run, self.definition, old.brought)
        if not is_skipped(spec, phase, recalled):
            failure = {"path": "$.when", "message": "the phase was skipped, and its condition is true now"}
            where = ("phases", phase, "when")
            raise DivergedError(Divergence("fails", old.seq, phase, where, read_recorded_edge(old), faults=(failure,)))
        edge = decide_skipped(self.definition.workflow, phase, self.run).edge
        self._compare_edges(old, phase, edge, recalled)
        self.run = self.run.with_step(replace(old, phase=phase, edge=edge))

    def _replay_phase(self, old: Step, phase: str) -> None:
        brought, recalled = self._resolve_answer(old, phase)
        inputs = self._resolve_inputs(old, phase, recalled)
        spec = self.definition.workflow.phases[phase]
        failed = old.status == "error" and (
            inputs is None or _is_undecidable(spec, phase, recalled) or (old.result is None and spec.has_result)
        )
        inputs = dict(old.inputs) if inputs is None else inputs
        result = None if failed else self._check_result(old, phase, spec, inputs)
        seen = build_decision_scope(inputs, result, recalled)
        work, edge = (
            (None, self._route_failure(old, phase))
            if failed
            else self._decide_edge(old, phase, (inputs, recalled), seen)
        )
        if edge is not None:
            self._compare_edges(old, phase, edge, seen)
        self._note_prompt(old, phase, work.prompts if work else None)
        asks = work.asks if work else None
        step = replace(old, phase=phase, inputs=inputs, brought=brought, result=result, asks=asks, edge=edge)
        self.run = self.run.with_step(step)

    def _resolve_answer(self, old: Step, phase: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Resolve the previous answer, and the scope that the inputs are recalled from."""
        before = self.run.last_step
        given = self._select_given(old, phase)
        owed = before is not None and before.awaits_answer and not before.is_within
        # A part of a recorded call that the workflow no longer asks for
        # changes no decision by itself, so it is a note and no divergence.
        if old.brought and not owed:
            self.notes.append(Note("unasked", old.seq - 1, before.phase if before else phase))
        refusal = InputFaults()
        brought: tuple[Any, ...] = ()
        if before is not None and owed and (old.brought or not given):
            brought = resolve_answer(old.brought, self.definition, before, refusal)
        if refusal.faults and before is not None:
            loc = ("phases", before.phase, "answer")
            raise DivergedError(Divergence("answer", before.seq, before.phase, loc, faults=tuple(refusal.faults)))
        return brought, build_recall_scope(self.run, self.definition, brought)

    def _select_given(self, old: Step, phase: str) -> dict[str, Any]:
        """Select the inputs of the caller that the phase still takes."""
        specs = self.definition.workflow.phases[phase].inputs
        return {name: value for name, value in old.given.items() if name in specs}

    def _resolve_inputs(self, old: Step, phase: str, recalled: Mapping[str, Any]) -> dict[str, Any] | None:
        """Resolve the inputs; None for a recorded failure that happens again."""
        given, refusal = self._select_given(old, phase), InputFaults()
        # The recorded caller would be refused for these today; the run is
        # tried without them, because its other values may go the same way.
        self.notes += [Note("dropped", old.seq, phase, name) for name in old.given if name not in given]
        inputs = resolve_inputs(given, self.definition, phase, _allow_changes(recalled), refusal).values
        if old.status == "error" and refusal.faults and refusal.names.isdisjoint(given):
            return None
        if refusal.faults:
            where = ("phases", phase, "inputs", min(refusal.names))
            raise DivergedError(Divergence("inputs", old.seq, phase, where, faults=tuple(refusal.faults)))
        return inputs

    def _check_result(self, old: Step, phase: str, spec: Phase, inputs: Mapping[str, Any]) -> Any:
        """Check the recorded result against its present schema."""
        if not spec.has_result:
            if old.result is not None:
                self.notes.append(Note("tool", old.seq, phase))
            return None
        if old.result is None:
            missing = {"path": "$", "message": f'"{spec.uses}" did not run in the recording, so it has no result'}
            raise DivergedError(Divergence("result", old.seq, phase, ("phases", phase, "uses"), faults=(missing,)))
        wrong = find_faults(old.result, self.definition.outputs.get(phase, {}))
        if wrong:
            raise DivergedError(Divergence("result", old.seq, phase, ("phases", phase, "output"), faults=tuple(wrong)))
        self._note_tool(old, phase, spec, inputs)
        return old.result

    def _note_tool(self, old: Step, phase: str, spec: Phase, inputs: Mapping[str, Any]) -> None:
        if not old.tool:
            if not self.definition.has_fingerprint(phase, old.fingerprint):
                self.notes.append(Note("unknown", old.seq, phase))
        elif old.tool != fingerprint_tool(spec):
            self.notes.append(Note("tool", old.seq, phase))
        elif _build_arguments(spec, phase, old.inputs) != _build_arguments(spec, phase, inputs):
            self.notes.append(Note("arguments", old.seq, phase))

    def _decide_edge(
        self, old: Step, phase: str, taken: tuple[dict[str, Any], dict[str, Any]], seen: Mapping[str, Any]
    ) -> tuple[PhaseWork | None, Edge | None]:
        """Render the prompts and decide the edge, unless the answer does; a recorded failure may happen again."""
        inputs, recalled = taken
        spec = self.definition.workflow.phases[phase]
        result = old.result if spec.has_result else None
        try:
            view = build_prompt_scope(inputs, result, recalled)
            work = PhaseWorker(self.definition, phase, view).ask(seen)
            seen = {**seen, "answer": work.settled[0], "answers": work.settled[0]} if work.settled else seen
            if old.asks is not None and decides_by_answer(spec):
                return work, None
            return work, decide_next(self.definition.workflow, phase, seen, self.run).edge
        except Fault as fault:
            if old.status == "error":
                return None, self._route_failure(old, phase)
            raise self._make_failure(old, phase, fault) from None

    def _decide(self, old: Step, phase: str, seen: Mapping[str, Any]) -> Edge:
        try:
            return decide_next(self.definition.workflow, phase, seen, self.run).edge
        except Fault as fault:
            raise self._make_failure(old, phase, fault) from None

    def _make_failure(self, old: Step, phase: str, fault: Fault) -> DivergedError:
        target = self.definition.workflow.find_error_target(phase)
        failure = {"path": "$", "message": fault.message}
        where = ("phases", phase)
        edges = (read_recorded_edge(old), TakenEdge(target or ""))
        return DivergedError(Divergence("fails", old.seq, phase, where, *edges, faults=(failure,)))

    def _route_failure(self, old: Step, phase: str) -> Edge:
        """Return the edge that the recorded failure takes now."""
        target = self.definition.workflow.find_error_target(phase)
        if target is None:
            failure = {"path": "$", "message": "its failure has no target now: no `on_error` applies to it"}
            taken_edge = read_recorded_edge(old)
            raise DivergedError(
                Divergence("fails", old.seq, phase, ("phases", phase), taken_edge, TakenEdge(""), faults=(failure,))
            )
        return Edge(target, target, None)

    def _compare_edges(self, old: Step, phase: str, edge: Edge, seen: Mapping[str, Any]) -> None:
        """Compare the recorded edge with the new one; an alias of a phase is no difference."""
        if old.edge is None:
            return
        before = old.edge.target and self._phase_by_name.get(old.edge.target, old.edge.target)
        # Which rule led there does not matter: rules may have been split, joined or moved.
        if (before, old.edge.early_exit) == (edge.target, edge.early_exit):
            return
        flow = self.definition.workflow
        rule = flow.phases[phase].next_action[edge.rule] if edge.rule is not None else None
        taken_edge = TakenEdge(
            edge.token or END, edge.rule, (rule.when or "") if rule else "", edge.spent, edge.early_exit
        )
        values = collect_deciding_values(flow, phase, edge, before, seen) if rule else {}
        loc: tuple[str | int, ...] = ("phases", phase, "next_action", edge.rule) if edge.rule is not None else ()
        raise DivergedError(
            Divergence(
                "next_action", old.seq, phase, loc or ("phases", phase), read_recorded_edge(old), taken_edge, values
            )
        )

    def _note_prompt(self, old: Step, phase: str, request: RenderedPrompts | None) -> None:
        recorded = old.response.get("prompt_template")
        now: Sequence[str] = request.prompts if request else ()
        if (
            recorded is not None
            and request is not None
            and list(now) != (recorded if isinstance(recorded, list) else [recorded])
        ):
            self.notes.append(Note("prompt", old.seq, phase))


def _is_undecidable(spec: Phase, phase: str, recalled: Mapping[str, Any]) -> bool:
    """Return True if the condition that skips the phase fails."""
    try:
        is_skipped(spec, phase, recalled)
    except Fault:
        return True
    return False


def _allow_changes(recalled: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scope as without a run, whose values a caller could change in earlier versions."""
    return {**recalled, "run": {**recalled["run"], "id": ""}}


def _build_arguments(spec: Phase, phase: str, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Build the tool's arguments; None when these inputs do not allow it."""
    try:
        return build_arguments(spec, phase, inputs)
    except Fault:
        return None


_MAX_VALUES = 8


def collect_deciding_values(
    workflow: Workflow, phase: str, edge: Edge, before: str | None, scope: Mapping[str, Any]
) -> dict[str, Any]:
    """Collect by path the values in the conditions that decided; at most eight.

    Args:
        workflow: the edited workflow.
        phase: the phase that decided.
        edge: the edge that it took.
        before: the phase that follows in the recording; None at its end.
        scope: the scope of the conditions.
    """
    rules = workflow.phases[phase].next_action
    wheres = _select_conditions(workflow, rules, edge.rule, before)
    found: dict[str, Any] = {}
    for text in wheres:
        for path in _parse_paths(text):
            found.setdefault(".".join(path), _look_up_value(path, scope))
    return dict(list(found.items())[:_MAX_VALUES])


def _select_conditions(workflow: Workflow, rules: Sequence[Rule], fired: int | None, before: str | None) -> list[str]:
    """Select the conditions that decided.

    They are that of the rule that fired, and those before it that would have led on as recorded; else all before it.
    """
    names = workflow.map_phase_names()
    reached = rules if fired is None else rules[: fired + 1]
    close = [
        rule.when
        for index, rule in enumerate(reached)
        if rule.when is not None and (index == fired or names.get(rule.then) == before)
    ]
    return close or [rule.when for rule in reached if rule.when is not None]


def _parse_paths(text: str) -> Iterator[tuple[str, ...]]:
    try:
        yield from find_root_paths(compile_expression(text).parsed)
    except ExpressionError:
        return


def _look_up_value(path: Sequence[str], scope: Mapping[str, Any]) -> Any:
    value: Any = scope
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


DivergenceKind = Literal["gone", "answer", "inputs", "result", "fails", "next_action"]
"""The kind of a divergence.

`gone`: the phase no longer exists; `answer`, `inputs`, `result`: a recorded value no longer fits its schema;
`fails`: the prompt, the rules or the error route fail now; `next_action`: the step takes another edge.
"""


NoteKind = Literal["start", "tool", "unknown", "arguments", "prompt", "unasked", "dropped"]
"""The kind of a change that keeps the edge.

`start`: the run began at another phase than the workflow does now; `tool`: another tool, or other settings, made
the result; `unknown`: that may be so, but the recording lacks the data; `arguments`: the tool got other values;
`prompt`: the answer was given to another prompt; `unasked`: the answer is no longer requested; `dropped`: the
caller passed an input that the phase no longer takes.
"""


@dataclass(frozen=True, slots=True)
class TakenEdge:
    """An edge as the run took it.

    Attributes:
        token: a phase, an alias or `end`; empty when there is no target.
        rule: its index in the phase, from 0; None when `on_error` led there.
        when: the rule's condition; empty when it has none.
        spent: its bound was used up, and its `else` was taken.
        early_exit: the response says that the remaining phases are not needed.
    """

    token: str
    rule: int | None = None
    when: str = ""
    spent: bool = False
    early_exit: bool = False


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first point at which a run differs from its recording.

    Attributes:
        kind: the kind of the divergence.
        step: the number of the step, from 1.
        phase: the phase's id in the edited workflow; in the recording where it is gone.
        loc: the path in the edited document to what decides.
        old, new: the two edges, where they differ.
        values: by path, the values of the parts of the conditions that decided.
        faults: the values that do not fit, as `{path, message}`.
    """

    kind: DivergenceKind
    step: int
    phase: str
    loc: tuple[str | int, ...] = ()
    old: TakenEdge | None = None
    new: TakenEdge | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A change at a step that keeps its edge; `name` is that of an input, if any."""

    kind: NoteKind
    step: int
    phase: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """The backtest of one run: matching steps, the divergence, and notes."""

    run: str
    matching_steps: int
    steps: int
    divergence: Divergence | None
    notes: tuple[Note, ...]


class DivergedError(Exception):
    """The end of a replay; carries the divergence."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.kind)
        self.divergence = divergence


def read_recorded_edge(step: Step) -> TakenEdge:
    """Read the edge that a recorded step took from its decision."""
    edge = step.edge
    if edge is None:
        return TakenEdge("")
    # The trace of a decision ends with the rule that fired.
    fired = step.decision[-1] if step.decision and edge.rule is not None else {}
    return TakenEdge(edge.token, edge.rule, str(fired.get("when", "")), edge.spent, edge.early_exit)
