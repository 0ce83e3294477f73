"""The reference covers every tool; the skill stays short and tells how to print it."""

from __future__ import annotations

import json
import re

import pytest

from aurora.tools.catalog.manifest import build_manifest
from aurora.tools.catalog.skill import render_reference, render_skill
from aurora.tools.core.registry import ToolRegistry

TEXT = render_reference()
PARTS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
CONTENTS = PARTS.pop("Contents")
MANIFEST = build_manifest(ToolRegistry().load_all())


@pytest.mark.requirement("auditgraph-5", "triads-56")
def test_the_reference_has_every_tool_of_the_manifest_once() -> None:
    assert list(PARTS) == [tool.name for tool in MANIFEST.tools]


def test_the_table_of_contents_leads_to_each_tool_by_its_toolset() -> None:
    listed = {}
    for family, links in re.findall(r"^- (\w+): (.*)$", CONTENTS, re.MULTILINE):
        listed.update(dict.fromkeys(re.findall(r"\[(\w+)\]\(#\1\)", links), family))
    assert listed == {tool.name: tool.family for tool in MANIFEST.tools}


@pytest.mark.requirement("auditgraph-5")
@pytest.mark.parametrize("tool", MANIFEST.tools, ids=lambda tool: tool.name)
def test_each_tool_has_its_risk_inputs_outputs_constraints_and_examples(tool: object) -> None:
    described = next(one for one in MANIFEST.tools if one is tool)
    part = PARTS[described.name]
    assert f"risk {described.risk}" in part
    for schema in (described.input_schema, described.output_schema):
        assert all(f"`{name}` " in part for name in schema.get("properties", {}))
    assert all(constraint in part for constraint in described.constraints)
    assert [json.loads(text) for text in re.findall(r"^- example: `(.*)` \(", part, re.MULTILINE)] == [
        one.arguments for one in described.examples
    ]


@pytest.mark.requirement("contextgraph-6")
def test_the_reference_names_the_arguments_of_each_alias() -> None:
    assert "alias `find_callers` (`methodName` for `name`)" in PARTS["graph_callers"]
    for tool in MANIFEST.tools:
        part = PARTS[tool.name]
        for alias in tool.aliases:
            assert f"alias `{alias.name}`" in part
            assert all(f"`{name}` for `{own}`" in part for name, own in alias.arguments.items())
            assert all(f"`{name}` changes nothing" in part for name in alias.unused)


def test_the_skill_is_short_and_names_its_reference() -> None:
    assert len(render_skill().splitlines()) <= 60
    assert "aur tools skill --reference" in render_skill()
