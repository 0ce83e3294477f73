"""Shapes of inputs: the input's own schema, else that of what its `from` reads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.inference import infer_expression
from aurora.interpreter.checks.expressions.shapes import Namespace, Shape
from aurora.interpreter.checks.expressions.sites import ExpressionSite

from .values import build_constants, build_phase_namespace, build_run_shape, to_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.expressions.shapes import InferredType
    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.language import InputSpec

InputShapes = dict[str, dict[str, "InferredType"]]
"""The shapes of the inputs, by phase and name."""

_MAX_ROUNDS = 3
"""Inputs of inputs of inputs are typed; a longer chain is unknown."""


@lru_cache(maxsize=1)
def infer_inputs(view: WorkflowView) -> InputShapes:
    """Infer the shape of each input; None where nothing says what it is."""
    known: InputShapes = {
        phase: {name: to_shape(given.json_schema, f'input "{name}"') for name, given in spec.inputs.items()}
        for phase, spec in view.phases.items()
    }
    for _ in range(_MAX_ROUNDS):
        found = list(_infer_untyped(view, known))
        if not found:
            break
        for phase, name, shape in found:
            known[phase][name] = shape
    return known


def build_source_scope(view: WorkflowView, inputs: InputShapes) -> Namespace:
    """Build the scope of `from`, with these shapes of inputs."""
    phases = {name: build_phase_namespace(view, name, inputs.get(name, {})) for name in view.phases}
    return Namespace(
        'in the scope of "from"',
        {
            "inputs": Namespace("an input of any phase", _unite_inputs(view, inputs)),
            "phases": Namespace("a phase", phases),
            "run": build_run_shape(view),
            **build_constants(view),
        },
    )


def _infer_untyped(view: WorkflowView, known: InputShapes) -> Iterator[tuple[str, str, Shape]]:
    """Yield the inputs without a known shape whose source has one."""
    scope = build_source_scope(view, known)
    for phase, spec in view.phases.items():
        for name, given in spec.inputs.items():
            if known[phase][name] is not None or given.from_ is None:
                continue
            loc = ("phases", phase, "inputs", name, "from")
            found = infer_expression(ExpressionSite(view, phase, "from", given.from_, loc, lambda: scope))
            if isinstance(found, Shape) and (resolved := found.resolve()):
                schema = _add_default(_strip_null(resolved, given), given)
                yield phase, name, Shape(schema, found.root, f'input "{name}"')


def _add_default(schema: dict[str, Any], given: InputSpec) -> Mapping[str, Any]:
    """Add a default to the choices of a source that lack it: the input has either."""
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if not given.has_default or given.default is None or not choices or given.default in choices:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("const", "type")}
    return {**rest, "enum": [*choices, given.default]}


def _strip_null(schema: Mapping[str, Any], given: InputSpec) -> dict[str, Any]:
    """Remove null from the schema of a source: a required input is never null."""
    stripped = dict(schema)
    if isinstance(schema.get("type"), list):
        stripped["type"] = [name for name in schema["type"] if name != "null"]
    if isinstance(schema.get("enum"), list) and (given.has_default is False or given.default is not None):
        stripped["enum"] = [choice for choice in schema["enum"] if choice is not None]
    return stripped


def _unite_inputs(view: WorkflowView, inputs: InputShapes) -> dict[str, InferredType]:
    """Unite the shapes of inputs of one name: what a caller sent for any of them is the input of the run."""
    shapes: dict[str, list[InferredType]] = {}
    for phase, spec in view.phases.items():
        for name, given in spec.inputs.items():
            shape = inputs.get(phase, {}).get(name)
            own = shapes.setdefault(name, [])
            if given.from_ is None or given.json_schema:
                own.append(shape)
    return {name: _unite_shapes(name, found) for name, found in shapes.items()}


def _unite_shapes(name: str, found: list[InferredType]) -> Shape | None:
    schemas: list[Mapping[str, Any]] = []
    for shape in found:
        if not isinstance(shape, Shape):
            return None
        if shape.schema not in schemas:
            schemas.append(shape.schema)
    if not schemas:
        return None
    if len(schemas) == 1:
        return Shape(schemas[0], schemas[0], f'input "{name}"')
    united = {"anyOf": [_close_resource(name, number, schema) for number, schema in enumerate(schemas)]}
    return Shape(united, united, f'input "{name}"')


def _close_resource(name: str, number: int, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give a schema an id, so that its references start at its own root."""
    return {"$id": f"urn:aurora:{name}:{number}", **schema}
