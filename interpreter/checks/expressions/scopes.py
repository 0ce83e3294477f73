"""Scopes of expressions and prompts, and the expressions of a workflow with theirs."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .inference import infer_expression
from .shapes import Namespace, Shape
from .sites import ExpressionSite
from .types import build_list_shape, infer_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.language.model import InputSpec

    from .shapes import InferredType

_COMPOSING_KEYWORDS = frozenset({"allOf", "anyOf", "oneOf", "if"})

InputShapes = dict[str, dict[str, "InferredType"]]
"""The shapes of the inputs, by phase and name."""

_MAX_ROUNDS = 3
"""Inputs of inputs of inputs are typed; a longer chain is unknown."""

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


@lru_cache(maxsize=1)
# One entry: the checks of a workflow run one after another, over one view.
def collect_sites(view: WorkflowView) -> tuple[ExpressionSite, ...]:
    """Collect all expressions, phase by phase; cached, because several checks need them."""
    return tuple(_iterate_sites(view))


def collect_phase_sites(view: WorkflowView, phase: str) -> tuple[ExpressionSite, ...]:
    """Collect the expressions of one phase."""
    return _index_sites(view).get(phase, ())


@lru_cache(maxsize=1)
def _index_sites(view: WorkflowView) -> Mapping[str, tuple[ExpressionSite, ...]]:
    found: dict[str, list[ExpressionSite]] = {}
    for site in collect_sites(view):
        found.setdefault(site.phase, []).append(site)
    return {phase: tuple(own) for phase, own in found.items()}


def infer_loop(view: WorkflowView, phase: str) -> InferredType:
    """Infer the list that the phase's `for_each` goes through; None without one."""
    site = next((site for site in collect_phase_sites(view, phase) if site.kind == "for_each"), None)
    return infer_expression(site) if site is not None else None


def _iterate_sites(view: WorkflowView) -> Iterator[ExpressionSite]:
    recalled = build_from_scope(view)
    for name in view.phases:
        yield from _iterate_phase(view, name, recalled)
    scope = replace(recalled, label='in the scope of "output"')
    for key, spec in (view.definition.workflow.output or {}).items():
        yield ExpressionSite(view, "", "output", spec.from_, ("output", key, "from"), lambda: scope)


def _iterate_phase(view: WorkflowView, name: str, recalled: Namespace) -> Iterator[ExpressionSite]:
    phase = view.phases[name]
    for key, spec in phase.inputs.items():
        if spec.from_:
            yield ExpressionSite(
                view, name, "from", spec.from_, ("phases", name, "inputs", key, "from"), lambda: recalled
            )
    if phase.when is not None:
        skipping = replace(recalled, label='in the scope of the "when" of a phase')
        yield ExpressionSite(view, name, "skip", phase.when, ("phases", name, "when"), lambda: skipping)
    loop: InferredType = None
    if phase.for_each:
        scope = build_rule_scope(view, name, recalled, answered=False)
        loc = ("phases", name, "for_each", "in")
        site = ExpressionSite(view, name, "for_each", phase.for_each.in_, loc, lambda: scope)
        loop = infer_expression(site)
        yield site
    if phase.with_:
        given = build_with_scope(view, name, loop)
        for key, text in phase.with_.items():
            yield ExpressionSite(view, name, "with", text, ("phases", name, "with", key), lambda: given)
    yield from _iterate_rules(view, name, recalled)


def _iterate_rules(view: WorkflowView, name: str, recalled: Namespace) -> Iterator[ExpressionSite]:
    rules = view.phases[name].next_action
    if all(rule.when is None for rule in rules):
        return
    decided = _RuleScope(view, name, recalled)
    for index, rule in enumerate(rules):
        if rule.when is not None:
            loc = (*view.build_rule_path(name, index), "when")
            yield ExpressionSite(view, name, "when", rule.when, loc, decided, index)


class _RuleScope:
    """The scope of a phase's rules, built when one of them is examined.

    `functools.cache` would take 12 microseconds for each phase.

    Args:
        view: the workflow.
        phase: the phase.
        recalled: the scope of its inputs.
    """

    __slots__ = ("_built", "_given")

    def __init__(self, view: WorkflowView, phase: str, recalled: Namespace) -> None:
        self._given = (view, phase, recalled)
        self._built: Namespace | None = None

    def __call__(self) -> Namespace:
        """Return the scope."""
        if self._built is None:
            self._built = build_rule_scope(*self._given, answered=True)
        return self._built


def build_from_scope(view: WorkflowView) -> Namespace:
    """Build the scope of an input's `from`: inputs, the values of phases, the run, constants."""
    return build_source_scope(view, infer_inputs(view))


def build_rule_scope(view: WorkflowView, phase: str, recalled: Namespace, *, answered: bool) -> Namespace:
    """Build the scope of `when` and `for_each.in`: the result's fields and the run's.

    Args:
        view: the workflow.
        phase: the phase whose rules they are.
        recalled: the scope of the same view's `from`, which supplies the phases.
        answered: whether the phase's own answer is there, as for a `when`.
    """
    own: dict[str, InferredType] = {
        "inputs": Namespace(f'an input of phase "{phase}"', infer_inputs(view).get(phase, {})),
        **{name: recalled.members[name] for name in ("phases", "run", "vars") if name in recalled.members},
    }
    spec = view.phases[phase]
    if answered and (spec.asks or spec.answer is not None):
        own["answers" if spec.for_each else "answer"] = build_answer_shape(view, phase)
    label = f'in the result of phase "{phase}"'
    shape = build_result_shape(view, phase)
    if shape is None:
        is_open = spec.uses is not None or spec.workflow is not None
        return Namespace(label if is_open else f'in the scope of phase "{phase}"', own, open=is_open)
    known = shape.resolve() or {}
    fields = {name: _to_property_shape(shape, name, inner) for name, inner in known.get("properties", {}).items()}
    closed = known.get("additionalProperties") is False and not _COMPOSING_KEYWORDS & set(known)
    return Namespace(label, {**fields, **own}, open=not closed)


def build_with_scope(view: WorkflowView, phase: str, loop: InferredType) -> Namespace:
    """Build the scope of `with`: the phase's inputs, constants, and the item of a loop.

    Args:
        view: the workflow.
        phase: the phase whose arguments they are.
        loop: the list that its `for_each` goes through; None without one.
    """
    inputs = infer_inputs(view).get(phase, {})
    spec = view.phases[phase]
    item = {spec.for_each.as_: infer_item(loop)} if spec.for_each is not None and spec.workflow is not None else {}
    label = f'an input of phase "{phase}"'
    known = {"inputs": Namespace(label, inputs), "run": _find_run(view), **build_constants(view)}
    return Namespace(label, {**inputs, **known, **item})


def build_prompt_scope(view: WorkflowView, phase: str, loop: InferredType = None) -> Namespace:
    """Build the scope of a prompt: inputs, run, constants, result and item.

    Args:
        view: the workflow.
        phase: the phase whose prompt it is.
        loop: the list that its `for_each` goes through, if its type is known.
    """
    inputs = infer_inputs(view).get(phase, {})
    spec = view.phases[phase]
    members: dict[str, InferredType] = {
        **inputs,
        "inputs": Namespace(f'an input of phase "{phase}"', inputs),
        **build_constants(view),
        "run": _find_run(view),
    }
    if spec.uses is not None:
        members["result"] = build_result_shape(view, phase)
    if spec.for_each is not None:
        members["loop"] = build_loop_shape()
        members[spec.for_each.as_] = infer_item(loop)
    return Namespace("in its scope", members)


@lru_cache(maxsize=1)
def _find_run(view: WorkflowView) -> Shape:
    return build_run_shape(view)


def _to_property_shape(shape: Shape, name: str, inner: object) -> Shape | None:
    return Shape(inner, shape.root, f'"{name}"') if isinstance(inner, dict) else None


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
        # The host may leave out a field that has a default.
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
