"""Responses to a call: one envelope for success and failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language import END, find_rule_node

from .inputs import build_answer_schema
from .next_call import QUERY_TOOL, NextCall, build_first_call, build_next_call

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.faults import Fault
    from aurora.interpreter.language import Definition

    from .call import Call
    from .execute import RenderedPrompts
    from .journal import Run, Step

MAX_RULE_TEXT = 200
"""Characters of a rule's text in the decision trace of a response."""


def build_response(
    definition: Definition, run: Run, prompts: RenderedPrompts | None, error: Fault | None, request_id: str
) -> dict[str, Any]:
    """Build the response of the run's last step."""
    step = run.last_step
    if step is None or step.edge is None:
        raise ValueError("a step that was taken has an edge")
    following = build_next_call(definition, run)
    response: dict[str, Any] = {
        "phase": step.phase,
        "progress": definition.format_progress(step.phase),
        "status": step.status,
        "result": step.result,
    }
    if prompts is not None:
        response["prompt_template"] = prompts.prompts[0] if prompts.single else list(prompts.prompts)
    response["next_action"] = step.edge.token
    if step.edge.early_exit:
        response["early_exit"] = True
    response["guidance"] = _build_guidance(step, following, prompts)
    response["next_call"] = following.to_json() if following else None
    response["run"] = run.run or None
    if error is not None:
        response["error"] = error.to_json()
    response["metadata"] = {
        "duration_ms": 0,
        "request_id": request_id,
        "workflow": definition.label,
        "step": step.seq,
        "decision": [_describe_decision(entry, definition, step.phase) for entry in step.decision],
    }
    if run.forked_from:
        response["metadata"]["forked_from"] = run.forked_from
    response["metadata"].update(_build_warning(definition))
    return response


def build_refusal(
    call: Call, fault: Fault, definition: Definition | None, run: Run | None, phase: str | None
) -> dict[str, Any]:
    """Build the response to a refused call, with a `next_call` that retries it."""
    following = _build_retry(call, fault, definition, run, phase)
    return {
        "phase": phase or call.phase[:80],
        "progress": definition.format_progress(phase) if definition and phase else "",
        "status": "error",
        "result": None,
        "next_action": following.arguments["phase"] if following else END,
        "guidance": _build_refusal_guidance(fault, following),
        "next_call": following.to_json() if following else None,
        "run": call.run or (run.run if run else None) or None,
        "error": fault.to_json(),
        "metadata": {
            "duration_ms": 0,
            "request_id": call.request_id,
            "workflow": definition.label if definition else (call.workflow or ""),
            "decision": [],
            **(_build_warning(definition) if definition else {}),
        },
    }


def _build_warning(definition: Definition) -> dict[str, str]:
    if not definition.fallback_reason:
        return {}
    return {"warning": f"the workflow's file has errors; its last valid version runs: {definition.fallback_reason}"}


def _describe_decision(entry: Mapping[str, Any], definition: Definition, phase: str) -> dict[str, Any]:
    """Add the line of its rule in the file to an entry of the trace."""
    described = dict(entry)
    if isinstance(when := entry.get("when"), str):
        described["when"] = when[:MAX_RULE_TEXT]
    if isinstance(number := entry.get("rule"), int):
        described["line"] = find_rule_node(definition.root, phase, number - 1).place.line
    return described


def _build_guidance(step: Step, following: NextCall | None, prompts: RenderedPrompts | None) -> str:
    say = step.edge.say if step.edge else ""
    if following is None:
        return " ".join(part for part in ("The run has ended.", say) if part)
    first = ""
    if prompts is not None:
        count = len(prompts.prompts)
        first = (
            "Follow prompt_template, then call" if prompts.single else f"Follow each of the {count} prompts, then call"
        )
    parts = [f"{first or 'Call'} {_describe_call(following, prompts)}."]
    if prompts is not None and prompts.left_out:
        parts.append(f"{prompts.left_out} more items did not fit into this step.")
    return " ".join([*parts, say]).strip()


def _describe_call(following: NextCall, prompts: RenderedPrompts | None) -> str:
    parts = [
        f"{name}={value!r}"
        for name, value in following.arguments.items()
        if name in ("phase", "workflow", "run", "step")
    ]
    rest = sorted(name for name in following.arguments if name not in ("phase", "workflow", "run", "step"))
    parts += [f"the {', '.join(rest)} of next_call"] if rest else []
    for name in following.needs:
        if name == "answer" and prompts is not None:
            parts.append("your answer as answer" if prompts.single else "the list of your answers, in order, as answer")
        else:
            parts.append(f"{name}")
    return f"{QUERY_TOOL} with {_join_words(parts)}"


def _join_words(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _build_refusal_guidance(fault: Fault, following: NextCall | None) -> str:
    """Describe how to continue; `error.help` already says what to correct."""
    if following is not None:
        return f"Nothing has changed. To try again, call {_describe_call(following, None)}."
    return fault.help or "Nothing has changed."


def _build_retry(
    call: Call, fault: Fault, definition: Definition | None, run: Run | None, phase: str | None
) -> NextCall | None:
    if definition is None:
        return None
    if "go_back_to" in fault.details and run is not None:
        return NextCall({"phase": fault.details["go_back_to"], "run": run.run, "step": fault.details["step"]}, {})
    if phase is None:
        return build_next_call(definition, run) if run is not None and run.last_step else build_first_call(definition)
    if run is None and _is_mid_workflow(call, fault, definition, phase):
        start = build_first_call(definition)
        own = definition.workflow.phases[str(start.arguments["phase"])].inputs
        given = {name: value for name, value in call.inputs.items() if name in own}
        needs = {name: schema for name, schema in start.needs.items() if name not in given}
        return NextCall({**start.arguments, **given}, needs)
    return _repeat_call(call, fault, definition, run, phase)


def _is_mid_workflow(call: Call, fault: Fault, definition: Definition, phase: str) -> bool:
    """Check that the call has nothing of what the earlier phases produce."""
    specs = definition.workflow.phases[phase].inputs
    made = {name for name, spec in specs.items() if "phases." in (spec.from_ or "")}
    return bool(made & set(fault.details.get("arguments", ()))) and not made & set(call.inputs)


def _repeat_call(call: Call, fault: Fault, definition: Definition, run: Run | None, phase: str) -> NextCall:
    """Repeat the call, with its wrong arguments under `needs`."""
    specs = definition.workflow.phases[phase].inputs
    wrong = set(fault.details.get("arguments", ()))
    arguments: dict[str, Any] = {"phase": call.phase}
    address = {"workflow": call.workflow, "run": call.run, "step": call.step}
    arguments.update({name: value for name, value in address.items() if value is not None})
    needs: dict[str, Any] = {}
    before = run.last_step if run else None
    if before is not None and before.awaits_answer and (call.answer or "answer" in wrong):
        needs["answer"] = build_answer_schema(definition, before)
    blamed = wrong & set(specs) if wrong else set() if needs else set(call.inputs) & set(specs)
    arguments.update({name: value for name, value in call.inputs.items() if name in specs and name not in blamed})
    needs.update({name: specs[name].json_schema for name in specs if name in blamed})
    return NextCall(arguments, needs)
