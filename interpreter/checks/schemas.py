"""Schemas that are JSON Schema, and stay at home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import codes
from ..values import faults, schema_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..problems import Problem
    from .view import Loc, View


def problems(view: View) -> Iterator[Problem]:
    """Outputs, answers and inputs that are no JSON Schema, and defaults that do not fit their own."""
    for name, phase in view.phases.items():
        for key, found in (("output", view.definition.outputs), ("answer", view.definition.answers)):
            if name in found:
                yield from _schema(view, found[name], ("phases", name, key), f'"{key}" of phase "{name}"')
        for key, spec in phase.inputs.items():
            loc: Loc = ("phases", name, "inputs", key)
            wrong = list(_schema(view, spec.json_schema, loc, f'input "{key}" of phase "{name}"'))
            yield from wrong
            if not wrong and spec.has_default:
                for fault in faults(spec.default, spec.json_schema):
                    message = f'the default of input "{key}" does not fit its own schema: {fault["message"]}'
                    yield codes.BAD_SCHEMA.at(view.value(*loc, "default"), message)


def _schema(view: View, schema: Any, loc: Loc, what: str) -> Iterator[Problem]:
    fault = schema_fault(schema)
    if fault is not None:
        path, reason = fault
        steps = tuple(step for step in path[2:].split(".") if step)
        yield codes.BAD_SCHEMA.at(view.value(*loc, *steps), f"{what} is no JSON Schema at {path}: {reason}")
