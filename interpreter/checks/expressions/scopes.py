"""Scopes of expressions by key; the engine builds the same ones at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import Namespace, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.view import WorkflowView


def build_from_scope(view: WorkflowView) -> Namespace:
    """Build the scope of an input's `from`: inputs, the values of phases, the run."""
    given = {name: None for phase in view.phases.values() for name in phase.inputs}
    inputs = Namespace("an input of any phase", given)
    members: dict[str, Namespace | Shape | None] = {
        "inputs": inputs,
        "phases": _build_phases(view),
        "run": build_run_shape(view),
    }
    return Namespace('in the scope of "from"', members)


def build_rule_scope(view: WorkflowView, phase: str, recalled: Namespace) -> Namespace:
    """Build the scope of `when` and `for_each.in`: the result's fields and the run's.

    `recalled` is the scope of the same view's `from`, which supplies the phases.
    """
    beside: dict[str, Namespace | Shape | None] = {
        "inputs": Namespace(f'an input of phase "{phase}"', _build_input_shapes(view, phase)),
        "phases": recalled.members["phases"],
        "run": recalled.members["run"],
    }
    label = f'in the result of phase "{phase}"'
    schema = view.find_result_schema(phase)
    shape = _to_shape(schema, label)
    if shape is None:
        return Namespace(label, beside, open=view.phases[phase].uses is not None)
    known = shape.resolve() or {}
    properties = known.get("properties", {})
    fields = {name: _to_property_shape(shape, name, inner) for name, inner in properties.items()}
    closed = known.get("additionalProperties") is False and not {"allOf", "anyOf", "oneOf", "if"} & set(known)
    return Namespace(label, {**fields, **beside}, open=not closed)


def build_with_scope(view: WorkflowView, phase: str) -> Namespace:
    """Build the scope of `with`: the phase's inputs, by name and under `inputs`."""
    inputs = _build_input_shapes(view, phase)
    label = f'an input of phase "{phase}"'
    return Namespace(label, {**inputs, "inputs": Namespace(label, inputs)})


def build_prompt_scope(view: WorkflowView, phase: str) -> Namespace:
    """Build the scope of a prompt: inputs, run, result and item."""
    inputs = _build_input_shapes(view, phase)
    spec = view.phases[phase]
    members = {**inputs, "inputs": Namespace(f'an input of phase "{phase}"', inputs), "run": build_run_shape(view)}
    if spec.uses is not None:
        members["result"] = build_result_shape(view, phase)
    if spec.for_each is not None:
        members[spec.for_each.as_] = None
    return Namespace("in its scope", members)


def build_run_shape(view: WorkflowView) -> Shape:
    """Build the shape of `run`."""
    visits = dict.fromkeys(view.phases, _COUNT_SCHEMA)
    schema = _build_closed_object(
        {"id": {"type": "string"}, "step": _COUNT_SCHEMA, "visits": _build_closed_object(visits)}
    )
    return Shape(schema, schema, "the data of the run")


_COUNT_SCHEMA = {"type": "integer", "minimum": 0}


def _build_closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": [*properties], "properties": properties, "additionalProperties": False}


def build_result_shape(view: WorkflowView, phase: str) -> Shape | None:
    """Build the shape of the phase's result, as far as its schema is known."""
    return _to_shape(view.find_result_schema(phase), f'the result of phase "{phase}"')


def _build_input_shapes(view: WorkflowView, phase: str) -> dict[str, Namespace | Shape | None]:
    return {name: _to_shape(spec.json_schema, f'input "{name}"') for name, spec in view.phases[phase].inputs.items()}


def _build_phases(view: WorkflowView) -> Namespace:
    return Namespace("a phase", {name: _build_phase(view, name) for name in view.phases})


def _build_phase(view: WorkflowView, name: str) -> Namespace:
    phase = view.phases[name]
    members: dict[str, Namespace | Shape | None] = {
        "error": None,
        "inputs": Namespace(f'an input of phase "{name}"', _build_input_shapes(view, name)),
        "status": None,
    }
    if phase.answer is not None:
        answer = None if phase.for_each else view.definition.answers.get(name)
        members["answer"] = _to_shape(answer, f'the answer of phase "{name}"')
    if phase.uses is not None:
        members["result"] = build_result_shape(view, name)
    return Namespace(f'a value of phase "{name}"', members)


def _to_shape(schema: Mapping[str, Any] | None, label: str) -> Shape | None:
    return None if not schema else Shape(schema, schema, label)


def _to_property_shape(shape: Shape, name: str, inner: Any) -> Shape | None:
    return Shape(inner, shape.root, f'"{name}"') if isinstance(inner, dict) else None
