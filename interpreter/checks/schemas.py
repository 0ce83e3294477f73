"""Check of the JSON Schemas of outputs, answers and inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language import InputSpec, find_key, find_node, name_part, suggest_spelling
from aurora.interpreter.problems import codes, did_you_mean
from aurora.interpreter.schema import find_mismatches, find_schema_faults, format_json_path

from .check import Check
from .keywords import KEYWORDS, OTHER_WORDS
from .schema_contents import SchemaFinding, find_mistakes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language import Phase
    from aurora.interpreter.problems import Problem, ProblemKind
    from aurora.interpreter.schema import SchemaFault

    from .view import Loc, WorkflowView


def check_schemas(view: WorkflowView) -> Iterator[Problem]:
    """Report invalid schemas, and defaults that do not fit their own schema."""
    for name, phase in view.phases.items():
        for keys, schema in _list_schemas(view, name, phase):
            yield from _check_phase_schema(view, name, keys, schema)
        for key, spec in phase.inputs.items():
            yield from _check_input_schema(view, name, phase, key, spec)


def _list_schemas(view: WorkflowView, name: str, phase: Phase) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the schemas of a phase, each with its keys."""
    if name in view.definition.outputs:
        yield ("output",), view.definition.outputs[name]
    if name in view.definition.answers and phase.answer is not None:
        yield ("answer",), view.definition.answers[name]
    for branch in phase.branches or ():
        found = view.definition.answers.get(name_part(name, branch))
        if found is not None:
            yield ("branches", branch, "answer"), found


def _check_phase_schema(view: WorkflowView, phase: str, keys: tuple[str, ...], schema: Any) -> Iterator[Problem]:
    tree = None
    for fault in [*find_schema_faults(schema)] or find_mistakes(schema):
        tree = tree or view.load_schema_tree(phase, *keys)
        path = f" at {format_json_path(fault.steps)}" if fault.steps else ""
        branch = f'branch "{keys[1]}" of ' if len(keys) > 1 else ""
        subject = f'"{keys[-1]}" of {branch}phase "{phase}"'
        code, words = _judge(fault)
        message = f"{subject} {words}{path}: {fault.reason}"
        named_at = view.locate_value("phases", phase, *keys)
        node = find_node(tree, fault.steps)
        note = f"it is referred to at {named_at.label}" if node.place.path != named_at.path else ""
        yield code.make_problem(node.place, message, help=fault.help, note=note)


def _judge(fault: SchemaFault | SchemaFinding) -> tuple[ProblemKind, str]:
    """Return the kind of a mistake in a schema, and the words for it."""
    if isinstance(fault, SchemaFinding) and not fault.is_fatal:
        return codes.SUSPECT_SCHEMA, "is probably not what is meant"
    return codes.BAD_SCHEMA, "is not a usable JSON Schema"


def _check_input_schema(view: WorkflowView, name: str, phase: Phase, key: str, spec: InputSpec) -> Iterator[Problem]:
    loc: Loc = ("phases", name, "inputs", key)
    yield from _check_unknown_keys(view, name, key, spec)
    faults = [*find_schema_faults(spec.json_schema)]
    for fault in faults or _find_input_mistakes(spec):
        path = f" at {format_json_path(fault.steps)}" if fault.steps else ""
        code, words = _judge(fault)
        message = f'input "{key}" of phase "{name}" {words}{path}: {fault.reason}'
        yield code.make_problem(view.locate_value(*loc, *fault.steps), message, help=fault.help)
    if faults or not spec.has_default or (spec.default is None and phase.inputs[key].optional):
        return
    for mismatch in find_mismatches(spec.default, spec.json_schema):
        path = f" at {format_json_path(mismatch.steps)}" if mismatch.steps else ""
        message = f'the default of input "{key}" does not fit its own schema{path}: {mismatch.message}'
        node = find_node(view.definition.root, (*loc, "default"))
        fix = (
            None if mismatch.steps else suggest_spelling(node, _SCALAR_KINDS.get(str(spec.json_schema.get("type")), ""))
        )
        help_ = f"write {fix.new}" if fix else ""
        yield codes.BAD_SCHEMA.make_problem(
            view.locate_value(*loc, "default", *mismatch.steps), message, help=help_, fix=fix
        )


def _find_input_mistakes(spec: InputSpec) -> Iterator[SchemaFinding]:
    """Find the mistakes in the schema of an input, besides its unknown keys."""
    return (one for one in find_mistakes(spec.json_schema) if len(one.steps) > 1 or one.steps[-1] in KEYWORDS)


_SCALAR_KINDS = {"boolean": "bool_type", "integer": "int_type", "number": "int_type"}


def _check_unknown_keys(view: WorkflowView, phase: str, key: str, spec: InputSpec) -> Iterator[Problem]:
    own = {field.alias or name for name, field in InputSpec.model_fields.items()}
    for word in spec.json_schema:
        if word not in KEYWORDS and not word.startswith("x-"):
            message = (
                f'unexpected key "{word}" in input "{key}" of phase "{phase}"; expected "default", "from", "optional" '
                "or a keyword of JSON Schema"
            )
            place = find_key(view.definition.root, ("phases", phase, "inputs", key, word)).place
            yield codes.UNEXPECTED_KEY.make_problem(
                place,
                message,
                help=did_you_mean(word, own) or OTHER_WORDS.get(word, "") or did_you_mean(word, KEYWORDS),
            )


CHECK = Check(check_schemas, is_local=True)
