"""The JSON Schema of the language accepts workflows and rejects other structures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from ruamel.yaml import YAML

from aurora.interpreter.language.json_schema import SCHEMA_FILE, SCHEMA_MODELINE, build_language_schema
from aurora.interpreter.language.model import ForEach, InputSpec, Phase, Rule, Workflow

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = ROOT / "tests" / "documents"
SHIPPED = sorted((ROOT / "workflows").glob("*.yaml"))
GOOD = sorted(path for path in (DOCUMENTS / "ok").iterdir() if path.suffix in (".yaml", ".yml"))
PARTS: dict[str, type[Any]] = {"Phase": Phase, "Rule": Rule, "InputSpec": InputSpec, "ForEach": ForEach}

WORKFLOW: dict[str, Any] = {
    "aurora": 1,
    "name": "tea",
    "version": "1",
    "start": "brew",
    "phases": {"brew": {"uses": "mem.search", "next_action": "end"}},
}


def list_faults(document: Any) -> list[str]:
    return [error.message for error in Draft7Validator(build_language_schema()).iter_errors(document)]


def with_phase(**said: Any) -> dict[str, Any]:
    return {**WORKFLOW, "phases": {"brew": {**WORKFLOW["phases"]["brew"], **said}}}


def read_document(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8-sig"))


def test_the_schema_is_a_schema() -> None:
    Draft7Validator.check_schema(build_language_schema())


@pytest.mark.parametrize("path", [*SHIPPED, *GOOD], ids=lambda path: path.stem)
def test_a_good_workflow_fits_the_schema(path: Path) -> None:
    assert list_faults(read_document(path)) == []


@pytest.mark.parametrize("name", ["list", "missing_keys", "no_phases", "structure"])
def test_a_document_with_a_wrong_structure_is_rejected(name: str) -> None:
    assert list_faults(read_document(DOCUMENTS / "err" / f"{name}.yaml")) != []


@pytest.mark.parametrize(
    "said",
    [
        {"next_action": [{"then": "end"}]},
        {"next_action": {"when": "x == `1`", "then": "end", "max": 2, "else": "end"}},
        {"inputs": {"cup": {"from": "inputs.cup", "type": "string", "minLength": 1, "default": "big"}}},
        {"inputs": {"cup": {"optional": True, "enum": ["big", "small"]}}},
        {"output": {"type": "object", "properties": {"tea": {"type": "string"}}}},
        {"output": "schemas/tea.json"},
    ],
)
def test_short_forms_and_keywords_of_json_schema_are_accepted(said: dict[str, Any]) -> None:
    assert list_faults(with_phase(**said)) == []


@pytest.mark.parametrize(
    "said",
    [
        {"next_action": []},
        {"next_action": [{"when": "x"}]},
        {"next_action": [{"then": "end", "max": 0}]},
        {"next_action": "No Name"},
        {"input": {}},
        {"inputs": {"Cup": {}}},
        {"inputs": {"cup": {"type": "strnig"}}},
        {"inputs": {"cup": {"minLength": "1"}}},
        {"for_each": {"in": "cups", "as": "cup"}, "prompt_template": "Taste.", "answer": {"type": "string"}},
        {"output": {"type": "objct"}},
        {"title": 5},
    ],
)
def test_an_unknown_key_or_value_is_rejected(said: dict[str, Any]) -> None:
    assert list_faults(with_phase(**said)) != []


def test_a_patch_needs_only_what_it_changes_and_null_removes() -> None:
    patch = {
        "extends": "soar",
        "phases": {"assess": {"params": {"x": 1}, "uses": None, "inputs": {"a": None}}, "b": None},
    }
    assert list_faults(patch) == []
    assert list_faults({**patch, "phase": {}}) != []
    assert list_faults({**patch, "phases": {"assess": {"parms": {}}}}) != []


def test_every_key_of_the_models_has_a_description_and_no_other_key_exists() -> None:
    definitions = build_language_schema()["definitions"]
    for name, model in {**PARTS, "Workflow": Workflow}.items():
        keys = {spec.alias or key for key, spec in model.model_fields.items()}
        shown = definitions[name]["properties"]
        assert set(shown) | ({"default"} if name == "InputSpec" else set()) == keys
        assert [key for key, schema in shown.items() if not schema.get("description")] == []


def test_the_committed_schema_is_up_to_date() -> None:
    """`aur workflow schema > workflows/workflow.schema.json` writes it."""
    assert json.loads((ROOT / "workflows" / SCHEMA_FILE).read_text(encoding="utf-8")) == build_language_schema()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_workflow_points_editors_to_the_schema(path: Path) -> None:
    assert path.read_text(encoding="utf-8").splitlines()[0] == SCHEMA_MODELINE
    assert (path.parent / SCHEMA_MODELINE.partition("$schema=")[2]).is_file()
