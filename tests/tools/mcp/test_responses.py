"""The text of a response equals its structured content and stays within the size limit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.errors import Code, Fault, show_hidden_values
from aurora.tools.mcp.responses import (
    MAX_RESPONSE_CHARS,
    build_error_result,
    build_result,
    to_json_text,
    truncate_content,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=10) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=20,
)


@pytest.mark.requirement("aura-28")
@given(st.dictionaries(st.text(max_size=10), VALUES, max_size=10))
def test_the_text_equals_the_structured_content(content: dict[str, Any]) -> None:
    result = build_result(content)
    text = result["content"][0]["text"]
    assert text == json.dumps(result["structuredContent"], separators=(",", ":"), ensure_ascii=False)
    assert len(text) <= MAX_RESPONSE_CHARS
    if len(to_json_text(content)) <= MAX_RESPONSE_CHARS - 1000:
        assert json.loads(text) == json.loads(to_json_text(show_hidden_values(content)))


def test_a_whole_float_is_serialized_as_in_javascript() -> None:
    assert build_result({"score": 1.0, "part": [0.5, 2.0]})["content"][0]["text"] == '{"score":1,"part":[0.5,2]}'


def test_a_long_response_is_truncated_at_its_longest_text_with_a_notice() -> None:
    content = {"next_call": {"tool": "t" * 500}, "text": "x" * 30_000, "short": "y" * 150, "many": list(range(50))}
    cut = truncate_content(content)
    assert len(to_json_text(cut)) <= MAX_RESPONSE_CHARS
    assert cut["next_call"] == content["next_call"]
    assert cut["short"] == content["short"]
    assert cut["many"] == content["many"]
    assert cut["truncated"]


def test_a_long_list_of_small_things_loses_its_tail() -> None:
    cut = truncate_content({"hits": [{"id": f"code:{number}", "score": 0.5} for number in range(5000)]})
    assert len(to_json_text(cut)) <= MAX_RESPONSE_CHARS
    assert cut["hits"][0]["id"] == "code:0"
    assert len(cut["hits"]) > 100


@pytest.mark.requirement("triads-50")
def test_a_fault_is_an_error_with_its_code_in_both_places() -> None:
    result = build_error_result(Fault(Code.NOT_FOUND, "no", help="yes"))
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "NOT_FOUND"
    assert '"code":"NOT_FOUND"' in result["content"][0]["text"]


def test_a_truncated_text_of_the_project_stays_between_its_marks() -> None:
    chunks = [{"id": "a", "text": "x" * 30_000}, {"id": "b", "text": "\u202e" * 3_000}]
    shown = build_result({"chunks": chunks})["structuredContent"]

    assert len(to_json_text(shown)) <= MAX_RESPONSE_CHARS
    assert all(chunk["text"].startswith("<material>") for chunk in shown["chunks"])
    assert all(chunk["text"].endswith("</material>") for chunk in shown["chunks"])
    assert "\u202e" not in to_json_text(shown)
