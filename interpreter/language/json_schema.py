"""The JSON Schema of the workflow language for editors, generated from its models."""

from __future__ import annotations

from typing import Any

from .extends import ADD
from .model import ALLOWED_KINDS, LANGUAGE_VERSION, MAX_PATTERN_CHARS, MAX_PATTERNS, Workflow

SCHEMA_FILE = "workflow.schema.json"
"""The name of the schema's file, next to the workflows."""

SCHEMA_MODELINE = f"# yaml-language-server: $schema={SCHEMA_FILE}"
"""The first line of a workflow, by which an editor finds the schema."""

SCHEMA_ID = f"https://aurora.invalid/workflow-{LANGUAGE_VERSION}.schema.json"
"""The schema's id; nothing is read from this address."""

_ANY_ANSWER = {"const": True, "description": "Any answer."}
_DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest version that the YAML extensions of editors support in full."""


def build_language_schema() -> dict[str, Any]:
    """Build the schema of a workflow file: a workflow, or a patch with `extends`."""
    generated = Workflow.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    definitions = {name: _clean_schema(schema) for name, schema in generated.pop("$defs").items()}
    workflow = _clean_schema(generated)
    _adapt_phase(definitions["Phase"])
    _adapt_schema(definitions["Branch"]["properties"]["answer"], _ANY_ANSWER)
    _adapt_input(definitions["InputSpec"])
    _adapt_input(definitions["OutputField"])
    for name in ("workflow", *definitions):
        node = workflow if name == "workflow" else definitions[name]
        for key, description in _DESCRIPTIONS.get(name, {}).items():
            node["properties"][key].setdefault("description", description)
    definitions["Patch"] = _build_patch(workflow, definitions)
    definitions["Workflow"] = workflow
    return {
        "$schema": _DIALECT,
        "$id": SCHEMA_ID,
        "title": "A workflow of Aurora",
        "description": "See docs/reference/language.md; `aur workflow validate` finds what no schema can.",
        "type": "object",
        "if": {"required": ["extends"]},
        "then": {"$ref": "#/definitions/Patch"},
        "else": {"$ref": "#/definitions/Workflow"},
        "definitions": definitions,
    }


_DESCRIPTIONS: dict[str, dict[str, str]] = {
    "workflow": {
        "name": "The workflow's name: lower-case letters, digits, _ and -, a letter first.",
        "version": "The version of the workflow, any text, as 1.0.0.",
        "title": "A few words for people.",
        "description": "More words for people.",
        "start": "The phase that a run begins with.",
        "phases": "The phases by name, in the order in which people read them.",
    },
    "Phase": {
        "title": "A few words for people.",
        "description": "More words for people.",
        "aliases": "Further names of the phase, for callers and rules.",
        "inputs": "What the phase takes: a JSON Schema each, with from, default and optional.",
        "answer": "The schema of what the host must bring: a JSON Schema, or the name of a file that contains one.",
        "for_each": "A prompt, or a walk of a workflow, for each item of a list.",
    },
}
"""Descriptions of keys whose models have none."""


def _adapt_phase(phase: dict[str, Any]) -> None:
    """Add the short forms of rules, and schemas inline or by file name."""
    rules = phase["properties"]["next_action"]
    bounds = {
        "minItems": rules["minLength"],
        "maxItems": rules["maxLength"],
    }  # pydantic's names, because of the validator
    rule = {"$ref": "#/definitions/Rule"}
    target = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,39}$", "description": "A phase, an alias, or end."}
    phase["properties"]["next_action"] = {
        "description": "What follows: the first rule that is true, or a phase, an alias, or end.",
        "anyOf": [target, rule, {"type": "array", **bounds, "items": rule}],
    }
    phase["if"] = {"required": ["prompt_template"]}
    phase["then"] = {"properties": {"for_each": {"required": ["in", "as", "max"]}}}
    phase["properties"]["allows"] = {
        "type": "array",
        "minItems": 1,
        "maxItems": len(ALLOWED_KINDS),
        "description": phase["properties"]["allows"]["description"],
        "items": {"anyOf": [{"enum": list(ALLOWED_KINDS)}, _build_allowed()]},
    }
    settings = phase["properties"]["params"]
    file = {"type": "string", "pattern": r"\.ya?ml$", "description": "The name of a file that contains the settings."}
    phase["properties"]["params"] = {
        "description": settings.pop("description"),
        "anyOf": [file, settings],
    }
    _adapt_schema(phase["properties"]["output"])
    _adapt_schema(phase["properties"]["answer"], _ANY_ANSWER)


def _build_allowed() -> dict[str, Any]:
    """Build the schema of a kind with patterns, as `edit: tests/**`."""
    pattern = {"type": "string", "minLength": 1, "maxLength": MAX_PATTERN_CHARS}
    patterns = {"anyOf": [pattern, {"type": "array", "maxItems": MAX_PATTERNS, "items": pattern}]}
    properties = dict.fromkeys(ALLOWED_KINDS, patterns)
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _adapt_schema(place: dict[str, Any], *more: dict[str, Any]) -> None:
    file = {"type": "string", "description": "The name of a file that contains the schema."}
    place["anyOf"] = [file, {"type": "object", "allOf": [{"$ref": _DIALECT}]}, *more]


def _adapt_input(given: dict[str, Any]) -> None:
    """Allow the keywords of JSON Schema, which the editor knows, in an input."""
    given["allOf"] = [{"$ref": _DIALECT}]
    given["properties"].pop("default", None)  # any value, as JSON Schema's own key allows
    given["additionalProperties"] = True


def _build_patch(workflow: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Build the schema of a patch: nothing is required, null removes a key, and `add` adds to a list."""
    phase = _drop_required(definitions["Phase"], {"inputs"})
    phase["properties"]["inputs"] = {
        "type": "object",
        "additionalProperties": _allow_null(_build_open_input(definitions)),
    }
    phase["properties"]["after"] = {"type": "string", "description": "The phase behind which it comes."}
    definitions["PatchedPhase"] = phase
    patch = _drop_required(workflow, {"phases"})
    patch["properties"]["extends"] = {"type": "string", "description": "The workflow that this file patches."}
    patch["properties"]["phases"] = {
        "type": "object",
        "description": "Phases to change by name; null takes one out.",
        "additionalProperties": _allow_null({"$ref": "#/definitions/PatchedPhase"}),
    }
    patch["required"] = ["extends"]
    return patch


def _build_open_input(definitions: dict[str, Any]) -> dict[str, Any]:
    properties = definitions["InputSpec"]["properties"]
    return {"type": "object", "properties": {name: _allow_null(schema) for name, schema in properties.items()}}


def _drop_required(node: dict[str, Any], left_out: set[str]) -> dict[str, Any]:
    properties = {
        name: _allow_null(_allow_addition(name, schema))
        for name, schema in node["properties"].items()
        if name not in left_out
    }
    return {**{key: value for key, value in node.items() if key != "required"}, "properties": properties}


def _allow_addition(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Allow the mapping that adds to a list of the extended workflow."""
    listed = schema["anyOf"][-1] if name == "next_action" else schema
    if listed.get("type") != "array":
        return schema
    added = {key: value for key, value in listed.items() if key != "description"}
    addition = {"type": "object", "required": [ADD], "properties": {ADD: added}, "additionalProperties": False}
    described = {"description": schema["description"]} if "description" in schema else {}
    return {**described, "anyOf": [*(schema["anyOf"] if name == "next_action" else [added]), addition]}


def _allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    described = {"description": schema["description"]} if "description" in schema else {}
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {
        **described,
        "anyOf": [{key: value for key, value in schema.items() if key != "description"}, {"type": "null"}],
    }


def _clean_schema(node: Any, *, names: bool = False) -> Any:
    """Remove generated titles, defaults, and `null` where no one writes it."""
    if isinstance(node, list):
        return [_clean_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {name: _clean_schema(inner) for name, inner in node.items()}
    cleaned = _remove_null_branch({key: value for key, value in node.items() if key not in ("title", "default")})
    if "patternProperties" in cleaned:
        cleaned["additionalProperties"] = False
    return {
        key: _clean_schema(value, names=key in ("properties", "patternProperties")) for key, value in cleaned.items()
    }


def _remove_null_branch(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove `null` from `anyOf`; a branch that is the only one left replaces it."""
    branches = [branch for branch in schema.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) == 1:
        merged = {**{key: value for key, value in schema.items() if key != "anyOf"}, **branches[0]}
        return {key: value for key, value in merged.items() if key != "title"}
    return {**schema, "anyOf": branches} if branches else schema
