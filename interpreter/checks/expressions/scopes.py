"""What an expression sees, by where it stands; the counterpart of what the engine hands it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import Group, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.view import View


def recalled(view: View) -> Group:
    """The scope of an input's `from`: what callers gave, what each phase kept, the run."""
    given = {name: None for phase in view.phases.values() for name in phase.inputs}
    inputs = Group("an input of any phase", given)
    members: dict[str, Group | Shape | None] = {"inputs": inputs, "phases": _phases(view), "run": run(view)}
    return Group('in the scope of "from"', members)


def decided(view: View, phase: str, recalled: Group) -> Group:
    """The scope of `when` and `for_each.in`: the result's fields, and beside them `inputs`, `phases` and `run`.

    `recalled` is the scope of the same view's `from`: the phases are those of that.
    """
    beside: dict[str, Group | Shape | None] = {
        "inputs": Group(f'an input of phase "{phase}"', _inputs(view, phase)),
        "phases": recalled.members["phases"],
        "run": recalled.members["run"],
    }
    label = f'in the result of phase "{phase}"'
    schema = view.result_schema(phase)
    shape = _shape(schema, label)
    if shape is None:
        return Group(label, beside, open=view.phases[phase].uses is not None)
    known = shape.resolved() or {}
    properties = known.get("properties", {})
    fields = {name: _shape_in(shape, name, inner) for name, inner in properties.items()}
    closed = known.get("additionalProperties") is False and not {"allOf", "anyOf", "oneOf", "if"} & set(known)
    return Group(label, {**fields, **beside}, open=not closed)


def handed(view: View, phase: str) -> Group:
    """The scope of `with`: the phase's inputs, by name and under `inputs`."""
    inputs = _inputs(view, phase)
    label = f'an input of phase "{phase}"'
    return Group(label, {**inputs, "inputs": Group(label, inputs)})


def prompted(view: View, phase: str) -> Group:
    """The scope of a prompt: the inputs, by name and under `inputs`, the run, the result, the item."""
    inputs = _inputs(view, phase)
    spec = view.phases[phase]
    members = {**inputs, "inputs": Group(f'an input of phase "{phase}"', inputs), "run": run(view)}
    if spec.uses is not None:
        members["result"] = kept(view, phase)
    if spec.for_each is not None:
        members[spec.for_each.as_] = None
    return Group("given to it", members)


def run(view: View) -> Shape:
    """What is told of the run itself."""
    visits = dict.fromkeys(view.phases, _COUNT)
    schema = _closed({"id": {"type": "string"}, "step": _COUNT, "visits": _closed(visits)})
    return Shape(schema, schema, "what is told of the run")


_COUNT = {"type": "integer", "minimum": 0}


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": [*properties], "properties": properties, "additionalProperties": False}


def kept(view: View, phase: str) -> Shape | None:
    """The phase's result, as far as its schema tells."""
    return _shape(view.result_schema(phase), f'the result of phase "{phase}"')


def _inputs(view: View, phase: str) -> dict[str, Group | Shape | None]:
    return {name: _shape(spec.json_schema, f'input "{name}"') for name, spec in view.phases[phase].inputs.items()}


def _phases(view: View) -> Group:
    return Group("a phase", {name: _one(view, name) for name in view.phases})


def _one(view: View, name: str) -> Group:
    phase = view.phases[name]
    members: dict[str, Group | Shape | None] = {
        "error": None,
        "inputs": Group(f'an input of phase "{name}"', _inputs(view, name)),
        "status": None,
    }
    if phase.answer is not None:
        answer = None if phase.for_each else view.definition.answers.get(name)
        members["answer"] = _shape(answer, f'the answer of phase "{name}"')
    if phase.uses is not None:
        members["result"] = kept(view, name)
    return Group(f'something that phase "{name}" keeps', members)


def _shape(schema: Mapping[str, Any] | None, label: str) -> Shape | None:
    return None if not schema else Shape(schema, schema, label)


def _shape_in(shape: Shape, name: str, inner: Any) -> Shape | None:
    return Shape(inner, shape.root, f'"{name}"') if isinstance(inner, dict) else None
