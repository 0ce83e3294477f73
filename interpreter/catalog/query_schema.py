"""The input schema of `aurora_query`, generated from the workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language import CONTINUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.interpreter.language import Definition

SHOWN_KEYWORDS = ("type", "enum", "description")
"""Keywords of an input's schema that the model sees; the rest is in `needs`, to save tokens."""

_SCALARS = tuple({"type": name} for name in ("string", "number", "boolean"))
ANY_VALUE = {
    "anyOf": [
        {"type": "object"},
        {"type": "array", "items": {"anyOf": [{"type": "object"}, *_SCALARS, {"type": "array"}]}},
        *_SCALARS,
    ]
}
"""Any value but null, with its types: hosts and models take an argument without a type for a text.

The items of a list have their types too, since some hosts refuse a list without.
"""


def build_query_schema(definitions: Iterable[Definition], default: str) -> dict[str, Any]:
    """Build the schema: an enum of phases, and each input that a caller brings as an optional property.

    Inputs that the run recalls are not listed: `next_call` contains them where they are needed, as without a run.

    Args:
        definitions: the workflows that can be called.
        default: the name of the workflow of a call that names none.
    """
    known = sorted(definitions, key=lambda found: (found.workflow.name != default, found.workflow.name))
    phases = dict.fromkeys(name for definition in known for name in definition.workflow.map_phase_names())
    phase_schema: dict[str, Any] = {"type": "string", "description": "Leave out to begin."}
    if phases:
        phase_schema["enum"] = [*phases, CONTINUE]
    workflow: dict[str, Any] = {"type": "string", "default": default}
    if (names := [found.workflow.name for found in known]) != [default]:
        workflow["enum"] = names
    properties: dict[str, Any] = {
        "phase": phase_schema,
        "run": {"type": "string", "description": "Leave out to begin a run."},
        "answer": {"description": "What next_call.needs describes.", **ANY_VALUE},
        "step": {"type": "integer", "description": "From next_call."},
        "workflow": workflow,
        "detail": {"type": "string", "enum": ["full"]},
    }
    properties.update({name: schema for name, schema in _collect_inputs(known).items() if name not in properties})
    return {"type": "object", "properties": properties}


def _collect_inputs(known: Iterable[Definition]) -> dict[str, dict[str, Any]]:
    """Collect the inputs that a caller brings by name, the default workflow's first."""
    inputs: dict[str, dict[str, Any]] = {}
    for definition in known:
        for phase in definition.workflow.phases.values():
            for name, spec in phase.inputs.items():
                if spec.from_ is None or spec.override:
                    _merge_input(inputs, name, _select_keywords(spec.json_schema))
    return inputs


def _select_keywords(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Select the keywords to show; an array has `items`, without which some model APIs refuse the tool."""
    shown = {key: value for key, value in schema.items() if key in SHOWN_KEYWORDS}
    if shown.get("type") == "array":
        items = schema.get("items")
        shown["items"] = {"type": items["type"]} if isinstance(items, dict) and "type" in items else {}
    return shown


def _merge_input(inputs: dict[str, dict[str, Any]], name: str, shown: Mapping[str, Any]) -> None:
    """Merge an input of two phases; a different type or enum is left out."""
    if name not in inputs:
        inputs[name] = dict(shown)
        return
    other = inputs[name]
    for key in ("type", "enum", "items"):
        if key in other and key in shown and other[key] != shown[key]:
            del other[key]
        elif key not in other and key in shown:
            other[key] = shown[key]
    if "type" not in other:
        other.pop("items", None)
    other.setdefault("description", shown.get("description", ""))
    if not other["description"]:
        del other["description"]
