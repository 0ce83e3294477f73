"""Check of schemas: their keywords, and what no value can fit."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf, isfinite
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import find_key, find_node
from aurora.interpreter.language.model import InputSpec
from aurora.interpreter.language.remedies import suggest_spelling
from aurora.interpreter.language.resources import name_part
from aurora.interpreter.problems import codes, did_you_mean
from aurora.interpreter.schema.json_values import format_json_path
from aurora.interpreter.schema.lint import (
    JSON_TYPES,
    find_schema_faults,
    fits_plain_schema,
    is_plain_part,
    is_plain_schema,
)
from aurora.interpreter.schema.validate import find_faults, find_mismatches
from aurora.interpreter.schema.validator import measure_pattern

from .view import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language.model import Phase
    from aurora.interpreter.problems import Problem, ProblemKind
    from aurora.interpreter.schema.lint import SchemaFault

    from .view import Loc, WorkflowView

_RANGES = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "contains", "then", "else")
_COMPOSED = frozenset({"allOf", "anyOf", "oneOf", "$ref", "if", "patternProperties", "$dynamicRef"})

Steps = tuple[str | int, ...]


INCREASING = "x-increasing"
"""Keyword of settings of a tool: the names of those whose numbers must increase in this order."""

KEYWORDS = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "$vocabulary",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "dependentRequired",
        "dependentSchemas",
        "deprecated",
        "description",
        "else",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "markdownDescription",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "then",
        "title",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
        "writeOnly",
    }
)
"""https://json-schema.org/draft/2020-12/schema, and `markdownDescription`, which editors know."""

OTHER_WORDS = {
    "choices": "write `enum`, and the list of values",
    "fields": "write `properties`",
    "len": "write `minLength` or `maxLength`, or `minItems` or `maxItems` for a list",
    "length": "write `minLength` or `maxLength`, or `minItems` or `maxItems` for a list",
    "mandatory": "list the names of the required fields under `required`, next to `properties`",
    "max": "write `maximum`, or `maxLength` for a text, or `maxItems` for a list",
    "min": "write `minimum`, or `minLength` for a text, or `minItems` for a list",
    "nullable": 'write `type: [string, "null"]`, with your type',
    "options": "write `enum`, and the list of values",
    "optional": "every field is optional unless its name is listed under `required`, next to `properties`",
    "oneof": "write `oneOf`",
    "range": "write `minimum` and `maximum`",
    "regex": "write `pattern`",
    "regexp": "write `pattern`",
    "size": "write `minItems` or `maxItems`, or `minLength` or `maxLength` for a text",
    "unique": "write `uniqueItems: true`",
    "values": "write `enum`, and the list of values",
}
"""Words of other schema languages that JSON Schema ignores, and what to write."""


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
        # A text as a key, because a schema is a mapping, which has no hash.
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


@dataclass(frozen=True, slots=True)
class SchemaFinding:
    """A mistake in a schema: its place, a sentence, a remedy, and whether nothing fits the schema."""

    steps: Steps
    reason: str
    help: str = ""
    is_fatal: bool = True


def find_mistakes(schema: Any, steps: Steps = (), *, alone: bool = True) -> Iterator[SchemaFinding]:
    """Find what nothing fits, and what is misspelt, in a schema and the schemas in it.

    Args:
        schema: a valid JSON Schema.
        steps: where it is.
        alone: whether no other schema describes the same value.
    """
    if not isinstance(schema, dict):
        return
    yield from _find_misspelt(schema, steps)
    yield from _find_contradictions(schema, steps)
    yield from _find_unknown_names(schema, steps) if alone else ()
    for key in _NAMED:
        inner = schema.get(key)
        for name, part in inner.items() if isinstance(inner, dict) else ():
            yield from find_mistakes(part, (*steps, key, name))
    for key in _LISTED:
        for number, part in enumerate(schema[key] if isinstance(schema.get(key), list) else ()):
            # A part of `allOf` may require what another part declares, so
            # its required names are not judged alone.
            yield from find_mistakes(part, (*steps, key, number), alone=key == "prefixItems")
    for key in _SINGLE:
        yield from find_mistakes(schema.get(key), (*steps, key), alone=key not in ("then", "else"))


def _find_misspelt(schema: Mapping[str, Any], steps: Steps) -> Iterator[SchemaFinding]:
    """Find keys that are no keyword and are close to one, or mean the same elsewhere."""
    for word in schema:
        if word in KEYWORDS or word.startswith("x-"):
            continue
        help_ = suggest_keyword(word, schema[word])
        if help_:
            yield SchemaFinding((*steps, word), _NO_KEYWORD.format(word), help_, is_fatal=False)


def suggest_keyword(word: str, value: Any) -> str:
    """Suggest what an unknown keyword means: a field or a keyword; empty when unknown."""
    field = f"if it is a field, it belongs below `properties`: `properties: {{ {word}: {{ type: … }} }}`"
    if isinstance(value, dict) and _is_like_schema(value):
        return field
    known = OTHER_WORDS.get(word.lower()) or did_you_mean(word, KEYWORDS)
    return known or (field if _is_like_schema(value) else "")


_NO_KEYWORD = '"{}" is not a keyword of JSON Schema, so it has no effect'
_TYPE_WORDS = frozenset({*JSON_TYPES, "bool", "date", "float", "int", "list", "str", "text"})
_SCHEMA_SIGNS = frozenset({"type", "enum", "const", "properties", "items", "anyOf", "oneOf", "allOf", "$ref"})


def _is_like_schema(value: Any) -> bool:
    """Return whether a value is the name of a type, or looks like a schema."""
    if isinstance(value, str):
        return value in _TYPE_WORDS
    return isinstance(value, dict) and bool(_SCHEMA_SIGNS & value.keys())


def _find_contradictions(schema: Mapping[str, Any], steps: Steps) -> Iterator[SchemaFinding]:
    for low, high in _RANGES:
        least, most = schema.get(low), schema.get(high)
        if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
            reason = f'nothing fits: "{low}" is {least}, above "{high}", which is {most}'
            yield SchemaFinding((*steps, low), reason, "exchange the two numbers")
    yield from _find_empty_range(schema, steps)
    yield from _find_exclusion(schema, steps)
    yield from _find_foreign_keywords(schema, steps)
    yield from _find_long_pattern(schema, steps)
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(choices, list) and all(find_faults(choice, schema) for choice in choices) and "$ref" not in schema:
        key = "enum" if "enum" in schema else "const"
        reason = f'nothing fits: no value of "{key}" fits the rest' if choices else 'nothing fits: "enum" has no values'
        yield SchemaFinding((*steps, key), reason, "list values that fit, or remove the other keywords")
    parts = [part for part in (schema, *_list_parts(schema)) if "type" in part]
    common = _share_types(parts)
    if parts and not common:
        yield SchemaFinding((*steps, "allOf"), "nothing fits: the types of its parts exclude one another")


def _find_exclusion(schema: Mapping[str, Any], steps: Steps) -> Iterator[SchemaFinding]:
    """Find a `not` that excludes every value."""
    if schema.get("not") in ({}, True):
        yield SchemaFinding((*steps, "not"), 'nothing fits: "not" excludes every value', "name what it excludes")


def _find_foreign_keywords(schema: Mapping[str, Any], steps: Steps) -> Iterator[SchemaFinding]:
    """Find keywords for values of another type than the schema has, such as `minLength` of a list."""
    said = schema.get("type")
    types = {said} if isinstance(said, str) else set(said) if isinstance(said, list) else set()
    for keyword in schema if types <= set(JSON_TYPES) else ():
        wanted = _KEYWORD_TYPES.get(keyword)
        if wanted is not None and types and not types & wanted:
            other = next((name for name, own in _KEYWORD_TYPES.items() if own & types and name[:3] == keyword[:3]), "")
            help_ = f"write `{other}`" if other and keyword in _COUNTS else "remove it, or correct the type"
            reason = f'"{keyword}" has no effect on {" or ".join(sorted(types))}'
            yield SchemaFinding((*steps, keyword), reason, help_, is_fatal=False)


_COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})
_KEYWORD_TYPES = {
    **dict.fromkeys(("minLength", "maxLength", "pattern"), frozenset({"string"})),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "items", "prefixItems"), frozenset({"array"})),
    **dict.fromkeys(("minProperties", "maxProperties", "properties", "required"), frozenset({"object"})),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), frozenset({"integer", "number"})),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), frozenset({"integer", "number"})),
}
"""The types that a keyword of JSON Schema says something of. Source: its draft 2020-12, section 6 of Validation."""


def _find_long_pattern(schema: Mapping[str, Any], steps: Steps) -> Iterator[SchemaFinding]:
    """Find a pattern of the whole text all of whose matches are too long or too short for the schema."""
    pattern, least, most = schema.get("pattern"), schema.get("minLength", 0), schema.get("maxLength", inf)
    if not isinstance(pattern, str) or not all(isinstance(one, int | float) for one in (least, most)):
        return
    shortest, longest = measure_pattern(pattern)
    if longest < least or shortest > most:
        length = str(shortest) if shortest == longest else f"{shortest} to {longest}"
        limit = f'"minLength" is {least}' if longest < least else f'"maxLength" is {most}'
        reason = f'nothing fits: "pattern" matches texts of {length} characters, and {limit}'
        yield SchemaFinding((*steps, "pattern"), reason, "change one of the two")


def _find_empty_range(schema: Mapping[str, Any], steps: Steps) -> Iterator[SchemaFinding]:
    """Find exclusive bounds between which there is no number, or no integer."""
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    above, below = schema.get("exclusiveMinimum", float("-inf")), schema.get("exclusiveMaximum", float("inf"))
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in (least, most, above, below)):
        return
    is_whole = schema.get("type") == "integer" and isfinite(above) and isfinite(below)
    is_empty = above >= below or above >= most or least >= below or (is_whole and floor(above) + 1 >= below)
    if is_empty:
        key = "exclusiveMinimum" if "exclusiveMinimum" in schema else "exclusiveMaximum"
        yield SchemaFinding(
            (*steps, key), f'nothing fits: "{key}" leaves no number between the bounds', "widen the bounds"
        )


def _list_parts(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parts = schema.get("allOf")
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _share_types(parts: list[Mapping[str, Any]]) -> set[str]:
    """List the types that all parts allow, where a number may be an integer."""
    shared: set[str] | None = None
    for part in parts:
        said = part["type"]
        types = {said} if isinstance(said, str) else set(said)
        types |= {"integer"} if "number" in types else set()
        shared = types if shared is None else shared & types
    return shared or set()


def _find_unknown_names(schema: Mapping[str, Any], steps: Steps) -> Iterator[SchemaFinding]:
    """Find required names that no property has; with `additionalProperties: false` nothing fits."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list) or _COMPOSED & schema.keys():
        return
    for number, name in enumerate(required):
        if name in properties or isinstance(schema.get("additionalProperties"), dict):
            continue
        is_closed = schema.get("additionalProperties") is False
        end = ', and "additionalProperties" is false, so nothing fits' if is_closed else ""
        help_ = did_you_mean(str(name), properties) or "add it to `properties`, or remove it"
        reason = f'"{name}" is required and is not a property{end}'
        yield SchemaFinding((*steps, "required", number), reason, help_, is_fatal=is_closed)
