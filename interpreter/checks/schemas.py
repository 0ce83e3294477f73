"""Schemas that are JSON Schema, and stay at home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import find, find_key, spelt
from aurora.interpreter.language.model import InputSpec
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.suggestions import did_you_mean
from aurora.interpreter.schema.lint import schema_faults
from aurora.interpreter.schema.validate import json_path, mismatches

from .keywords import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language.model import Phase
    from aurora.interpreter.problems.problem import Problem

    from .view import Loc, View


def problems(view: View) -> Iterator[Problem]:
    """Outputs, answers and inputs that are no JSON Schema, and defaults that do not fit their own."""
    for name, phase in view.phases.items():
        for key, found in (("output", view.definition.outputs), ("answer", view.definition.answers)):
            if name in found:
                yield from _of_phase(view, name, key, found[name])
        for key, spec in phase.inputs.items():
            yield from _of_input(view, name, phase, key, spec)


def _of_phase(view: View, phase: str, key: str, schema: Any) -> Iterator[Problem]:
    tree = None
    for fault in schema_faults(schema):
        tree = tree or view.schema_tree(phase, key)
        path = f" at {json_path(fault.steps)}" if fault.steps else ""
        message = f'"{key}" of phase "{phase}" is no usable JSON Schema{path}: {fault.reason}'
        said = view.value("phases", phase, key)
        node = find(tree, fault.steps)
        note = f"it is named at {said.at}" if node.place.path != said.path else ""
        yield codes.BAD_SCHEMA.at(node.place, message, help=fault.help, note=note)


def _of_input(view: View, name: str, phase: Phase, key: str, spec: InputSpec) -> Iterator[Problem]:
    loc: Loc = ("phases", name, "inputs", key)
    yield from _unknown_keys(view, name, key, spec)
    wrong = schema_faults(spec.json_schema)
    for fault in wrong:
        path = f" at {json_path(fault.steps)}" if fault.steps else ""
        message = f'input "{key}" of phase "{name}" is no usable JSON Schema{path}: {fault.reason}'
        yield codes.BAD_SCHEMA.at(view.value(*loc, *fault.steps), message, help=fault.help)
    if wrong or not spec.has_default or (spec.default is None and phase.inputs[key].optional):
        return
    for one in mismatches(spec.default, spec.json_schema):
        path = f" at {json_path(one.steps)}" if one.steps else ""
        message = f'the default of input "{key}" does not fit its own schema{path}: {one.message}'
        node = find(view.definition.root, (*loc, "default"))
        fix = None if one.steps else spelt(node, _KINDS.get(str(spec.json_schema.get("type")), ""))
        help_ = f"write {fix.new}" if fix else ""
        yield codes.BAD_SCHEMA.at(view.value(*loc, "default", *one.steps), message, help=help_, fix=fix)


_KINDS = {"boolean": "bool_type", "integer": "int_type", "number": "int_type"}


def _unknown_keys(view: View, phase: str, key: str, spec: InputSpec) -> Iterator[Problem]:
    own = {field.alias or name for name, field in InputSpec.model_fields.items()}
    for word in spec.json_schema:
        if word not in KEYWORDS and not word.startswith("x-"):
            message = (
                f'unexpected key "{word}" in input "{key}" of phase "{phase}"; expected "default", "from", "optional" '
                "or a keyword of JSON Schema"
            )
            place = find_key(view.definition.root, ("phases", phase, "inputs", key, word)).place
            yield codes.UNEXPECTED_KEY.at(place, message, help=did_you_mean(word, own | KEYWORDS))
