"""`next_call`: arguments of the next call, and schemas of what the host adds."""

from __future__ import annotations

from dataclasses import dataclass, field
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

    Without a run to recall from, the arguments contain what the next phase needs and this step knows.
    """
    step = run.last_step
    if step is None or step.edge is None or step.edge.target is None:
        return None
    target = step.edge.target
    builder = _CallBuilder(definition, run, step, _build_address(run, step.edge.token))
    if run.run and any(other.phase == target for other in run.steps):
        builder.arguments["step"] = len(run.steps) + 1
    if step.awaits_answer and run.run:
        builder.needs["answer"] = build_answer_schema(definition, step)
    recalled = scope.build_recall_scope(run, definition.workflow.phases)
    for name, spec in definition.workflow.phases[target].inputs.items():
        builder.add_input(name, spec, recalled)
    return NextCall(builder.arguments, builder.needs)


def _build_address(run: Run, token: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {"phase": token}
    if run.run:
        arguments["run"] = run.run
    else:
        arguments["workflow"] = run.workflow
    return arguments


@dataclass(slots=True)
class _CallBuilder:
    """Arguments and needs of a call, input by input."""

    definition: Definition
    run: Run
    step: Step
    arguments: dict[str, Any]
    needs: dict[str, Any] = field(default_factory=dict)

    def add_input(self, name: str, spec: InputSpec, recalled: Mapping[str, Any]) -> None:
        """Add the input's value, or its schema if the host must bring it."""
        is_recorded = bool(self.run.run)
        if self.step.awaits_answer and f"phases.{self.step.phase}.answer" in (spec.from_ or ""):
            if not is_recorded:
                part = _select_answer_part(self.definition, self.step, spec)
                self.needs[name] = _merge_schemas(part, spec.json_schema)
            return
        value = recall_input(name, spec, recalled)
        if value is None and not is_recorded:
            value = self.step.inputs.get(name)
        if value is None and not spec.optional and not spec.has_default:
            self.needs[name] = spec.json_schema
        elif value is not None and not is_recorded:
            self.arguments[name] = value


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
