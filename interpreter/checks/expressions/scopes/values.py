"""Shapes of what expressions read: results, answers, visits, the run and constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.shapes import Namespace, Shape
from aurora.interpreter.checks.expressions.types import build_list_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.expressions.shapes import InferredType
    from aurora.interpreter.checks.view import WorkflowView

_COUNT_SCHEMA = {"type": "integer", "minimum": 0}
_STATUS_SCHEMA = {"enum": ["complete", "skipped", "error"]}
_PERSON_STATUS_SCHEMA = {"enum": ["complete", "skipped", "declined", "error"]}
_VISITED_SCHEMA = {"type": "integer", "minimum": 1}
_RUN_TEXTS = {
    "id": {"type": "string", "minLength": 1},
    "folder": {"type": "string", "minLength": 1},
    "date": {"type": "string", "minLength": 1},
    "branch": {"type": "string"},
    "aurora": {"type": "string", "minLength": 1},
}


_ERROR_TEXTS = {"type": "string"}
_ERROR_MEMBERS: dict[str, InferredType] = {
    **{name: Shape(_ERROR_TEXTS, _ERROR_TEXTS, f'"{name}" of the error') for name in ("code", "message", "help")},
    "details": None,
}


def to_shape(schema: Mapping[str, Any] | None, label: str) -> Shape | None:
    """Convert a schema to its shape; None when it says nothing."""
    return None if not schema else Shape(schema, schema, label)


def build_result_shape(view: WorkflowView, phase: str) -> Shape | None:
    """Build the shape of the phase's result, as far as its schema is known."""
    return to_shape(view.find_result_schema(phase), f'the result of phase "{phase}"')


def build_answer_shape(view: WorkflowView, phase: str) -> Shape | None:
    """Build the shape of the phase's answer; with `for_each`, the list of its answers."""
    schema, person = view.definition.answers.get(phase), view.phases[phase].person
    if schema is not None and person is not None and person.form:
        schema = {**schema, "required": list(person.form)}  # the engine fills in the defaults
    shape = to_shape(schema, f'the answer of phase "{phase}"')
    if view.phases[phase].for_each is None:
        return shape
    listed = build_list_shape(shape)
    return Shape(listed.schema, listed.root, f'the answers of phase "{phase}"')


def build_phase_namespace(view: WorkflowView, phase: str, inputs: Mapping[str, InferredType]) -> Namespace:
    """Build the record of a phase, as `phases.NAME` has it."""
    spec = view.phases[phase]
    status = _PERSON_STATUS_SCHEMA if spec.person is not None else _STATUS_SCHEMA
    visits = _COUNT_SCHEMA if spec.when is not None else _VISITED_SCHEMA
    members: dict[str, InferredType] = {
        "error": Namespace(f'a field of the error of phase "{phase}"', _ERROR_MEMBERS),
        "inputs": Namespace(f'an input of phase "{phase}"', inputs),
        "status": Shape(status, status, f'the status of phase "{phase}"'),
        "visits": Shape(visits, visits, f'the visits of phase "{phase}"'),
    }
    if spec.asks or spec.answer is not None:
        answer = build_answer_shape(view, phase)
        members["answer"] = answer
        members["answers"] = answer if spec.for_each else build_list_shape(answer)
    if spec.uses is not None or spec.workflow is not None:
        members["result"] = build_result_shape(view, phase)
        members["results"] = build_list_shape(members["result"])
    return Namespace(f'a value of phase "{phase}"', members)


def build_run_shape(view: WorkflowView) -> Shape:
    """Build the shape of `run`."""
    visits = dict.fromkeys(view.phases, _COUNT_SCHEMA)
    schema = build_closed_object({**_RUN_TEXTS, "step": _COUNT_SCHEMA, "visits": build_closed_object(visits)})
    return Shape(schema, schema, "the data of the run")


def build_loop_shape() -> Shape:
    """Build the shape of `loop` in the prompt of a `for_each`."""
    count = {"type": "integer", "minimum": 1}
    schema = build_closed_object({"index": count, "length": count})
    return Shape(schema, schema, '"loop"')


def build_constants(view: WorkflowView) -> dict[str, InferredType]:
    """Build the root name `vars` with the constants; nothing when the workflow has none."""
    values = view.definition.workflow.vars
    schemas = {name: _describe_value(value) for name, value in values.items()}
    shapes = {name: Shape(schema, schema, f'"{name}"') for name, schema in schemas.items()}
    return {"vars": Namespace('one of the "vars"', shapes)} if values else {}


def build_closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """Build the schema of an object with all these properties and no others."""
    return {"type": "object", "required": [*properties], "properties": properties, "additionalProperties": False}


def _describe_value(value: Any) -> dict[str, Any]:
    """Describe a constant by its types only: a patch of the workflow may change it."""
    if isinstance(value, dict):
        return build_closed_object({str(name): _describe_value(inner) for name, inner in value.items()})
    if isinstance(value, list):
        items = [_describe_value(inner) for inner in value]
        same = bool(items) and all(item == items[0] for item in items)
        return {"type": "array", **({"items": items[0]} if same else {}), **({"minItems": 1} if items else {})}
    if value is None:
        return {"type": "null"}
    names = ((bool, "boolean"), (int | float, "number"), (str, "string"))
    return {"type": next((name for kind, name in names if isinstance(value, kind)), "string")}
