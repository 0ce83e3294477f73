"""Check of the schemas of a person's form and of a workflow's output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.check import Check
from aurora.interpreter.checks.keywords import KEYWORDS
from aurora.interpreter.problems import codes, did_you_mean
from aurora.interpreter.schema import find_mismatches, find_schema_faults, format_json_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.view import Loc, WorkflowView
    from aurora.interpreter.problems import Problem

FIELD_TYPES = frozenset({"string", "number", "integer", "boolean"})
"""The types of a form's fields: those of an elicitation of the Model Context Protocol."""


def check_forms(view: WorkflowView) -> Iterator[Problem]:
    """Report fields of forms that no host can show, and unusable schemas of forms and outputs."""
    for name, phase in view.phases.items():
        for key, schema in (phase.person.form if phase.person is not None else {}).items():
            yield from _check_field(view, name, key, schema)
    for key, spec in (view.definition.workflow.output or {}).items():
        subject = f'"{key}" of the output'
        yield from _check_schema(view, ("output", key), subject, spec.json_schema)
        yield from _check_default(view, ("output", key), subject, spec.json_schema)


def _check_field(view: WorkflowView, phase: str, key: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    loc: Loc = ("phases", phase, "person", "form", key)
    subject = f'field "{key}" of the form of phase "{phase}"'
    faults = list(_check_schema(view, loc, subject, schema))
    yield from faults
    if faults:
        return
    choices, type_ = schema.get("enum"), schema.get("type", "string" if "enum" in schema else None)
    if type_ not in FIELD_TYPES or (choices is not None and not _are_texts(choices)):
        message = f"{subject} must be a text, a number, an integer, a boolean, or a choice of texts"
        help_ = "for example `{ type: boolean }`, or `{ enum: [yes, no] }`"
        yield codes.BAD_SCHEMA.make_problem(view.locate_value(*loc), message, help=help_)
    else:
        yield from _check_default(view, loc, subject, schema)


def _check_default(view: WorkflowView, loc: Loc, subject: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    for mismatch in find_mismatches(schema["default"], schema) if "default" in schema else ():
        message = f"the default of {subject} does not fit its own schema: {mismatch.message}"
        yield codes.BAD_SCHEMA.make_problem(view.locate_value(*loc, "default"), message)


def _are_texts(choices: Any) -> bool:
    return isinstance(choices, list) and bool(choices) and all(isinstance(choice, str) for choice in choices)


def _check_schema(view: WorkflowView, loc: Loc, subject: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Report unknown keywords, and what makes a schema unusable."""
    for word in schema:
        if word not in KEYWORDS and not word.startswith("x-"):
            message = f'unexpected key "{word}" in {subject}; expected a keyword of JSON Schema'
            help_ = did_you_mean(word, KEYWORDS)
            yield codes.UNEXPECTED_KEY.make_problem(view.locate_key(*loc, word), message, help=help_)
    for fault in find_schema_faults(dict(schema)):
        path = f" at {format_json_path(fault.steps)}" if fault.steps else ""
        message = f"{subject} is not a usable JSON Schema{path}: {fault.reason}"
        yield codes.BAD_SCHEMA.make_problem(view.locate_value(*loc, *fault.steps), message, help=fault.help)


CHECK = Check(check_forms, is_local=True)
