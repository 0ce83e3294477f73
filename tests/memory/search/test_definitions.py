"""A definition that is asked for in a sentence is the first hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory.search.query import parse_query

if TYPE_CHECKING:
    from aurora.memory import Memory


@pytest.mark.parametrize(
    "question",
    [
        "Where is the {} class defined?",
        "{} class",
        "definition of {}",
        "which file defines {}?",
        "find the class {}",
        "what does the {} class do",
        "where is {}",
        "show me the implementation of {}",
    ],
)
@pytest.mark.parametrize("name", ["Morsel", "StreamReader", "JSONDecoder", "HTTPMessage", "Future", "Lock"])
def test_a_class_that_is_asked_for_in_a_sentence_comes_first(indexed_library: Memory, question: str, name: str) -> None:
    hit = indexed_library.search(question.format(name)).hits[0].chunk
    assert hit.symbol.split(".")[0] == name


def test_a_sentence_about_more_than_a_name_asks_for_no_definition() -> None:
    query = parse_query("how does the request method follow a redirect")
    assert query.names == ()
    assert not query.only_names


def test_a_name_in_camel_case_is_a_query_of_names_only() -> None:
    assert parse_query("StreamReader").only_names
    assert parse_query("`read_line` of StreamReader").only_names
    assert not parse_query("StreamReader timeout").only_names
