"""One recorded run, stepped through another edition of its workflow with what was recorded of host and tools."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aurora.faults import Fault
from aurora.interpreter.language.model import END
from aurora.interpreter.run import scope
from aurora.interpreter.run.call import Call
from aurora.interpreter.run.execute import Asked, arguments, ask
from aurora.interpreter.run.inputs import Refusal, skips_answer, take_answer, take_inputs
from aurora.interpreter.run.journal import Edge
from aurora.interpreter.run.rules import decide
from aurora.interpreter.run.tool_fingerprint import tooling
from aurora.interpreter.schema.validate import faults

from .divergence import deciding_values
from .outcome import Divergence, Note, Outcome, Parted, Way, recorded_way

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase
    from aurora.interpreter.run.journal import Run, Step


def backtest(run: Run, definition: Definition) -> Outcome:
    """Step the run through the definition until it parts from its recording.

    Args:
        run: as it was recorded, ended or not.
        definition: the edited workflow.
    """
    replay = _Replay(definition, run)
    divergence = None
    try:
        for step in run.steps:
            replay.take(step)
    except Parted as parted:
        divergence = parted.divergence
    return Outcome(run.run, len(replay.run.steps), len(run.steps), divergence, tuple(replay.notes))


class _Replay:
    """The run as the edited workflow would have it so far, and what was noticed on the way."""

    def __init__(self, definition: Definition, run: Run) -> None:
        self.definition = definition
        self.run = run.until(1)
        self.notes: list[Note] = []
        self._names = definition.workflow.names()
        first = run.steps[0].phase if run.steps else ""
        start = self._names[definition.workflow.start]
        if first and run.digest != definition.digest and self._names.get(first, first) != start:
            self.notes.append(Note("start", 1, first))

    def take(self, old: Step) -> None:
        """Take the step as it was recorded.

        Raises:
            Parted: when that is no longer possible, or leads elsewhere.
        """
        phase = self._names.get(old.phase)
        if phase is None:
            raise Parted(Divergence("gone", old.seq, old.phase))
        brought, inputs, recalled = self._taken(old, phase)
        spec = self.definition.workflow.phases[phase]
        broke = old.status == "error" and old.result is None and spec.uses is not None
        result = None if broke else self._result(old, phase, spec, inputs)
        seen = scope.decide(inputs, result, recalled)
        asked, edge = (None, self._failed(old, phase)) if broke else self._worked(old, phase, (inputs, recalled), seen)
        self._compare(old, phase, edge, seen)
        self._note_prompt(old, phase, asked)
        asks = None if asked is None else 0 if asked.single else len(asked.prompts)
        step = replace(old, phase=phase, inputs=inputs, brought=brought, result=result, asks=asks, edge=edge)
        self.run = self.run.with_step(step)

    def _taken(self, old: Step, phase: str) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]:
        """The answer to the step before, the inputs, and what they were recalled from."""
        before = self.run.last
        specs = self.definition.workflow.phases[phase].inputs
        given = {name: value for name, value in old.given.items() if name in specs}
        self.notes += [Note("dropped", old.seq, phase, name) for name in old.given if name not in given]
        owed = before is not None and before.awaits_answer
        if old.brought and not owed:
            self.notes.append(Note("unasked", old.seq - 1, before.phase if before else phase))
        call = Call(phase, answer=old.brought if owed else (), inputs=given)
        refusal = Refusal()
        brought: tuple[Any, ...] = ()
        if before is not None and (call.answer or not skips_answer(call, self.definition, phase, before)):
            brought = take_answer(call, self.definition, before, refusal)
        if refusal.faults and before is not None:
            loc = ("phases", before.phase, "answer")
            raise Parted(Divergence("answer", before.seq, before.phase, loc, faults=tuple(refusal.faults)))
        recalled = scope.recall(self.run, self.definition.workflow.phases, brought)
        inputs = take_inputs(call, self.definition, phase, recalled, refusal)
        if refusal.faults:
            where = ("phases", phase, "inputs", min(refusal.names))
            raise Parted(Divergence("inputs", old.seq, phase, where, faults=tuple(refusal.faults)))
        return brought, inputs, recalled

    def _result(self, old: Step, phase: str, spec: Phase, inputs: Mapping[str, Any]) -> Any:
        """The recorded result, held against the schema that it must fit now."""
        if spec.uses is None:
            if old.result is not None:
                self.notes.append(Note("tool", old.seq, phase))
            return None
        if old.result is None:
            missing = {"path": "$", "message": f'"{spec.uses}" was not run then, so there is no result of it'}
            raise Parted(Divergence("result", old.seq, phase, ("phases", phase, "uses"), faults=(missing,)))
        wrong = faults(old.result, self.definition.outputs.get(phase, {}))
        if wrong:
            raise Parted(Divergence("result", old.seq, phase, ("phases", phase, "output"), faults=tuple(wrong)))
        self._note_tool(old, phase, spec, inputs)
        return old.result

    def _note_tool(self, old: Step, phase: str, spec: Phase, inputs: Mapping[str, Any]) -> None:
        if not old.tool:
            if old.fingerprint != self.definition.fingerprint(phase):
                self.notes.append(Note("unknown", old.seq, phase))
        elif old.tool != tooling(spec):
            self.notes.append(Note("tool", old.seq, phase))
        elif _arguments(spec, phase, old.inputs) != _arguments(spec, phase, inputs):
            self.notes.append(Note("arguments", old.seq, phase))

    def _worked(
        self, old: Step, phase: str, taken: tuple[dict[str, Any], dict[str, Any]], seen: Mapping[str, Any]
    ) -> tuple[Asked | None, Edge]:
        """The prompts and the edge; a phase that failed over these before may fail over them again."""
        inputs, recalled = taken
        result = old.result if self.definition.workflow.phases[phase].uses is not None else None
        try:
            asked = ask(self.definition, phase, inputs, result, recalled)
            return asked, decide(self.definition.workflow, phase, seen, self.run).edge
        except Fault as fault:
            if old.status == "error":
                return None, self._failed(old, phase)
            target = self.definition.workflow.failing_leads_to(phase)
            told = {"path": "$", "message": fault.message}
            way = Way(target or "")
            parted = Divergence("fails", old.seq, phase, ("phases", phase), recorded_way(old), way, faults=(told,))
            raise Parted(parted) from None

    def _failed(self, old: Step, phase: str) -> Edge:
        """Where the failure that was recorded leads now."""
        target = self.definition.workflow.failing_leads_to(phase)
        if target is None:
            told = {"path": "$", "message": "its failure leads nowhere now: no `on_error` is said for it"}
            way = recorded_way(old)
            raise Parted(Divergence("fails", old.seq, phase, ("phases", phase), way, Way(""), faults=(told,)))
        return Edge(target, target, None)

    def _compare(self, old: Step, phase: str, edge: Edge, seen: Mapping[str, Any]) -> None:
        """Whether it goes where it went; another name of the same phase is no other way."""
        if old.edge is None:
            return
        before = old.edge.target and self._names.get(old.edge.target, old.edge.target)
        if (before, old.edge.early_exit) == (edge.target, edge.early_exit):
            return
        flow = self.definition.workflow
        rule = flow.phases[phase].next_action[edge.rule] if edge.rule is not None else None
        way = Way(edge.token or END, edge.rule, (rule.when or "") if rule else "", edge.spent, edge.early_exit)
        values = deciding_values(flow, phase, edge, before, seen) if rule else {}
        loc: tuple[str | int, ...] = ("phases", phase, "next_action", edge.rule) if edge.rule is not None else ()
        raise Parted(
            Divergence("next_action", old.seq, phase, loc or ("phases", phase), recorded_way(old), way, values)
        )

    def _note_prompt(self, old: Step, phase: str, asked: Asked | None) -> None:
        said = old.response.get("prompt_template")
        now: Sequence[str] = asked.prompts if asked else ()
        if said is not None and asked is not None and list(now) != (said if isinstance(said, list) else [said]):
            self.notes.append(Note("prompt", old.seq, phase))


def _arguments(spec: Phase, phase: str, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the tool is called with; None when that cannot be made of these inputs."""
    try:
        return arguments(spec, phase, inputs)
    except Fault:
        return None
