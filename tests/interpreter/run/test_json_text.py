"""Answers and inputs that a host sends as JSON text, as models do whose host shows them no type."""

from __future__ import annotations

from typing import Any

import pytest

TEXT = """aurora: 2
name: kinds
version: 1.0.0
start: first
output: {{ got: {{ from: phases.first.answer }} }}
phases:
  first:
    inputs: {{ words: {{ default: [], type: array, items: {{ type: string }} }} }}
    prompt_template: "{{{{ words | join(' and ') }}}}"
    answer: {schema}
    next_action: end
"""
OBJECT = "{ type: object, required: [dish], properties: { dish: { type: string } }, additionalProperties: false }"


def send(host: Any, schema: str, answer: Any) -> dict[str, Any]:
    host.write("kinds.yaml", TEXT.format(schema=schema))
    found: dict[str, Any] = host.next(host("first", workflow="kinds"), answer=answer)
    return found


@pytest.mark.parametrize(
    ("schema", "sent", "taken"),
    [
        (OBJECT, '{"dish": "soup"}', {"dish": "soup"}),
        (OBJECT, ' \n{"dish": "soup"}\n', {"dish": "soup"}),
        (OBJECT, '```json\n{"dish": "soup"}\n```', {"dish": "soup"}),
        ("{ type: array, items: { type: integer } }", "[1, 2]", [1, 2]),
        ("{ type: boolean }", "true", True),
        ("{ type: number }", "0.5", 0.5),
        ("{ type: string }", '{"dish": "soup"}', '{"dish": "soup"}'),
        ("{}", "[1]", "[1]"),
    ],
)
def test_json_text_is_parsed_where_the_schema_refuses_a_text(host: Any, schema: str, sent: Any, taken: Any) -> None:
    assert send(host, schema, sent)["output"] == {"got": taken}


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("soup", "must be object, not string"),
        ("true", "must be object, not string"),
        ("{}", '"dish" is missing'),
        ('{"dish": "soup"', "is not valid JSON: Expecting ',' delimiter: line 1 column 16 (char 15)"),
        ("[" * 2000, "must be object, not string"),
        ("[" * 200 + "]" * 200, "must be object, not array"),
    ],
)
def test_a_refused_text_says_what_is_wrong_with_its_value(host: Any, sent: str, message: str) -> None:
    refused = send(host, OBJECT, sent)
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert [fault["message"] for fault in refused["error"]["details"]["faults"]] == [message]


def test_an_input_may_be_json_text_too(host: Any) -> None:
    host.write("kinds.yaml", TEXT.format(schema=OBJECT))
    assert host("first", workflow="kinds", words='["soup", "bread"]')["prompt_template"] == "soup and bread"
