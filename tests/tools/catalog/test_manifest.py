"""The manifest describes every tool with strict schemas, and generated files are up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from aurora.cli.manual.generated import GENERATED_FILES
from aurora.errors import Code, Fault
from aurora.tools.catalog.manifest import build_manifest
from aurora.tools.core.registry import TOOL_MODULES, ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
MADE = build_manifest(ToolRegistry().load_all()).model_dump(mode="json")
BY_NAME = {tool["uses"]: tool for tool in MADE["tools"]}
SCHEMAS = ("input_schema", "output_schema", "params_schema", "error_schema")
# Keys that say something about a value's shape; the rest only tells a reader about it.
_TELLING = {"type", "properties", "items", "prefixItems", "enum", "const", "anyOf", "allOf", "oneOf", "$ref"}
_INSIDE = ("items", "additionalProperties", "prefixItems", "anyOf", "allOf", "oneOf")


def vague(node: Any, where: str = "$") -> Iterator[str]:
    """The places of a schema that allow anything at all."""
    if isinstance(node, list):
        for number, one in enumerate(node):
            yield from vague(one, f"{where}[{number}]")
    elif isinstance(node, dict) and _TELLING & set(node):
        kind = node.get("type")
        if kind == "object" and node.get("additionalProperties", True) is True:
            yield f"{where} is an object of anything"
        if kind == "array" and not {"items", "prefixItems"} & set(node):
            yield f"{where} is a list of anything"
        for name, inner in _inner(node):
            yield from vague(inner, f"{where}.{name}")
    elif node is not False:
        yield where


def _inner(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in ("properties", "$defs"):
        yield from node.get(key, {}).items()
    yield from ((key, node[key]) for key in _INSIDE if key in node)


@pytest.mark.requirement("auditgraph-1")
@pytest.mark.parametrize("name", sorted(TOOL_MODULES))
def test_no_schema_allows_everything(name: str) -> None:
    for kind in SCHEMAS:
        jsonschema.Draft202012Validator.check_schema(BY_NAME[name][kind])
        assert list(vague(BY_NAME[name][kind])) == [], kind


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": "array"}, {"properties": {"a": {"title": "A"}}}])
def test_a_schema_that_allows_everything_is_found(schema: dict[str, Any]) -> None:
    assert list(vague(schema))


@pytest.mark.requirement("auditgraph-1", "auditgraph-26", "triads-32")
@pytest.mark.parametrize("name", sorted(TOOL_MODULES))
def test_an_input_is_a_closed_object_and_an_output_an_object_with_named_fields(name: str) -> None:
    given, returned = BY_NAME[name]["input_schema"], BY_NAME[name]["output_schema"]
    assert (given["type"], returned["type"]) == ("object", "object")
    assert returned["properties"]
    assert returned["required"]
    if name == "workflow.step":  # a phase has inputs and fields of its own
        assert given["additionalProperties"] == returned["additionalProperties"] == {"$ref": "#/$defs/Json"}
    else:
        assert given["additionalProperties"] is returned["additionalProperties"] is False


@pytest.mark.requirement("auditgraph-22")
def test_every_tool_is_in_the_manifest_under_a_stable_name() -> None:
    assert sorted(BY_NAME) == sorted(TOOL_MODULES)
    assert [tool["name"] for tool in MADE["tools"]] == sorted(name.replace(".", "_") for name in TOOL_MODULES)


@pytest.mark.requirement("auditgraph-20")
def test_each_command_of_the_inventory_has_a_tool() -> None:
    inventory = {
        "aur init": "init.run",
        "aur mem index": "mem.index",
        "aur mem import": "mem.import",
        "aur mem rebuild": "mem.rebuild",
        "aur mem export": "mem.export",
        "aur jobs run": "jobs.run",
    }
    assert {BY_NAME[name]["command"]: name for name in inventory.values()} == inventory
    offered = {name for name in inventory.values() if BY_NAME[name]["mcp"]}
    assert offered == set(inventory.values()) - {"init.run", "jobs.run"}
    assert all(BY_NAME[name]["not_over_mcp"] for name in ("init.run", "jobs.run"))


@pytest.mark.requirement("auditgraph-14")
@pytest.mark.parametrize("name", sorted(TOOL_MODULES))
def test_every_example_fits_the_schema_that_the_manifest_shows(name: str) -> None:
    tool = BY_NAME[name]
    assert tool["examples"]
    for example in tool["examples"]:
        jsonschema.validate(example["arguments"], tool["input_schema"])
        jsonschema.validate(example["params"], tool["params_schema"])


@pytest.mark.requirement("triads-23")
def test_an_error_matches_the_error_schema() -> None:
    schema = BY_NAME["mem.search"]["error_schema"]
    told = Fault(Code.NOT_FOUND, "no", help="yes", details={"a": [1, None]}).to_json()
    jsonschema.validate({"status": "error", "error": told}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"status": "error", "error": {**told, "code": "OTHER"}}, schema)
    assert {one["code"] for one in MADE["errors"]} == set(Code)


@pytest.mark.requirement("auditgraph-22", "triads-28")
def test_every_tool_states_its_timeout_and_its_read_only_behavior() -> None:
    for tool in MADE["tools"]:
        assert any("TIMEOUT" in one for one in tool["constraints"])
        refused = any("FORBIDDEN and changes nothing" in one for one in tool["constraints"])
        stores_nothing = "When read-only it runs and stores nothing." in tool["constraints"]
        assert refused == (tool["risk"] != "read" and not stores_nothing)
        assert stores_nothing == (tool["name"] == "workflow_step")


@pytest.mark.requirement("auditgraph-9", "triads-27")
@pytest.mark.parametrize("name", sorted(GENERATED_FILES))
def test_a_generated_file_is_up_to_date(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == GENERATED_FILES[name](), "say `make commands`"


@pytest.mark.requirement("auditgraph-10")
def test_the_tool_returns_the_manifest_of_the_declarations(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        assert call_tool(workspace, "tools.manifest", {}) == MADE


@pytest.mark.parametrize("called", ["mem.search", "mem_search", "aurora_search", "aur mem search", "mem  search"])
def test_a_tool_is_shown_by_any_of_its_names(called: str, tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        assert call_tool(workspace, "tools.show", {"name": called})["uses"] == "mem.search"


def test_an_unknown_tool_gets_the_nearest_name_as_a_suggestion(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace, pytest.raises(Fault, match=r'did you mean "mem\.search"') as caught:
        call_tool(workspace, "tools.show", {"name": "mem.serch"})
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.requirement("triads-11", "triads-25", "triads-52")
def test_the_list_is_filtered_by_toolset_and_by_risk(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        everything = call_tool(workspace, "tools.list", {})["tools"]
        risky = call_tool(workspace, "tools.list", {"risk": "high"})["tools"]
        graph = call_tool(workspace, "tools.list", {"toolset": "graph"})["tools"]
    assert len(everything) == len(TOOL_MODULES)
    assert {one["risk"] for one in risky} == {"high"}
    assert {one["family"] for one in graph} == {"graph"}
