"""Views: each belongs to a tool, and every field that a declared view names exists in that tool's output."""

from __future__ import annotations

from importlib import import_module
from string import Formatter
from typing import TYPE_CHECKING, Any

import pytest

from aurora.cli.render.registry import SUCCESS_CHECKS, VIEW_MODULES, find_renderer, show_output
from aurora.cli.render.view import Blank, Each, Joined, JsonTree, Line, Part, Passage, Report, Table, View, When
from aurora.tools.runtime import get_registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.cli.render.view import Block

VIEWS: dict[str, Any] = {
    tool: view
    for module in VIEW_MODULES.values()
    for tool, view in import_module(f"aurora.cli.render.{module}").RENDERERS.items()
}
DECLARED = sorted(tool for tool, view in VIEWS.items() if isinstance(view, View))
OPEN: dict[str, Any] = {"additionalProperties": True}
"""The schema of an item whose fields a function makes."""


class Schemas:
    """The JSON schemas of the items around a block: the innermost last, each with its alternatives."""

    def __init__(self, whole: dict[str, Any], scopes: tuple[list[Any], ...] = ()) -> None:
        self.whole = whole
        self.scopes = scopes or (self.resolve(whole),)

    def resolve(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """The schema's alternatives, without references."""
        if "$ref" in schema:
            return self.resolve(self.whole["$defs"][schema["$ref"].rpartition("/")[2]])
        branches = schema.get("anyOf", schema.get("oneOf"))
        return [one for branch in branches for one in self.resolve(branch)] if branches else [schema]

    def find(self, path: str) -> list[dict[str, Any]]:
        """The schemas at a path; none where no such field exists."""
        found = self.scopes[-1]
        for name in path.split("."):
            if name == "^":
                found = self.scopes[-2]
            elif name not in {"#", "_"}:
                found = [inner for schema in found for inner in self.step(schema, name)]
        return found

    def step(self, schema: dict[str, Any], name: str) -> list[dict[str, Any]]:
        """The schemas of a field of an object, or of an item of a list."""
        if name in schema.get("properties", {}):
            return self.resolve(schema["properties"][name])
        if name.isdecimal() and "items" in schema:
            return self.resolve(schema["items"])
        if schema == {} or schema.get("additionalProperties") is True:
            return [{}]
        return self.resolve(schema["additionalProperties"]) if schema.get("additionalProperties") else []

    def enter(self, items: Any) -> Schemas:
        """The schemas inside a list."""
        inner = [OPEN]
        if isinstance(items, str):
            lists = [schema for schema in self.find(items) if schema.get("type") != "null"]
            inner = [one for schema in lists for one in self.resolve(schema.get("items", {}))]
        return Schemas(self.whole, (*self.scopes, inner))


def fields_of(source: Any) -> Iterator[str]:
    if isinstance(source, str):
        yield from (field for _, field, _, _ in Formatter().parse(source) if field is not None)
    elif isinstance(source, Joined):
        for part in source.parts:
            yield from fields_of_part(part)


def fields_of_part(part: Part) -> Iterator[str]:
    yield from fields_of(part.text)
    yield from fields_of_condition(part.when)


def fields_of_condition(condition: Any) -> Iterator[str]:
    if isinstance(condition, str):
        yield condition.removeprefix("!")


def fields_of_block(block: Block) -> Iterator[str]:
    """The fields that a block itself names, without those of the blocks inside."""
    if isinstance(block, Line):
        yield from fields_of_condition(block.when)
        for part in block.parts:
            yield from fields_of_part(part)
    elif isinstance(block, Report):
        for source in block.rows.values():
            yield from fields_of(source)
    elif isinstance(block, Passage | JsonTree):
        yield block.field
    elif isinstance(block, Blank):
        yield from fields_of_condition(block.when)
    elif isinstance(block, When):
        yield from fields_of_condition(block.condition)
    elif isinstance(block, Each | Table) and isinstance(block.items, str):
        yield block.items


def unknown_fields(blocks: Sequence[Block], schemas: Schemas) -> Iterator[str]:
    for block in blocks:
        yield from (field for field in fields_of_block(block) if not schemas.find(field))
        if isinstance(block, When):
            yield from unknown_fields([*block.blocks, *block.otherwise], schemas)
        elif isinstance(block, Each):
            yield from unknown_fields(block.blocks, schemas.enter(block.items))
        elif isinstance(block, Table):
            inner = schemas.enter(block.items)
            yield from (field for cell in block.cells for field in fields_of(cell.text) if not inner.find(field))


@pytest.mark.parametrize("tool", DECLARED)
def test_every_field_of_a_view_exists_in_the_output_of_its_tool(tool: str) -> None:
    schemas = Schemas(get_registry().find(tool).output.model_json_schema())

    assert list(unknown_fields(VIEWS[tool].blocks, schemas)) == []


def test_a_field_that_does_not_exist_is_found() -> None:
    schemas = Schemas(get_registry().find("runs.list").output.model_json_schema())
    view = View(Line("{nowhere}"), Each("runs", Line("{run}", Part("{typo}"), when="!missing")))

    assert list(unknown_fields(view.blocks, schemas)) == ["nowhere", "missing", "typo"]


def test_every_view_and_every_success_check_belongs_to_a_tool() -> None:
    names = set(get_registry().names())

    assert {*VIEWS, *SUCCESS_CHECKS} <= names
    assert all(find_renderer(tool) is view for tool, view in VIEWS.items())


def test_a_tool_without_a_view_is_shown_as_indented_lines(capsys: pytest.CaptureFixture[str]) -> None:
    show_output("brew.tea", {"cups": 2, "guests": ["Ada", "Grace"], "pot": {"of": {"clay": True}}}, as_json=False)

    assert capsys.readouterr().out == 'cups: 2\nguests: ["Ada", "Grace"]\npot:\n  of: {"clay": true}\n'
