"""`next_call`: arguments of the next call and schemas of what the host adds; size of responses."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.model import CONTINUE
from aurora.interpreter.language.tokens import count_tokens

from .frames import find_frame
from .inputs import build_answer_schema, reads_gate, recall_input
from .refusals import find_own_gates
from .rules import build_recall_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import InputSpec

    from .frames import Frame, LoadDefinition
    from .journal import Run
    from .step import Step

QUERY_TOOL = "aurora_query"


@dataclass(frozen=True, slots=True)
class NextCall:
    """The next call: its arguments, and the schema of each argument still needed."""

    arguments: Mapping[str, Any]
    needs: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the response."""
        return {"tool": QUERY_TOOL, "arguments": dict(self.arguments), "needs": dict(self.needs)}


def build_next_call(run: Run, frame: Frame) -> NextCall | None:
    """Build the call after the run's last step; None at its end.

    Without a run to recall from, the arguments contain what the next phase needs and this step knows.

    Args:
        run: the whole run.
        frame: the workflow of its last step.
    """
    definition, last = frame.definition, frame.run.last_step
    if last is not None and last.holds:
        schema = build_answer_schema(definition, last)
        needs = {} if _is_for_person(definition, last) else {"answer": schema}
        return NextCall(build_address(run, CONTINUE), needs)
    target = frame.expected_phase
    if target is None or target not in definition.workflow.phases:
        return None
    # Phases within the workflow of a phase have no names that a caller could use.
    token = CONTINUE if frame.parent is not None or last is None or last.edge is None else last.edge.token
    address = build_address(run, token)
    if not run.run and (rounds := run.name_rounds(definition.workflow)):
        address["run"] = rounds
    builder = _CallBuilder(definition, frame.run, last, address)
    if last is not None and last.awaits_answer and run.run:
        builder.needs["answer"] = build_answer_schema(definition, last)
    recalled = build_recall_scope(frame.run, definition)
    for name, spec in definition.workflow.phases[target].inputs.items():
        builder.add_input(name, spec, recalled)
    return NextCall(builder.arguments, builder.needs)


def _is_for_person(definition: Definition, step: Step) -> bool:
    return definition.workflow.phases[step.phase].person is not None


def build_address(run: Run, token: str) -> dict[str, Any]:
    """Build the arguments that address the call after a run's last step.

    The number of the step is always among them: without it, an answer that comes late, or twice, would be taken for
    that to a later question.

    Args:
        run: the whole run; one without an id is not stored.
        token: the phase of the call, or `continue`.
    """
    if not run.run:
        return {"phase": token, "workflow": run.workflow}
    return {"phase": token, "run": run.run, "step": len(run.steps) + 1}


@dataclass(slots=True)
class _CallBuilder:
    """Arguments and needs of a call, input by input."""

    definition: Definition
    run: Run
    step: Step | None
    arguments: dict[str, Any]
    needs: dict[str, Any] = field(default_factory=dict)

    def add_input(self, name: str, spec: InputSpec, recalled: Mapping[str, Any]) -> None:
        """Add the input's value, or its schema if the host must bring it."""
        is_recorded = bool(self.run.run)
        step = self.step
        if step is not None and step.awaits_answer and f"phases.{step.phase}.answer" in (spec.from_ or ""):
            if not is_recorded:
                part = _select_answer_part(self.definition, step, spec)
                self.needs[name] = _merge_schemas(part, spec.json_schema)
            return
        value = recall_input(name, spec, recalled)
        if value is None and not is_recorded and step is not None:
            value = step.inputs.get(name)
        # To ask the host for it would invite the host to answer for the person.
        if reads_gate(spec, find_own_gates(self.definition)):
            return  # only the person gives it
        if value is None and not spec.optional and not spec.has_default:
            self.needs[name] = spec.json_schema
        elif value is not None and not is_recorded:
            self.arguments[name] = value


def _select_answer_part(definition: Definition, step: Step, spec: InputSpec) -> Mapping[str, Any]:
    """Select the schema of the part of the answer that `from` takes, with its definitions."""
    whole = build_answer_schema(definition, step)
    schema: Any = whole
    rest = (spec.from_ or "").removeprefix(f"phases.{step.phase}.answer").strip(".")
    for part in rest.split(".") if rest else ():
        schema = _follow_reference(whole, schema).get("properties", {}).get(part, {})
    schema = _follow_reference(whole, schema)
    return schema if "$defs" not in whole or schema is whole else {**schema, "$defs": whole["$defs"]}


def _follow_reference(whole: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    """Return the definition that a schema refers to by its name, or the schema itself."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/") if isinstance(schema, dict) else ""
    found = whole.get("$defs", {}).get(name, schema)
    return found if isinstance(found, dict) else {}


def _merge_schemas(part: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the schema of an answer's part with the input's own, at every depth."""
    merged = {**part, **own}
    for key in part.keys() & own.keys():
        # The caller must meet both schemas.
        if key == "required":
            merged[key] = list(dict.fromkeys([*part[key], *own[key]]))
        elif isinstance(part[key], dict) and isinstance(own[key], dict):
            merged[key] = _merge_schemas(part[key], own[key])
    return merged


def find_next_call(run: Run, definition: Definition, load: LoadDefinition) -> NextCall | None:
    """Build the call after the run's last step; None at its end.

    Args:
        run: the whole run.
        definition: its workflow.
        load: returns a workflow by its name.
    """
    return build_next_call(run, find_frame(run, definition, load))


def build_first_call(definition: Definition) -> NextCall:
    """Build the call that starts a run of this workflow."""
    flow = definition.workflow
    start = flow.map_phase_names()[flow.start]
    arguments = {"phase": start, "workflow": flow.name}
    inputs = flow.phases[start].inputs
    required = {name: spec.json_schema for name, spec in inputs.items() if not spec.optional and not spec.has_default}
    return NextCall(arguments, required)


MAX_RESPONSE_CHARACTERS = 18_300
"""Characters of the compact JSON; the smallest limit of the hosts is 19,000, and marks around 20 chunks take 600."""


ADDRESS_ARGUMENTS = frozenset({"phase", "workflow", "run", "step"})
"""Arguments that address a call; they are short, and always stay."""


_CLIP_LENGTHS = (4000, 1500, 600, 240, 120)


def to_compact_json(value: Any) -> str:
    """Serialize to the JSON text that is sent, byte for byte."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def fit_response(response: dict[str, Any], used: int, budget: int | None) -> tuple[dict[str, Any], int]:
    """Truncate a response, and count its tokens; past the budget of its run, its metadata says so.

    Args:
        response: a response to store.
        used: the tokens of the responses before it.
        budget: the tokens that the workflow allows; None without a budget.

    Returns:
        The response, and its tokens.
    """
    fitting = truncate_response(response)
    tokens = count_tokens(to_compact_json(fitting))
    if not is_over_budget(used + tokens, budget):
        return fitting, tokens
    for _ in range(3):  # the note counts too; its sum gets a digit more at most once
        fitting = truncate_response(add_budget(response, used + tokens, budget))
        tokens = count_tokens(to_compact_json(fitting))
    return fitting, tokens


def is_over_budget(used: int, budget: int | None) -> bool:
    """Return True if a run has used more tokens than its workflow allows."""
    return budget is not None and used > budget


def add_budget(response: dict[str, Any], used: int, budget: int | None) -> dict[str, Any]:
    """Add the budget of the run, and what it has used, to the metadata of a response."""
    return {**response, "metadata": {**response["metadata"], "budget": {"tokens": budget, "used": used}}}


def truncate_response(response: dict[str, Any]) -> dict[str, Any]:
    """Cut the longest texts of the result; the journal keeps all of it.

    Each cut text says so. A result that is still too long is left out, and `metadata.omitted` explains it.
    """
    if len(to_compact_json(response)) <= MAX_RESPONSE_CHARACTERS:
        return response
    run = response.get("run")
    pointer = f"; `aur runs show {run}` has the whole" if run else ""
    for most in _CLIP_LENGTHS:
        shorter = {**response, "result": _clip_texts(response.get("result"), most, pointer)}
        if len(to_compact_json(shorter)) <= MAX_RESPONSE_CHARACTERS:
            return shorter
    # The journal has the decision, and a host needs `next_call` more.
    metadata = {name: value for name, value in response["metadata"].items() if name != "decision"}
    if response.get("result") is not None:
        metadata["omitted"] = f"the result is too long to show{pointer}"
    return _drop_long_arguments({**response, "result": None, "metadata": metadata})


def _drop_long_arguments(response: dict[str, Any]) -> dict[str, Any]:
    """Move the longest values of a `next_call` without a run to its `needs`."""
    following = response.get("next_call")
    while following and len(to_compact_json(response)) > MAX_RESPONSE_CHARACTERS:
        values = {name: value for name, value in following["arguments"].items() if name not in ADDRESS_ARGUMENTS}
        if not values:
            break
        longest = max(values, key=lambda name: len(to_compact_json(values[name])))
        arguments = {name: value for name, value in following["arguments"].items() if name != longest}
        needs = {
            **following["needs"],
            longest: {"description": "Too long to repeat here: pass the value that you have."},
        }
        following = {**following, "arguments": arguments, "needs": needs}
        response = {**response, "next_call": following}
    return response


def _clip_texts(value: Any, most: int, pointer: str) -> Any:
    if isinstance(value, str) and len(value) > most:
        return f"{value[:most]}… [+{len(value) - most} characters{pointer}]"
    if isinstance(value, dict):
        return {key: _clip_texts(item, most, pointer) for key, item in value.items()}
    if isinstance(value, list):
        return [_clip_texts(item, most, pointer) for item in value]
    return value
