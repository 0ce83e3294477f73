"""A response is never longer than hosts show."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.run.next_call import MAX_RESPONSE_CHARACTERS, to_compact_json, truncate_response


def _response(result: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "phase": "p",
        "result": result,
        "next_call": {"tool": "aurora_query", "arguments": {"phase": "q", **arguments}, "needs": {}},
        "run": None,
        "metadata": {"decision": []},
    }


def test_a_short_response_stays_as_it_is() -> None:
    response = _response({"text": "short"}, {"a": 1})
    assert truncate_response(response) is response


def test_a_long_text_is_cut_and_its_length_is_named() -> None:
    shown = truncate_response(_response({"text": "x" * 30_000, "other": "y"}, {}))
    assert shown["result"]["other"] == "y"
    assert shown["result"]["text"].endswith("… [+26000 characters]")


def test_passed_values_that_do_not_fit_become_needs() -> None:
    shown = truncate_response(_response(None, {"chunks": ["x" * 100] * 300, "query": "why"}))
    assert shown["next_call"]["arguments"] == {"phase": "q", "query": "why"}
    assert set(shown["next_call"]["needs"]) == {"chunks"}


@settings(max_examples=40)
@given(st.lists(st.integers(0, 9000), max_size=12), st.lists(st.integers(0, 9000), max_size=6))
def test_any_response_fits_the_limit(texts: list[int], handed: list[int]) -> None:
    result = {"items": [{"text": "é" * size} for size in texts]}
    arguments = {f"a{index}": "z" * size for index, size in enumerate(handed)}
    assert len(to_compact_json(truncate_response(_response(result, arguments)))) <= MAX_RESPONSE_CHARACTERS


LONG = """
aurora: 2
name: long
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { texts: { type: array, items: { type: string } } }
    for_each: { in: inputs.texts, as: text, max: 9 }
    prompt_template: "{{ text }}"
    answer: { type: object, properties: { FIELDS } }
    next_action: end
"""


def write_long(host: Any, fields: int) -> None:
    described = [f"field_{number}: {{ type: string, description: {'d' * 60} }}" for number in range(fields)]
    host.write("long.yaml", LONG.replace("FIELDS", ", ".join(described)))


def test_prompts_that_json_makes_longer_are_spread_over_more_responses(host: Any) -> None:
    write_long(host, 20)
    response = host("ask", workflow="long", texts=['"\n' * 2500] * 3)
    sizes = []
    while response["next_call"] is not None:
        assert len(to_compact_json(response)) <= MAX_RESPONSE_CHARACTERS
        sizes.append(len(response["prompt_template"]))
        response = host.next(response, answer=[{}] * sizes[-1])
    assert (sizes, response["status"]) == ([1, 1, 1], "complete")


def test_a_prompt_that_does_not_fit_with_the_schema_of_its_answer_is_an_error_and_not_cut(host: Any) -> None:
    write_long(host, 100)
    error = host("ask", workflow="long", texts=["x" * 13_000])["error"]
    assert error["code"] == "WORKFLOW_ERROR"
    assert "has 13,000 characters, and the schema of its answer" in error["message"]
    assert host("ask", workflow="long", texts=["x" * 3_000])["status"] == "complete"
