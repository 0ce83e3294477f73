"""Matches of a query in a text: words with their endings, parts of identifiers, names and phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.memory.search import find_matches


@pytest.mark.parametrize(
    ("text", "query", "matches"),
    [
        ("if self._got_registered_once:", "how are blueprints registered", ["registered"]),
        ("class HTTPAdapter: def sendRequest", "HTTPAdapter.send retries", ["HTTPAdapter", "send"]),
        ("retrieve the retry", "retries", ["retry"]),
        ("read the exact phrase here", '"exact phrase"', ["exact phrase"]),
        ("def url_for(endpoint)", "url_for", ["url_for"]),
        ("Über die Größe", "größe", ["Größe"]),
        ("nothing", "something else", []),
        ("", "word", []),
        ("text", "", []),
    ],
)
def test_matches(text: str, query: str, matches: list[str]) -> None:
    assert [text[start:end] for start, end in find_matches(text, query)] == matches


@given(st.text(max_size=60), st.text(max_size=30))
def test_matches_are_in_order_and_do_not_overlap(text: str, query: str) -> None:
    last = 0
    for start, end in find_matches(text, query):
        assert last <= start < end <= len(text)
        last = end
