"""Scopes of expressions by key; the engine builds the same ones at run time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions.shapes import Namespace, Shape
from aurora.interpreter.checks.expressions.types import infer_item

from . import sources
from .values import (
    build_answer_shape,
    build_constants,
    build_loop_shape,
    build_result_shape,
    build_run_shape,
)

if TYPE_CHECKING:
    from aurora.interpreter.checks.expressions.shapes import InferredType
    from aurora.interpreter.checks.view import WorkflowView

_COMPOSING_KEYWORDS = frozenset({"allOf", "anyOf", "oneOf", "if"})


def build_from_scope(view: WorkflowView) -> Namespace:
    """Build the scope of an input's `from`: inputs, the values of phases, the run, constants."""
    return sources.build_source_scope(view, sources.infer_inputs(view))


def build_rule_scope(view: WorkflowView, phase: str, recalled: Namespace, *, answered: bool) -> Namespace:
    """Build the scope of `when` and `for_each.in`: the result's fields and the run's.

    Args:
        view: the workflow.
        phase: the phase whose rules they are.
        recalled: the scope of the same view's `from`, which supplies the phases.
        answered: whether the phase's own answer is there, as for a `when`.
    """
    own: dict[str, InferredType] = {
        "inputs": Namespace(f'an input of phase "{phase}"', sources.infer_inputs(view).get(phase, {})),
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
    inputs = sources.infer_inputs(view).get(phase, {})
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
    inputs = sources.infer_inputs(view).get(phase, {})
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
