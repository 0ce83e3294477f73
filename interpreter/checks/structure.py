"""Checks of the words of a workflow: names, keys that need each other, forms, outputs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.scopes import build_result_shape
from aurora.interpreter.checks.expressions.shapes import Shape, UnknownName, describe_types, resolve_path
from aurora.interpreter.checks.expressions.types import infer_item, infer_json_types
from aurora.interpreter.language.build import find_node
from aurora.interpreter.language.model import CONTINUE, RESERVED_INPUTS, RESERVED_PHASES
from aurora.interpreter.problems import codes, did_you_mean, list_names, suggest_fix
from aurora.interpreter.schema.json_values import format_json_path
from aurora.interpreter.schema.lint import find_schema_faults
from aurora.interpreter.schema.validate import find_mismatches

from .schemas import KEYWORDS
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import BaseModel

    from aurora.interpreter.language.model import Phase
    from aurora.interpreter.problems import Place, Problem

    from .view import Loc, WorkflowView

RENAME_HELP = "choose another name"
RESERVED_ITEMS = frozenset({"inputs", "result", "run", "loop", "vars"})
"""Names in a prompt's scope besides the inputs."""
_SCOPE_NAMES = frozenset({"answers", "inputs", "phases", "result", "vars"})

REQUIRED_KEYS = (
    ("output", ("uses",), "there is no result without a tool"),
    ("params", ("uses",), "only a tool has settings"),
    ("returns", ("uses", "workflow"), "there is no result without a tool or a workflow"),
    ("with", ("uses", "workflow"), "only a tool or a workflow has arguments"),
    ("prompt_template", ("answer",), "a prompt needs the schema of its answer"),
    ("answer", ("prompt_template",), "an answer needs a prompt"),
    ("for_each", ("prompt_template", "workflow"), "for_each has a prompt, or a walk of a workflow, for each item"),
)
"""A key, the keys of which it needs one, and the reason."""

_ASKING_KEYS = ("prompt_template", "branches", "person")
EXCLUDED_KEYS = (
    ("workflow", ("uses", *_ASKING_KEYS), "a workflow runs as the whole phase"),
    ("branches", ("prompt_template", "for_each", "person"), "the branches are the prompts of the phase"),
    ("person", ("prompt_template", "uses", "for_each"), "only the person answers such a phase"),
)
"""A key, the keys that the same phase cannot have, and the reason."""

FIELD_TYPES = frozenset({"string", "number", "integer", "boolean"})
"""The types of a form's fields: those of an elicitation of the Model Context Protocol."""

_MAX_DEPTH = 5


def check_reserved_names(view: WorkflowView) -> Iterator[Problem]:
    """Report aliases of another phase, and reserved words used as names."""
    owners: dict[str, tuple[str, Callable[[], Place]]] = {
        name: (f'phase "{name}"', partial(view.locate_key, "phases", name)) for name in view.phases
    }
    for name, phase in view.phases.items():
        if name in RESERVED_PHASES:
            message = f'"{name}" cannot name a phase: {_describe_reserved(name)}'
            yield codes.RESERVED_NAME.make_problem(view.locate_key("phases", name), message, help=RENAME_HELP)
        for index, alias in enumerate(phase.aliases):
            yield from _check_alias(view, name, index, alias, owners)
        yield from _check_item_name(view, name, phase)
        for key in phase.inputs:
            if key in RESERVED_INPUTS:
                what = "expressions have another value" if key in _SCOPE_NAMES else "the call has an argument"
                message = f'"{key}" cannot name an input of phase "{name}": {what} of that name'
                yield codes.RESERVED_NAME.make_problem(
                    view.locate_key("phases", name, "inputs", key), message, help=RENAME_HELP
                )


def _check_item_name(view: WorkflowView, name: str, phase: Phase) -> Iterator[Problem]:
    """Report a `for_each` item whose name the prompt already has."""
    if phase.for_each is None:
        return
    item = phase.for_each.as_
    if item in RESERVED_ITEMS:
        place = view.locate_value("phases", name, "for_each", "as")
        message = f'"{item}" cannot name the item of phase "{name}": the prompt has another value of that name'
        yield codes.RESERVED_NAME.make_problem(place, message, help="for example `as: item`")
    elif item in phase.inputs:
        place = view.locate_value("phases", name, "for_each", "as")
        other = view.locate_key("phases", name, "inputs", item)
        message = f'"{item}" names both the item of phase "{name}" and one of its inputs'
        yield codes.NAME_CLASH.make_problem(
            place, message, help="give the item another name", note=f"the input is at {other.label}"
        )


def _check_alias(
    view: WorkflowView, phase: str, index: int, alias: str, owners: dict[str, tuple[str, Callable[[], Place]]]
) -> Iterator[Problem]:
    locate = partial(view.locate_value, "phases", phase, "aliases", index)
    if alias in RESERVED_PHASES:
        yield codes.RESERVED_NAME.make_problem(
            locate(), f'"{alias}" cannot be an alias: {_describe_reserved(alias)}', help=RENAME_HELP
        )
    elif alias in owners:
        owner, other = owners[alias]
        if owner == f'an alias of phase "{phase}"':
            yield codes.NAME_CLASH.make_problem(
                locate(), f'alias "{alias}" of phase "{phase}" is given twice', help="keep one of the two"
            )
            return
        note = f"{owner} is at {other().label}"
        yield codes.NAME_CLASH.make_problem(
            locate(), f'alias "{alias}" of phase "{phase}" is taken by {owner}', help=RENAME_HELP, note=note
        )
    else:
        owners[alias] = (f'an alias of phase "{phase}"', locate)


def _describe_reserved(name: str) -> str:
    return "a call of that name runs what comes next" if name == CONTINUE else "it is the end of a run"


NAMES = Check(check_reserved_names, is_local=True)


def check_key_combinations(view: WorkflowView) -> Iterator[Problem]:
    """Report keys without the key that they need, and keys that exclude each other."""
    for name, phase in view.phases.items():
        written = _list_written_keys(phase)
        for key, needed, reason in REQUIRED_KEYS:
            # Such a phase is told to move its answer, by the other table, and must not be told to add a prompt.
            excluded = key == "answer" and written & {"branches", "person"}
            if key in written and not written & set(needed) and not excluded:
                wanted = " or ".join(f'"{other}"' for other in needed)
                message = f'"{key}" of phase "{name}" needs {wanted} too: {reason}'
                help_ = f'add {wanted}, or remove "{key}"'
                yield codes.MEANINGLESS_COMBINATION.make_problem(
                    view.locate_key("phases", name, key), message, help=help_
                )
        yield from _check_exclusions(view, name, written)
        yield from _check_skip(view, name)
        yield from _check_limit(view, name)
        yield from _check_prompts_at_once(view, name)
        yield from _check_idle_keys(view, name)


def _check_exclusions(view: WorkflowView, name: str, written: set[str]) -> Iterator[Problem]:
    for key, excluded, reason in EXCLUDED_KEYS:
        others = [other for other in (*excluded, *(() if key == "workflow" else ("answer",))) if other in written]
        if key in written and others:
            found = others[0]
            message = f'phase "{name}" has both "{key}" and "{found}": {reason}'
            help_ = "put one of them into a phase of its own"
            if found == "answer":
                help_ = "give each branch its own `answer`" if key == "branches" else "list the fields under `form`"
            yield codes.MEANINGLESS_COMBINATION.make_problem(
                view.locate_key("phases", name, found), message, help=help_
            )


def _check_skip(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report a phase that can be skipped and has no rule to leave it by then."""
    phase = view.phases[name]
    if phase.when is not None and all(rule.when is not None for rule in phase.next_action):
        message = f'"when" of phase "{name}" needs a rule without `when`: it leads on when the phase is skipped'
        yield codes.MEANINGLESS_COMBINATION.make_problem(
            view.locate_key("phases", name, "when"), message, help="add a last rule `{ then: PHASE }`"
        )


def _check_limit(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report a `limit` of a list without the target for a longer list, and the other way round."""
    loop = view.phases[name].for_each
    if loop is None or (loop.limit is None) is (loop.else_ is None):
        return
    key, other = ("limit", "else") if loop.else_ is None else ("else", "limit")
    remedy = "`else: PHASE`, the target for a longer list" if other == "else" else "`limit: 100`, the most items"
    message = f'"{key}" in "for_each" of phase "{name}" needs "{other}" too'
    yield codes.MEANINGLESS_COMBINATION.make_problem(
        view.locate_key("phases", name, "for_each", key), message, help=f"add {remedy}"
    )


def _check_prompts_at_once(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report a `for_each` without the `max` that prompts need; walks come one after another."""
    phase = view.phases[name]
    if phase.for_each is None or phase.for_each.max is not None or phase.workflow is not None:
        return
    message = f'key "max" is missing in "for_each" of phase "{name}"'
    place = view.locate_key("phases", name, "for_each")
    yield codes.MISSING_KEY.make_problem(place, message, help="add the most prompts in one response: `max: 5`")


def _check_idle_keys(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report keys that change nothing."""
    phase = view.phases[name]
    for key, spec in phase.inputs.items():
        if spec.override and spec.from_ is None:
            message = f'"override" of input "{key}" has no effect: without "from", the run knows no value to replace'
            place = view.locate_key("phases", name, "inputs", key, "override")
            yield codes.NO_EFFECT.make_problem(place, message, help='remove "override", or add "from"')
    if phase.on_error == name:
        message = (
            f'"on_error" of phase "{name}" names the phase itself, and has no effect: the failure would come again'
        )
        place = view.locate_value("phases", name, "on_error")
        yield codes.NO_EFFECT.make_problem(
            place, message, help="name another phase, or remove it: the call is refused, and can be sent again"
        )
    if phase.hints is not None and not (phase.prompt_template or phase.branches or phase.workflow):
        message = f'"hints" of phase "{name}" have no effect: the phase has no prompt for the host'
        place = view.locate_key("phases", name, "hints")
        yield codes.NO_EFFECT.make_problem(place, message, help='remove "hints", or move them to a phase with a prompt')

    if phase.allows is not None and not (phase.asks or phase.workflow):
        message = f'"allows" of phase "{name}" has no effect: no run waits for the host there'
        place = view.locate_key("phases", name, "allows")
        yield codes.NO_EFFECT.make_problem(place, message, help="move it to a phase with a prompt")


def _list_written_keys(phase: BaseModel) -> set[str]:
    fields = type(phase).model_fields
    return {fields[name].alias or name for name in phase.model_fields_set if getattr(phase, name) is not None}


COMBINATIONS = Check(check_key_combinations, is_local=True)


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
    # A schema that is not one cannot be judged as a field, and one mistake is told once.
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


FORMS = Check(check_forms, is_local=True)


def check_returned_fields(view: WorkflowView) -> Iterator[Problem]:
    """Report names under `returns` that the result of the phase does not have."""
    for name, phase in view.phases.items():
        shape = build_result_shape(view, name) if phase.returns else None
        for index, field in enumerate(phase.returns or ()):
            found = resolve_path(shape, (field,))
            if not isinstance(found, UnknownName):
                continue
            choices = f"; expected one of {list_names(found.known)}" if found.known else ""
            yield codes.UNKNOWN_FIELD.make_problem(
                view.locate_value("phases", name, "returns", index),
                f"{found.sentence}{choices}",
                help=did_you_mean(field, found.known),
                fix=suggest_fix(field, found.known),
            )


RETURNED = Check(check_returned_fields, is_local=True)


def check_outputs(view: WorkflowView) -> Iterator[Problem]:
    """Report each field that an `output` requires and the tool never gives, or never with that type."""
    for name, phase in view.phases.items():
        facts, own = view.find_tool(name), view.definition.outputs.get(name)
        if phase.output is None or facts is None or own is None:
            continue
        given = Shape(facts.output, facts.output, f'the result of "{facts.name}"')
        for steps, message, help_ in _find_misfits(given, Shape(own, own, '"output"'), ()):
            tree = view.load_schema_tree(name, "output")
            yield codes.SCHEMA_MISFIT.make_problem(find_node(tree, steps).place, message, help=help_)


def _find_misfits(given: Shape, wanted: Shape, steps: Loc) -> Iterator[tuple[Loc, str, str]]:
    """Yield the steps to what never fits in the wanted schema, a message, and its help."""
    got, want = infer_json_types(given), infer_json_types(wanted)
    if got and want and not got & want:
        message = f"{given.label} is {describe_types(got)}, and never {describe_types(want)}"
        yield (*steps, "type"), message, "the run would fail here: correct the schema"
        return
    schema = wanted.resolve() or {}
    # Each level of a schema takes two steps, `properties` and the
    # name; a schema may refer to itself, without an end.
    if len(steps) >= 2 * _MAX_DEPTH:
        return
    for index, field in enumerate(schema.get("required", ())):
        found = resolve_path(given, (field,)) if isinstance(field, str) else None
        if isinstance(found, UnknownName):
            message = f"{found.sentence}, and the output requires it: the run would fail here"
            choices = f"expected one of {list_names(found.known)}" if found.known else ""
            yield (*steps, "required", index), message, did_you_mean(field, found.known) or choices
    for field in schema.get("properties", {}):
        found, inner = resolve_path(given, (field,)), resolve_path(wanted, (field,))
        if isinstance(found, Shape) and isinstance(inner, Shape):
            yield from _find_misfits(found, inner, (*steps, "properties", field))
    item, wanted_item = infer_item(given), infer_item(wanted)
    if got == want == {"array"} and item is not None and wanted_item is not None:
        yield from _find_misfits(item, wanted_item, (*steps, "items"))


OUTPUTS = Check(check_outputs, is_local=True)
