"""Schemas that nothing fits, misspelt keywords, and texts that rules test twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.checks.schemas import find_mistakes
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = "aurora: 2\nname: w\nversion: 1.0.0\nstart: a\nphases:\n"
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "steps"),
    [
        ({"enum": []}, ("enum",)),
        ({"type": "integer", "minimum": 5, "maximum": 3}, ("minimum",)),
        ({"type": "string", "minLength": 5, "maxLength": 3}, ("minLength",)),
        ({"type": "array", "items": {"enum": []}}, ("items", "enum")),
        ({"type": "integer", "enum": ["one"]}, ("enum",)),
        ({"const": "a", "enum": ["b"]}, ("enum",)),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, ("allOf",)),
        ({"required": ["y"], "additionalProperties": False, "properties": {"x": TEXT}}, ("required", 0)),
        ({"required": ["x", "y"], "properties": {"x": TEXT}}, ("required", 1)),
        ({"type": "string", "minLenght": 3}, ("minLenght",)),
        ({"properties": {"x": {"type": "object", "requierd": []}}}, ("properties", "x", "requierd")),
    ],
)
def test_a_mistake_in_a_schema_is_found_at_its_place(schema: object, steps: tuple[object, ...]) -> None:
    assert [one.steps for one in find_mistakes(schema)] == [steps]


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"type": "number"}, {"type": "integer"}]},
        {"type": "integer", "minimum": 3, "maximum": 3},
        {"required": ["y"], "allOf": [{"properties": {"y": TEXT}}], "properties": {"x": TEXT}},
        {"anyOf": [{"required": ["x"]}, {"required": ["y"]}], "properties": {"x": TEXT, "y": TEXT}},
        {"properties": {"old": False, "minLenght": TEXT}},
        {"x-note": "mine", "$ref": "#/$defs/a", "$defs": {"a": {"enum": ["p", None]}}},
        {"type": ["string", "null"], "enum": ["p", None]},
        {"required": ["y"], "properties": {}, "additionalProperties": TEXT},
    ],
)
def test_a_right_schema_has_no_mistake(schema: object) -> None:
    assert list(find_mistakes(schema)) == []


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("schemas"), read_only=True) as opened:
        yield opened


def _decide(kind: str, *rules: str) -> str:
    lines = "\n".join(f"      - {rule}" for rule in rules)
    return (
        f"{HEAD}  a:\n    inputs: {{ x: {kind} }}\n"
        f'    prompt_template: "See {{{{ x }}}}."\n    answer: {{ type: string }}\n    next_action:\n{lines}\n'
    )


RECEIPT = f"""{HEAD}  a:
    prompt_template: Do it now.
    answer: {{ type: object, properties: {{ done: {{ const: true }} }} }}
    next_action: b
  b: {{ prompt_template: Do more., answer: {{}}, next_action: end }}
"""


@pytest.mark.parametrize(
    "text",
    [
        _decide(
            "{ type: integer, minimum: 1, maximum: 3 }",
            *(f'{{ when: "inputs.x == `{number}`", then: end, say: "{number}" }}' for number in (1, 2, 3)),
        ),
        _decide(
            "{ anyOf: [{ const: p }, { const: q }] }",
            *(f"{{ when: \"inputs.x == '{one}'\", then: end, say: {one} }}" for one in "pq"),
        ),
        _decide(
            "{ type: string }",
            "{ when: \"contains(inputs.x, 'b')\", then: end, say: b }",
            "{ when: \"inputs.x == '' || !contains(inputs.x, 'b')\", then: end, say: a }",
        ),
        RECEIPT,
    ],
)
def test_rules_that_cover_every_value_and_receipts_have_no_problem(workspace: Workspace, text: str) -> None:
    assert [one.heading for one in workspace.workflows.check_text(text, Path("w.yaml"))] == []


@pytest.mark.parametrize("second", ["inputs.x == 'abc'", "contains(inputs.x, 'abc')"])
def test_a_rule_behind_a_test_of_a_part_of_its_text_can_never_win(workspace: Workspace, second: str) -> None:
    first = "{ when: \"contains(inputs.x, 'b')\", then: end }"
    text = _decide("{ type: string }", first, f'{{ when: "{second}", then: end, say: s }}', "{ then: end }")
    found = workspace.workflows.check_text(text, Path("w.yaml"))
    assert [(one.code, one.line) for one in found if one.code != "W314"] == [("E404", 12)]
