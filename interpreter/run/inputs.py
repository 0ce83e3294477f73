"""Inputs of a phase: the caller's, else the run's, else the default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.expressions import ExpressionError, evaluate_expression
from aurora.interpreter.problems import did_you_mean, list_names
from aurora.interpreter.schema import find_excess, find_faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language import Definition, InputSpec

    from .call import Call
    from .journal import Step


@dataclass(slots=True)
class InputFaults:
    """The faults of a call, collected to report all of them at once."""

    faults: list[dict[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def add(self, name: str, found: list[dict[str, str]]) -> None:
        """Add these faults of the argument `name`."""
        if found:
            self.faults.extend(found)
            self.names.add(name)

    def to_fault(self, phase: str) -> Fault:
        """Combine the faults into one INVALID_INPUT."""
        first = self.faults[0]
        more = f", and {len(self.faults) - 1} more" if len(self.faults) > 1 else ""
        return Fault(
            Code.INVALID_INPUT,
            f'phase "{phase}" refuses this call: {first["path"]} {first["message"]}{more}',
            help="correct these values and call again",
            details={"faults": self.faults, "arguments": sorted(self.names)},
        )


def resolve_answer(call: Call, definition: Definition, before: Step | None, refusal: InputFaults) -> tuple[Any, ...]:
    """Validate the answer to the previous step; return it as a tuple of 0 or 1."""
    if before is None or not before.awaits_answer:
        if call.has_answer:
            asker = f'phase "{before.phase}"' if before else "nothing"
            refusal.add(
                "answer", [{"path": "$.answer", "message": f"was not asked for: {asker} has no prompt to answer"}]
            )
        return ()
    schema = build_answer_schema(definition, before)
    faults = find_faults(call.answer[0], schema, "$.answer") if call.answer else []
    if not call.answer or (not call.has_answer and (faults or not _TYPE_KEYWORDS & set(schema))):
        message = f'is missing: phase "{before.phase}" waits for the answer to its prompt'
        refusal.add("answer", [{"path": "$.answer", "message": message}])
        return ()
    refusal.add("answer", faults)
    return call.answer


_TYPE_KEYWORDS = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"})
"""A schema without any of these accepts null only because it accepts anything."""


def build_answer_schema(definition: Definition, step: Step) -> dict[str, Any]:
    """Build the schema of the answer, or the list of answers, to this step."""
    declared = definition.answers.get(step.phase, {})
    schema = {key: value for key, value in declared.items() if key not in ("$schema", "$id", "title")}
    if not step.asks:
        return schema
    return {"type": "array", "minItems": step.asks, "maxItems": step.asks, "items": schema}


def is_answer_skipped(call: Call, definition: Definition, phase: str, before: Step) -> bool:
    """Check that the caller passes by name all that the phase takes from the answer."""
    wanted = {
        name
        for name, spec in definition.workflow.phases[phase].inputs.items()
        if spec.from_ and f"phases.{before.phase}.answer" in spec.from_
    }
    return bool(wanted) and wanted <= set(call.inputs)


def resolve_inputs(
    call: Call, definition: Definition, phase: str, recalled: Mapping[str, Any], refusal: InputFaults
) -> dict[str, Any]:
    """Resolve the phase's inputs by name; absent optional ones are None."""
    specs = definition.workflow.phases[phase].inputs
    for name in call.inputs:
        if name not in specs:
            hint = did_you_mean(name[:80], specs) or f"it takes {list_names(specs) or 'none'}"
            message = f'is not an input of phase "{phase}"; {hint}'
            refusal.add(name[:80], [{"path": f"$.{name[:80]}", "message": message}])
    return {name: _resolve_input(call, name, spec, recalled, refusal) for name, spec in specs.items()}


def _resolve_input(call: Call, name: str, spec: InputSpec, recalled: Mapping[str, Any], refusal: InputFaults) -> Any:
    if name in call.inputs:
        value = call.inputs[name]
        big = find_excess(value)
        found = [{"path": f"$.{name}", "message": big}] if big else find_faults(value, spec.json_schema, f"$.{name}")
        if found and value is None and spec.optional:
            return None
        refusal.add(name, found)
        return value
    if "answer" in refusal.names:
        return None  # report a wrong answer once, and not again for each input from it
    value = recall_input(name, spec, recalled)
    if value is not None:
        refusal.add(name, find_faults(value, spec.json_schema, f"$.{name}"))
        return value
    if spec.has_default:
        return spec.default
    if not spec.optional:
        source = f"; the run does not know it from {spec.from_}" if spec.from_ else ""
        refusal.add(name, [{"path": f"$.{name}", "message": f"is missing{source}"}])
    return None


def recall_input(name: str, spec: InputSpec, recalled: Mapping[str, Any]) -> Any:
    """Evaluate `from`; None if it fails, which is reported where the value is missing.

    A required input without `from` has the value that a caller gave the run under that name before.
    """
    if spec.from_ is None:
        required = not spec.optional and not spec.has_default
        return recalled["inputs"].get(name) if required else None
    try:
        return evaluate_expression(spec.from_, recalled)
    except ExpressionError:
        return None
