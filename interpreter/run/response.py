"""Responses to a call: one envelope for success and failure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Fault
from aurora.interpreter.language.model import CONTINUE, END

from .frames import find_frame
from .inputs import build_answer_schema
from .journal import ROUNDS
from .next_call import (
    MAX_RESPONSE_CHARACTERS,
    QUERY_TOOL,
    NextCall,
    build_address,
    build_first_call,
    build_next_call,
    to_compact_json,
)
from .step import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase

    from .call import Call, CallState
    from .execute import RenderedPrompts
    from .frames import Frame, LoadDefinition
    from .journal import Run
    from .step import Edge, Step
    from .walk import Walk

MAX_PASSED = 40
"""Steps of a call that its response lists; of more, those in the middle are left out."""
MAX_RULE_TEXT = 200
"""Characters of a rule's text in the decision trace of a response."""


@dataclass(frozen=True, slots=True)
class ResponseBuilder:
    """Builder of the response to a call.

    Attributes:
        definition: the workflow of the run.
        run: the run, with the steps of the call.
        frame: the workflow of its last step.
    """

    definition: Definition
    run: Run
    frame: Frame

    def build(self, walk: Walk) -> dict[str, Any]:
        """Build the response: the step that the call was for, and what comes next."""
        step, last = walk.shown, self.run.last_step
        if step is None or last is None:
            raise ValueError("a call that succeeds has made a step")
        following = build_next_call(self.run, self.frame)
        response: dict[str, Any] = {
            "phase": step.phase,
            "progress": self._format_progress(walk, step),
            "status": step.status,
            "result": self._select_result(walk.call, step),
            **self._build_prompts(walk),
        }
        edge, taken = last.edge, _list_taken(walk)
        response["next_action"] = str(following.arguments["phase"]) if following else edge.token if edge else END
        if any(one.early_exit for one in taken):
            response["early_exit"] = True
        response["guidance"] = _build_guidance(last, following, walk)
        response["next_call"] = following.to_json() if following else None
        response["run"] = self.run.run or None
        if following is None and last.output is not None and not last.is_within:
            response["output"] = dict(last.output)
        if walk.fault is not None:
            response["error"] = walk.fault.to_json()
        response["metadata"] = self._build_metadata(walk, step, last)
        # Last, when it is known how much room the rest of the response leaves.
        response["guidance"] = " ".join([response["guidance"], *_select_said(taken, response)])
        return response

    def _format_progress(self, walk: Walk, step: Step) -> str:
        place = self.definition.format_progress(step.phase)
        return place + walk.prompts.format_part() if walk.prompts else place

    def _find_phase(self, step: Step) -> Phase | None:
        return self.frame.definition.workflow.phases.get(step.phase.rpartition(SEPARATOR)[2])

    def _select_result(self, call: Call, step: Step) -> Mapping[str, Any] | None:
        """Select the fields of the result that the phase returns."""
        spec = self._find_phase(step)
        result: Mapping[str, Any] | None = step.result
        if result is None or spec is None or spec.returns is None or call.is_detailed:
            return result
        return {name: result[name] for name in spec.returns if name in result}

    def _build_prompts(self, walk: Walk) -> dict[str, Any]:
        prompts, phase = walk.prompts, walk.shown.phase.rpartition(SEPARATOR)[2] if walk.shown else ""
        spec = self.frame.definition.workflow.phases.get(phase)
        built: dict[str, Any] = {}
        if prompts is not None and prompts.branches:
            built["prompt_template"] = dict(zip(prompts.branches, prompts.prompts, strict=True))
        elif prompts is not None:
            built["prompt_template"] = prompts.prompts[0] if prompts.single else list(prompts.prompts)
        if walk.message:
            schema = self.frame.definition.answers.get(phase, {})
            built["person"] = {"message": walk.message, "form": dict(schema)}
        if spec is not None and spec.hints is not None and built:
            built["hints"] = spec.hints.model_dump(mode="json", exclude_none=True)
        if spec is not None and spec.allows is not None and built:
            built["allows"] = spec.list_allowed()
        return built

    def _build_metadata(self, walk: Walk, step: Step, last: Step) -> dict[str, Any]:
        decided = next((one for one in reversed(walk.steps) if one.decision), step)
        metadata: dict[str, Any] = {"duration_ms": 0}
        if last.seq <= len(walk.steps) or walk.message or walk.call.is_detailed:  # later, the host knows it
            metadata["workflow"] = self.definition.label
        metadata["step"] = last.seq
        if walk.call.is_detailed:
            metadata["request_id"] = walk.call.request_id
            metadata["decision"] = [self._describe_decision(entry, decided.phase) for entry in decided.decision]
        if len(walk.steps) > 1:
            metadata["passed"] = _describe_all_passed(walk.steps)
        if self.run.forked_from:
            metadata["forked_from"] = self.run.forked_from
        return {**metadata, **_build_warning(self.definition)}

    def _describe_decision(self, entry: Mapping[str, Any], phase: str) -> dict[str, Any]:
        """Add the line of its rule in the file to an entry of the trace."""
        described = dict(entry)
        if isinstance(when := entry.get("when"), str):
            described["when"] = when[:MAX_RULE_TEXT]
        name = phase.rpartition(SEPARATOR)[2]
        if isinstance(number := entry.get("rule"), int) and name in self.frame.definition.workflow.phases:
            described["line"] = self.frame.definition.document.find_rule_line(name, number - 1)
        return described


def _describe_all_passed(steps: Sequence[Step]) -> list[str]:
    """Describe the steps of a call, without those in the middle of very many."""
    half, left = MAX_PASSED // 2, len(steps) - MAX_PASSED
    if left <= 0:
        return [_describe_passed(step) for step in steps]
    first, last = steps[:half], steps[-half:]
    return [*map(_describe_passed, first), f"{left} more steps", *map(_describe_passed, last)]


def _describe_passed(step: Step) -> str:
    """Describe a step of a call in a few words: `review: skipped`."""
    words = {"answer": "answered", "enter": "begun"}.get(step.kind, step.status)
    return f"{step.phase}: {words}"


def build_refusal(state: CallState, fault: Fault, load: LoadDefinition) -> dict[str, Any]:
    """Build the response to a refused call, with a `next_call` that retries it.

    Args:
        state: what is known of the call.
        fault: why it is refused.
        load: returns a workflow by its name.
    """
    call, definition, run, phase = state.call, state.definition, state.run, state.phase
    named = (call.run or "")[:80]
    following = _build_retry(state, fault, load)
    return {
        "phase": phase or call.phase[:80],
        "progress": _format_progress(state),
        "status": "error",
        "result": None,
        "next_action": following.arguments["phase"] if following else END,
        "guidance": _build_refusal_guidance(fault, following),
        "next_call": following.to_json() if following else None,
        "run": run.run if run is not None else None if named.startswith(ROUNDS) else named or None,
        "error": fault.to_json(),
        "metadata": {
            "duration_ms": 0,
            "request_id": call.request_id,
            "workflow": definition.label if definition else (call.workflow or ""),
            **(_build_warning(definition) if definition else {}),
        },
    }


def _format_progress(state: CallState) -> str:
    """Return the place of the run, or that of the phase that would begin one."""
    definition, last = state.definition, state.run.last_step if state.run is not None else None
    if definition is None:
        return ""
    place = definition.format_progress(last.phase if last is not None else state.phase or "")
    return place or f"0/{len(definition.workflow.phases)}"


def _build_warning(definition: Definition) -> dict[str, str]:
    if not definition.fallback_reason:
        return {}
    return {"warning": f"the workflow's file has errors; its last valid version runs: {definition.fallback_reason}"}


def _list_taken(walk: Walk) -> list[Edge]:
    """List the transitions that a call has made, in their order.

    A phase that asks is left with the answer, also where its rules do not read it; without a run no later call would
    know what they said.
    """
    first = walk.steps[0]
    before = walk.run.steps[first.seq - 2] if first.seq > 1 else None
    steps = [step for step in walk.steps if not (step.awaits_answer and walk.is_kept)]
    if before is not None and before.awaits_answer and not before.holds and first.kind != "answer":
        steps = [before, *steps]
    return [step.edge for step in steps if step.edge is not None]


def _select_said(taken: Sequence[Edge], response: Mapping[str, Any]) -> list[str]:
    """List what the rules say, each sentence once; of more than a response has room for, the last ones."""
    said = list(dict.fromkeys(edge.say for edge in taken if edge.say))
    room = MAX_RESPONSE_CHARACTERS - len(to_compact_json({**response, "result": None})) if len(said) > 1 else 0
    while len(said) > 1 and len(to_compact_json(said)) > room:
        del said[0]
    return said


def _build_guidance(last: Step, following: NextCall | None, walk: Walk) -> str:
    if following is None:
        return "The run has ended."
    prompts = walk.prompts if last.awaits_answer else None
    if walk.message:
        return (
            f"Only the person can answer this, not you. Show them the message; they answer in their host, or run "
            f"`aur runs approve {walk.run.run}`. Then call {_describe_call(following, None)}."
        )
    parts = [*_describe_fork(walk), f"{_describe_prompts(prompts)} {_describe_call(following, prompts)}."]
    if prompts is not None and prompts.left_out:
        later = "follow in the next responses" if last.holds else "did not fit into this step"
        noun = ("branch", "branches") if prompts.branches else ("item", "items")
        later = later.replace("follow ", "follows ", 1) if prompts.left_out == 1 else later
        parts.append(f"{prompts.left_out} more {noun[prompts.left_out > 1]} {later}.")
    return " ".join(parts)


def _describe_fork(walk: Walk) -> list[str]:
    """Describe that a call goes back: the run that it named stays, and another one goes on."""
    run, _, number = (walk.run.forked_from or "").partition(":")
    if not walk.steps or str(walk.steps[0].seq) != number:
        return []
    return [
        f"This went back to step {number} of run {run}, which stays as it is: run {walk.run.run} goes on from there."
    ]


def _describe_prompts(prompts: RenderedPrompts | None) -> str:
    if prompts is None:
        return "Call"
    if prompts.branches:
        return f"Follow the {len(prompts.prompts)} prompts, in any order or at the same time, then call"
    if prompts.single:
        return "Follow prompt_template, then call"
    count = len(prompts.prompts)
    return "Follow the prompt, then call" if count == 1 else f"Follow each of the {count} prompts, then call"


def _describe_call(following: NextCall, prompts: RenderedPrompts | None) -> str:
    parts = ["next_call.arguments"]
    for name in following.needs:
        if name == "answer" and prompts is not None:
            parts.append(_describe_answer(prompts))
        else:
            parts.append(f"{name}")
    return f"{QUERY_TOOL} with {_join_words(parts)}"


def _describe_answer(prompts: RenderedPrompts) -> str:
    if prompts.branches:
        return "an object with your answer to each as answer"
    return "your answer as answer" if prompts.single else "the list of your answers, in order, as answer"


def _join_words(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _build_refusal_guidance(fault: Fault, following: NextCall | None) -> str:
    """Describe how to continue; `error.help` already says what to correct."""
    if following is not None:
        return f"Nothing has changed. To try again, call {_describe_call(following, None)}."
    return fault.help or "Nothing has changed."


def _build_retry(state: CallState, fault: Fault, load: LoadDefinition) -> NextCall | None:
    if state.definition is None or fault.details.get("refused") or "input" in fault.details:
        return None  # no call of the host can change it
    if state.waiting is not None and "answer" in fault.details.get("arguments", ()):
        return NextCall(build_address(state.waiting, CONTINUE), {})  # the person answers, and not the host
    if "asked" in fault.details and state.run is not None:
        return NextCall(build_address(state.run, CONTINUE), {})  # shows the question that is due
    if "go_back_to" in fault.details and state.run is not None:
        return NextCall({"phase": fault.details["go_back_to"], "run": state.run.run, "step": fault.details["step"]}, {})
    return _build_other_call(state, state.definition, fault, load)


def _build_other_call(state: CallState, definition: Definition, fault: Fault, load: LoadDefinition) -> NextCall | None:
    """Build the first call of a run, the call that goes on with it, or the same call once more."""
    call, run, phase = state.call, state.run, state.phase
    if phase is None or phase not in definition.workflow.phases:
        if run is None or run.last_step is None:
            return build_first_call(definition)
        return _continue_run(definition, run, fault, load)
    # A host that begins in the middle is led to the first phase, with what it has sent.
    if run is None and _is_mid_workflow(call, fault, definition, phase):
        start = build_first_call(definition)
        own = definition.workflow.phases[str(start.arguments["phase"])].inputs
        given = {name: value for name, value in call.inputs.items() if name in own}
        needs = {name: schema for name, schema in start.needs.items() if name not in given}
        return NextCall({**start.arguments, **given}, needs)
    return _repeat_call(state, fault, definition, phase)


def _continue_run(definition: Definition, run: Run, fault: Fault, load: LoadDefinition) -> NextCall | None:
    """Build the call that goes on with the run, with its wrong inputs under `needs`."""
    try:
        frame = find_frame(run, definition, load)
    except Fault:  # a workflow within it was edited
        return NextCall(build_address(run, CONTINUE), {})
    following, target = build_next_call(run, frame), frame.expected_phase
    if following is None or target is None or target not in frame.definition.workflow.phases:
        return following
    specs, wrong = frame.definition.workflow.phases[target].inputs, _find_wrong(fault)
    needs = {name: specs[name].json_schema for name in specs if name in wrong}
    return replace(following, needs={**following.needs, **needs})


def _find_wrong(fault: Fault) -> set[str]:
    """Find the arguments that another call must change, and not leave out."""
    return set(fault.details.get("arguments", ())) - set(fault.details.get("leave_out", ()))


def _is_mid_workflow(call: Call, fault: Fault, definition: Definition, phase: str) -> bool:
    """Check that the call has nothing of what the earlier phases produce."""
    specs = definition.workflow.phases[phase].inputs
    made = {name for name, spec in specs.items() if "phases." in (spec.from_ or "")}
    return bool(made & set(fault.details.get("arguments", ()))) and not made & set(call.inputs)


def _repeat_call(state: CallState, fault: Fault, definition: Definition, phase: str) -> NextCall:
    """Repeat the call, with its wrong arguments under `needs`."""
    call, run = state.call, state.run
    specs = definition.workflow.phases[phase].inputs
    wrong = set(fault.details.get("arguments", ()))
    arguments: dict[str, Any] = {"phase": call.phase or phase}
    address = {"workflow": call.workflow, "run": call.run, "step": state.step if run is not None else call.step}
    arguments.update({name: value for name, value in address.items() if value is not None})
    needs: dict[str, Any] = {}
    before = run.last_step if run else None
    if before is not None and before.awaits_answer and (call.answer or "answer" in wrong):
        needs["answer"] = build_answer_schema(definition, before)
    blamed = wrong & set(specs) if wrong else set() if needs else set(call.inputs) & set(specs)
    arguments.update({name: value for name, value in call.inputs.items() if name in specs and name not in blamed})
    missing = blamed - set(fault.details.get("leave_out", ()))
    needs.update({name: specs[name].json_schema for name in specs if name in missing})
    return NextCall(arguments, needs)
