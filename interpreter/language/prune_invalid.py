"""Removal of the invalid parts of a workflow, so that the rest can be checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from aurora.interpreter.yaml import make_map, to_key_text

from .build import MAX_STRUCTURAL_PROBLEMS, locate_faults
from .model import END, LANGUAGE_VERSION, Phase, Workflow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.yaml import Node

_END_RULES = [{"then": END}]


@dataclass(frozen=True, slots=True)
class PrunedWorkflow:
    """The valid part of a workflow, and the phases of which only the name is known."""

    workflow: Workflow
    root: Node
    broken_phases: frozenset[str]


def prune_invalid(root: Node) -> PrunedWorkflow | None:
    """Replace each invalid phase by a stub; None if too little is left.

    An unknown key that is not similar to a known one invalidates nothing: it is only removed.
    """
    data = root.to_data()
    if not isinstance(data, dict) or not isinstance(data.get("phases"), dict):
        return None
    try:
        Workflow.model_validate(data)
    except ValidationError as error:
        if error.error_count() > MAX_STRUCTURAL_PROBLEMS:
            return None
        faults = locate_faults(root, error)
    else:
        return None
    broken: set[str] = set()
    for loc, harmless in faults:
        if loc[:1] != ("phases",):
            continue
        if not (harmless and _remove_key(data, loc)) and len(loc) > 1:
            broken.add(str(loc[1]))
    phases = {name: _make_stub(phase) if name in broken else phase for name, phase in data["phases"].items()}
    return _validate_pruned(root, {**_make_header(data, phases), "phases": phases}, frozenset(broken))


def _validate_pruned(root: Node, data: Mapping[str, Any], broken: frozenset[str]) -> PrunedWorkflow | None:
    try:
        workflow = Workflow.model_validate(data)
    except ValidationError:
        return None
    kept = tuple((key, value) for key, value in root.items if to_key_text(key.value) in data)
    return PrunedWorkflow(workflow, make_map(root.place, kept), broken)


def _make_header(data: Mapping[str, Any], phases: Mapping[str, Any]) -> dict[str, Any]:
    declared = data.get("start")
    is_name = isinstance(declared, str) and _is_valid_phase({"on_error": declared})
    start = declared if is_name else next(iter(phases), None)
    header = {"aurora": LANGUAGE_VERSION, "name": "salvaged", "version": "0", "start": start}
    try:
        Workflow.model_validate({**header, "vars": data.get("vars", {}), "phases": {"x": _make_stub({})}})
    except ValidationError:
        return header
    return {**header, "vars": data.get("vars", {})}


def _make_stub(phase: Any) -> dict[str, Any]:
    """Create a phase that keeps only the names of its inputs and its aliases."""
    inputs = phase.get("inputs") if isinstance(phase, dict) else None
    aliases = phase.get("aliases") if isinstance(phase, dict) else None
    stub = {"uses": "unknown", "answer": {}, "next_action": _END_RULES}
    names: dict[str, Any] = (
        {name: {} for name in inputs if _is_valid_phase({"inputs": {name: {}}})} if isinstance(inputs, dict) else {}
    )
    known_aliases = (
        [alias for alias in aliases if _is_valid_phase({"aliases": [alias]})] if isinstance(aliases, list) else []
    )
    return {**stub, "inputs": names, "aliases": known_aliases}


def _is_valid_phase(part: Mapping[str, Any]) -> bool:
    try:
        Phase.model_validate({**part, "next_action": _END_RULES})
    except ValidationError:
        return False
    return True


def _remove_key(data: Any, loc: tuple[str | int, ...]) -> bool:
    """Remove the key; return False where the path leads through a short form."""
    for part in loc[:-1]:
        inside = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if not inside and not (isinstance(data, dict) and part in data):
            return False
        data = data[part]
    return isinstance(data, dict) and data.pop(loc[-1], loc) is not loc
