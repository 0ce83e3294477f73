"""The input schema of `aurora_query`, built from the workflows: editing a YAML file changes it, and no code does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .definition import Definition

KEPT = ("type", "enum", "description")
"""What the model is shown of an input's schema; the rest comes in `needs` when it matters: each word is paid for."""


def query_schema(definitions: Iterable[Definition], default: str) -> dict[str, Any]:
    """The JSON Schema: `phase` is an enum of all phases and aliases, each input of each phase an optional property.

    Args:
        definitions: the workflows that may be called.
        default: the name of the one that a call means when it names none.
    """
    known = sorted(definitions, key=lambda found: (found.workflow.name != default, found.workflow.name))
    phases: dict[str, None] = {}
    inputs: dict[str, dict[str, Any]] = {}
    for definition in known:
        phases.update(dict.fromkeys(definition.workflow.names()))
        for phase in definition.workflow.phases.values():
            for name, spec in phase.inputs.items():
                shown = {key: value for key, value in spec.json_schema.items() if key in KEPT}
                _merge(inputs, name, shown)
    phase_schema: dict[str, Any] = {"type": "string", "description": "The phase to run; the first is the first listed."}
    if phases:
        phase_schema["enum"] = list(phases)
    properties: dict[str, Any] = {
        "phase": phase_schema,
        "run": {"type": "string", "description": "The run, from the response before; leave out to begin one."},
        "answer": {"description": "Your answer to the prompt before, as next_call.needs describes it."},
        "step": {"type": "integer", "description": "Only when next_call gives it."},
    }
    others = [found.workflow.name for found in known]
    if others != [default]:
        properties["workflow"] = {"type": "string", "enum": others, "default": default}
    else:
        properties["workflow"] = {"type": "string", "default": default}
    properties.update({name: schema for name, schema in inputs.items() if name not in properties})
    return {"type": "object", "properties": properties, "required": ["phase"], "additionalProperties": False}


def _merge(inputs: dict[str, dict[str, Any]], name: str, shown: Mapping[str, Any]) -> None:
    """The same name in two phases: what both say of it; a difference in type or choices leaves it open."""
    if name not in inputs:
        inputs[name] = dict(shown)
        return
    other = inputs[name]
    for key in ("type", "enum"):
        if key in other and key in shown and other[key] != shown[key]:
            del other[key]
        elif key not in other and key in shown:
            other[key] = shown[key]
    other.setdefault("description", shown.get("description", ""))
    if not other["description"]:
        del other["description"]
