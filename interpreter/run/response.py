"""The response to a call: one envelope, whether it went well or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import rule_node
from aurora.interpreter.language.model import END

from .inputs import answer_schema
from .next_call import TOOL, Follow, begin, follow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.faults import Fault
    from aurora.interpreter.language.definition import Definition

    from .call import Call
    from .execute import Asked
    from .journal import Run, Step

MOST_TEXT = 200
"""Characters of a rule's text in the decision trace of a response."""


def complete(
    definition: Definition, run: Run, asked: Asked | None, error: Fault | None, request_id: str
) -> dict[str, Any]:
    """The envelope of the run's last step; `error` when the phase failed and `on_error` leads on."""
    step = run.last
    if step is None or step.edge is None:
        raise ValueError("a step that was taken has an edge")
    coming = follow(definition, run)
    response: dict[str, Any] = {
        "phase": step.phase,
        "progress": definition.progress(step.phase),
        "status": step.status,
        "result": step.result,
    }
    if asked is not None:
        response["prompt_template"] = asked.prompts[0] if asked.single else list(asked.prompts)
    response["next_action"] = step.edge.token
    if step.edge.early_exit:
        response["early_exit"] = True
    response["guidance"] = _guidance(step, coming, asked)
    response["next_call"] = coming.as_json() if coming else None
    response["run"] = run.run or None
    if error is not None:
        response["error"] = error.as_json()
    response["metadata"] = {
        "duration_ms": 0,
        "request_id": request_id,
        "workflow": definition.label,
        "step": step.seq,
        "decision": [_told(entry, definition, step.phase) for entry in step.decision],
    }
    if run.forked_from:
        response["metadata"]["forked_from"] = run.forked_from
    response["metadata"].update(_warning(definition))
    return response


def refused(
    call: Call, fault: Fault, definition: Definition | None, run: Run | None, phase: str | None
) -> dict[str, Any]:
    """The envelope of a call that was not taken: the run stands where it stood, `next_call` says how to try again."""
    coming = _retry(call, fault, definition, run, phase)
    return {
        "phase": phase or call.phase[:80],
        "progress": definition.progress(phase) if definition and phase else "",
        "status": "error",
        "result": None,
        "next_action": coming.arguments["phase"] if coming else END,
        "guidance": _after_refusal(fault, coming),
        "next_call": coming.as_json() if coming else None,
        "run": call.run or (run.run if run else None) or None,
        "error": fault.as_json(),
        "metadata": {
            "duration_ms": 0,
            "request_id": call.request_id,
            "workflow": definition.label if definition else (call.workflow or ""),
            "decision": [],
            **(_warning(definition) if definition else {}),
        },
    }


def _warning(definition: Definition) -> dict[str, str]:
    if not definition.stands_in:
        return {}
    return {"warning": f"the workflow's file is broken, its last good edition runs: {definition.stands_in}"}


def _told(entry: Mapping[str, Any], definition: Definition, phase: str) -> dict[str, Any]:
    """An entry of the trace, with the line of its rule in the file."""
    told = dict(entry)
    if isinstance(when := entry.get("when"), str):
        told["when"] = when[:MOST_TEXT]
    if isinstance(number := entry.get("rule"), int):
        told["line"] = rule_node(definition.root, phase, number - 1).place.line
    return told


def _guidance(step: Step, coming: Follow | None, asked: Asked | None) -> str:
    say = step.edge.say if step.edge else ""
    if coming is None:
        return " ".join(part for part in ("The run has ended.", say) if part)
    first = ""
    if asked is not None:
        count = len(asked.prompts)
        first = (
            "Follow prompt_template, then call" if asked.single else f"Follow each of the {count} prompts, then call"
        )
    parts = [f"{first or 'Call'} {_sentence(coming, asked)}."]
    if asked is not None and asked.left_out:
        parts.append(f"{asked.left_out} more items had no room in this step.")
    return " ".join([*parts, say]).strip()


def _sentence(coming: Follow, asked: Asked | None) -> str:
    said = [
        f"{name}={value!r}" for name, value in coming.arguments.items() if name in ("phase", "workflow", "run", "step")
    ]
    rest = sorted(name for name in coming.arguments if name not in ("phase", "workflow", "run", "step"))
    said += [f"the {', '.join(rest)} of next_call"] if rest else []
    for name in coming.needs:
        if name == "answer" and asked is not None:
            said.append("your answer as answer" if asked.single else "the list of your answers, in order, as answer")
        else:
            said.append(f"{name}")
    return f"{TOOL} with {_enumerated(said)}"


def _enumerated(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _after_refusal(fault: Fault, coming: Follow | None) -> str:
    """How to go on; `error.help` says what to mend, and the host need not pay for it twice."""
    if coming is not None:
        return f"Nothing has changed. To try again, call {_sentence(coming, None)}."
    return fault.help or "Nothing has changed."


def _retry(
    call: Call, fault: Fault, definition: Definition | None, run: Run | None, phase: str | None
) -> Follow | None:
    if definition is None:
        return None
    if "go_back_to" in fault.details and run is not None:
        return Follow({"phase": fault.details["go_back_to"], "run": run.run, "step": fault.details["step"]}, {})
    if phase is None:
        return follow(definition, run) if run is not None and run.last else begin(definition)
    if run is None and _in_the_middle(call, fault, definition, phase):
        start = begin(definition)
        own = definition.workflow.phases[str(start.arguments["phase"])].inputs
        given = {name: value for name, value in call.inputs.items() if name in own}
        needs = {name: schema for name, schema in start.needs.items() if name not in given}
        return Follow({**start.arguments, **given}, needs)
    return _again(call, fault, definition, run, phase)


def _in_the_middle(call: Call, fault: Fault, definition: Definition, phase: str) -> bool:
    """Whether the call lacks what earlier phases make, and brings none of it: what is missing is the beginning."""
    specs = definition.workflow.phases[phase].inputs
    made = {name for name, spec in specs.items() if "phases." in (spec.from_ or "")}
    return bool(made & set(fault.details.get("arguments", ()))) and not made & set(call.inputs)


def _again(call: Call, fault: Fault, definition: Definition, run: Run | None, phase: str) -> Follow:
    """The same call, what was wrong in it named under `needs`."""
    specs = definition.workflow.phases[phase].inputs
    wrong = set(fault.details.get("arguments", ()))
    arguments: dict[str, Any] = {"phase": call.phase}
    address = {"workflow": call.workflow, "run": call.run, "step": call.step}
    arguments.update({name: value for name, value in address.items() if value is not None})
    needs: dict[str, Any] = {}
    before = run.last if run else None
    if before is not None and before.awaits_answer and (call.answer or "answer" in wrong):
        needs["answer"] = answer_schema(definition, before)
    blamed = wrong & set(specs) if wrong else set() if needs else set(call.inputs) & set(specs)
    arguments.update({name: value for name, value in call.inputs.items() if name in specs and name not in blamed})
    needs.update({name: specs[name].json_schema for name in specs if name in blamed})
    return Follow(arguments, needs)
