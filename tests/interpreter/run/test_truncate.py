"""A response is never longer than hosts show."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.run.truncate import MAX_RESPONSE_CHARACTERS, to_compact_json, truncate_response


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


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 9000), max_size=12), st.lists(st.integers(0, 9000), max_size=6))
def test_any_response_fits_the_limit(texts: list[int], handed: list[int]) -> None:
    result = {"items": [{"text": "é" * size} for size in texts]}
    arguments = {f"a{index}": "z" * size for index, size in enumerate(handed)}
    assert len(to_compact_json(truncate_response(_response(result, arguments)))) <= MAX_RESPONSE_CHARACTERS
