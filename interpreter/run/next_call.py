"""`next_call`: arguments of the next call, and schemas of what the host adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import scope
from .inputs import build_answer_schema, recall_input

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language import Definition, InputSpec

    from .journal import Run, Step

QUERY_TOOL = "aurora_query"


@dataclass(frozen=True, slots=True)
class NextCall:
    """The next call: its arguments, and the schema of each argument still needed."""

    arguments: Mapping[str, Any]
    needs: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the response."""
        return {"tool": QUERY_TOOL, "arguments": dict(self.arguments), "needs": dict(self.needs)}


def build_next_call(definition: Definition, run: Run) -> NextCall | None:
    """Build the call after the run's last step; None at its end.

    Without a run to recall from, what the next phase needs and this step knows is handed along in the arguments.
    """
    step = run.last_step
    if step is None or step.edge is None or step.edge.target is None:
        return None
    target = step.edge.target
    arguments = _build_address(run, step.edge.token)
    if run.run and any(other.phase == target for other in run.steps):
        arguments["step"] = len(run.steps) + 1
    needs: dict[str, Any] = {}
    if step.awaits_answer and run.run:
        needs["answer"] = build_answer_schema(definition, step)
    recalled = scope.build_recall_scope(run, definition.workflow.phases)
    for name, spec in definition.workflow.phases[target].inputs.items():
        _add_input(definition, run, step, (name, spec), recalled, arguments, needs)
    return NextCall(arguments, needs)


def _build_address(run: Run, token: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {"phase": token}
    if run.run:
        arguments["run"] = run.run
    else:
        arguments["workflow"] = run.workflow
    return arguments


def _add_input(  # noqa: PLR0913, PLR0917 - the parts of one decision; bundling them would name nothing
    definition: Definition,
    run: Run,
    step: Step,
    named: tuple[str, InputSpec],
    recalled: Mapping[str, Any],
    arguments: dict[str, Any],
    needs: dict[str, Any],
) -> None:
    name, spec = named
    from_answer = step.awaits_answer and f"phases.{step.phase}.answer" in (spec.from_ or "")
    if from_answer:
        if not run.run:
            needs[name] = _merge_schemas(_select_answer_part(definition, step, spec), spec.json_schema)
        return
    value = recall_input(name, spec, recalled)
    if value is None and not run.run:
        value = step.inputs.get(name)
    if value is not None:
        if not run.run:
            arguments[name] = value
    elif not spec.optional and not spec.has_default:
        needs[name] = spec.json_schema


def _select_answer_part(definition: Definition, step: Step, spec: InputSpec) -> Mapping[str, Any]:
    """Select the schema of the part of the answer that `from` takes."""
    schema: Any = build_answer_schema(definition, step)
    rest = (spec.from_ or "").removeprefix(f"phases.{step.phase}.answer").strip(".")
    for part in rest.split(".") if rest else ():
        schema = schema.get("properties", {}).get(part, {}) if isinstance(schema, dict) else {}
    return schema if isinstance(schema, dict) else {}


def _merge_schemas(part: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the schema of an answer's part with the input's own."""
    required = [
        *part.get("required", ()),
        *(name for name in own.get("required", ()) if name not in part.get("required", ())),
    ]
    return {**part, **own, **({"required": required} if required else {})}


def build_first_call(definition: Definition) -> NextCall:
    """Build the call that starts a run of this workflow."""
    flow = definition.workflow
    start = flow.map_phase_names()[flow.start]
    arguments = {"phase": start, "workflow": flow.name}
    inputs = flow.phases[start].inputs
    required = {name: spec.json_schema for name, spec in inputs.items() if not spec.optional and not spec.has_default}
    return NextCall(arguments, required)
