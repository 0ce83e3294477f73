"""Check of the JSON Schemas of outputs, answers and inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language import InputSpec, find_key, find_node, name_part, suggest_spelling
from aurora.interpreter.problems import codes, did_you_mean
from aurora.interpreter.schema import (
    find_mismatches,
    find_schema_faults,
    fits_plain_schema,
    format_json_path,
    is_plain_part,
    is_plain_schema,
)

from .check import Check
from .keywords import KEYWORDS
from .schema_contents import SchemaFinding, find_mistakes, suggest_keyword

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language import Phase
    from aurora.interpreter.problems import Problem, ProblemKind
    from aurora.interpreter.schema import SchemaFault

    from .view import Loc, WorkflowView


def check_schemas(view: WorkflowView) -> Iterator[Problem]:
    """Report invalid schemas, and defaults that do not fit their own schema."""
    review = _SchemaReview(view)
    for name, phase in view.phases.items():
        for keys, schema in _list_schemas(view, name, phase):
            yield from review.check_phase_schema(name, keys, schema)
        for key, spec in phase.inputs.items():
            yield from review.check_input_schema(name, phase, key, spec)


def _list_schemas(view: WorkflowView, name: str, phase: Phase) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield the schemas of a phase, each with its keys."""
    if name in view.definition.outputs:
        yield ("output",), view.definition.outputs[name]
    if name in view.definition.answers and phase.answer is not None:
        yield ("answer",), view.definition.answers[name]
    for branch in phase.branches or ():
        found = view.definition.answers.get(name_part(name, branch))
        if found is not None:
            yield ("branches", branch, "answer"), found


class _SchemaReview:
    """Examination of the schemas of a workflow, of each different one once: phases repeat theirs."""

    def __init__(self, view: WorkflowView) -> None:
        self.view = view
        self._known: dict[str, tuple[Sequence[SchemaFault], Sequence[SchemaFinding]]] = {}

    def _examine(self, schema: Mapping[str, Any]) -> tuple[Sequence[SchemaFault], Sequence[SchemaFinding]]:
        """Return the faults of a schema; without any, its mistakes."""
        text = repr(schema)
        if text not in self._known:
            is_plain = is_plain_schema(schema, text)
            faults = () if is_plain else find_schema_faults(schema)
            self._known[text] = faults, () if is_plain or faults else tuple(find_mistakes(schema))
        return self._known[text]

    def check_phase_schema(self, phase: str, keys: tuple[str, ...], schema: Mapping[str, Any]) -> Iterator[Problem]:
        """Report the mistakes in the schema at these keys of a phase."""
        view, tree = self.view, None
        faults, mistakes = self._examine(schema)
        for fault in faults or mistakes:
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

    def check_input_schema(self, name: str, phase: Phase, key: str, spec: InputSpec) -> Iterator[Problem]:
        """Report the mistakes in the schema of an input, and a default that does not fit it."""
        view, schema = self.view, spec.json_schema
        loc: Loc = ("phases", name, "inputs", key)
        yield from _check_unknown_keys(view, name, key, schema)
        faults, mistakes = self._examine(schema)
        for fault in faults or _select_input_mistakes(mistakes):
            path = f" at {format_json_path(fault.steps)}" if fault.steps else ""
            code, words = _judge(fault)
            message = f'input "{key}" of phase "{name}" {words}{path}: {fault.reason}'
            yield code.make_problem(view.locate_value(*loc, *fault.steps), message, help=fault.help)
        if faults or not spec.has_default or (spec.default is None and phase.inputs[key].optional):
            return
        if is_plain_part(schema) and fits_plain_schema(spec.default, schema):
            return
        for mismatch in find_mismatches(spec.default, schema):
            path = f" at {format_json_path(mismatch.steps)}" if mismatch.steps else ""
            message = f'the default of input "{key}" does not fit its own schema{path}: {mismatch.message}'
            node = find_node(view.definition.root, (*loc, "default"))
            fix = None if mismatch.steps else suggest_spelling(node, _SCALAR_KINDS.get(str(schema.get("type")), ""))
            help_ = f"write {fix.new}" if fix else ""
            place = view.locate_value(*loc, "default", *mismatch.steps)
            yield codes.BAD_SCHEMA.make_problem(place, message, help=help_, fix=fix)


def _judge(fault: SchemaFault | SchemaFinding) -> tuple[ProblemKind, str]:
    """Return the kind of a mistake in a schema, and the words for it."""
    if isinstance(fault, SchemaFinding) and not fault.is_fatal:
        return codes.SUSPECT_SCHEMA, "is probably not what is meant"
    return codes.BAD_SCHEMA, "is not a usable JSON Schema"


def _select_input_mistakes(mistakes: Sequence[SchemaFinding]) -> list[SchemaFinding]:
    """Select the mistakes in the schema of an input, besides its unknown keys."""
    return [one for one in mistakes if len(one.steps) > 1 or one.steps[-1] in KEYWORDS]


_SCALAR_KINDS = {"boolean": "bool_type", "integer": "int_type", "number": "int_type"}


def _check_unknown_keys(view: WorkflowView, phase: str, key: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    for word in schema:
        if word not in KEYWORDS and not word.startswith("x-"):
            own = {known.alias or name for name, known in InputSpec.model_fields.items()}
            message = (
                f'unexpected key "{word}" in input "{key}" of phase "{phase}"; expected "default", "from", "optional" '
                "or a keyword of JSON Schema"
            )
            place = find_key(view.definition.root, ("phases", phase, "inputs", key, word)).place
            yield codes.UNEXPECTED_KEY.make_problem(
                place,
                message,
                help=did_you_mean(word, own) or suggest_keyword(word, schema[word]),
            )


CHECK = Check(check_schemas, is_local=True)
