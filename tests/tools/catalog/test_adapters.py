"""Adapters contain the manifest in the format of each interface and nothing more."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from aurora.errors import Code
from aurora.tools.catalog.manifest import build_manifest
from aurora.tools.catalog.skill import render_skill
from aurora.tools.catalog.tools import HTTP_STATUS, build_bundle
from aurora.tools.core.registry import ToolRegistry

MADE = build_manifest(ToolRegistry().load_all())
BY_NAME = {tool.name: tool for tool in MADE.tools}
SKILL = render_skill()


@pytest.mark.requirement("auditgraph-6")
def test_openai_is_given_every_tool_with_the_schema_of_the_manifest() -> None:
    tools = [one["function"] for one in build_bundle("openai", MADE)["tools"]]
    assert {tool["name"]: tool["parameters"] for tool in tools} == {n: t.input_schema for n, t in BY_NAME.items()}
    for tool in tools:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"])
        assert len(tool["description"]) <= 1024
        assert tool["parameters"]["type"] == "object"


@pytest.mark.requirement("auditgraph-6", "triads-25")
def test_anthropic_is_given_every_tool_with_the_schema_of_the_manifest() -> None:
    tools = build_bundle("anthropic", MADE)["tools"]
    assert {tool["name"]: tool["input_schema"] for tool in tools} == {n: t.input_schema for n, t in BY_NAME.items()}
    assert all(set(tool) == {"name", "description", "input_schema"} for tool in tools)


def test_gemini_is_given_every_tool_with_the_schema_of_the_manifest() -> None:
    (tools,) = build_bundle("gemini", MADE)["tools"]
    assert {tool["name"]: tool["parametersJsonSchema"] for tool in tools["functionDeclarations"]} == {
        name: tool.input_schema for name, tool in BY_NAME.items()
    }


def test_openapi_has_a_path_a_tool_and_a_response_a_code() -> None:
    document = build_bundle("openapi", MADE)
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {f"/tools/{name}" for name in BY_NAME}
    assert set(HTTP_STATUS) == set(Code)
    assert set(document["components"]["responses"]) == set(Code)
    for path, item in document["paths"].items():
        assert item["post"]["operationId"] == path.removeprefix("/tools/")
        assert {"200", *map(str, HTTP_STATUS.values())} == set(item["post"]["responses"])


def test_every_reference_of_the_openapi_document_resolves() -> None:
    document = build_bundle("openapi", MADE)
    references = re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document))
    assert references
    for reference in set(references):
        here: Any = document
        for part in reference.split("/"):
            here = here[part]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_an_example_of_the_openapi_document_fits_its_own_schema(name: str) -> None:
    document = build_bundle("openapi", MADE)
    body = document["paths"][f"/tools/{name}"]["post"]["requestBody"]["content"]["application/json"]
    schema = {**body["schema"], "components": document["components"]}
    for example in body["examples"].values():
        jsonschema.Draft202012Validator(schema).validate(example["value"])


def test_the_skill_has_valid_front_matter() -> None:
    _, matter, body = SKILL.split("---\n", 2)
    told = YAML(typ="safe").load(matter)
    assert told["name"] == "aurora"
    assert 0 < len(told["description"]) <= 1024
    assert set(told) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert body.startswith("\n# Aurora\n")


@pytest.mark.requirement("triads-56")
def test_the_skill_has_at_most_60_lines_and_lists_exactly_the_tools_that_are_offered() -> None:
    assert len(SKILL.splitlines()) <= 60
    offered = {str(tool.mcp) for tool in ToolRegistry().select_mcp()}
    assert set(re.findall(r"^- `(\w+)`: \S", SKILL, re.MULTILINE)) == offered
    assert set(re.findall(r"aurora_\w+", SKILL)) == offered


@pytest.mark.requirement("auditgraph-9")
def test_the_same_declarations_give_the_same_bytes() -> None:
    assert render_skill.__wrapped__() == SKILL, "made once more, and not remembered"
    for name in ("openai", "anthropic", "gemini", "openapi"):
        assert json.dumps(build_bundle(name, MADE)) == json.dumps(
            build_bundle(name, build_manifest(reversed(ToolRegistry().load_all())))
        )
