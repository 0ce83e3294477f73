"""A definition that is asked for in a sentence is the first hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory.search.query import parse_query

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory


@pytest.mark.parametrize(
    "question",
    [
        "Where is the {} class defined?",
        "{} class",
        "definition of {}",
        "where is {}",
        "What is {}?",
        "What is the {}?",
        "What does {} do?",
        "explain {}",
        "How does {} work?",
    ],
)
@pytest.mark.parametrize("name", ["Morsel", "StreamReader", "JSONDecoder", "Lock"])
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


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is Option?", "Option"),
        ("What are the Options?", "Options"),
        ("what does echo do", "echo"),
        ("How is a Group implemented?", "Group"),
        ("what is the purpose of Context", "Context"),
        ("file upload handling", ""),
        ("how does the request method follow a redirect", ""),
        ("what is it", ""),
        ("how do I echo", ""),
        ("What is BadParameter?", ""),
        ('what is "Option"', ""),
    ],
)
def test_the_only_word_of_a_question_may_be_a_name(question: str, name: str) -> None:
    query = parse_query(question)
    assert query.possible_name == name
    assert name.lower() not in query.names


@pytest.fixture
def options(memory: Memory, tmp_path: Path) -> Memory:
    """Index a class, a function in another case, and methods and a comment that contain their names."""
    root = tmp_path / "options"
    root.mkdir()
    methods = "".join(
        f"    def add_option_{nth}(self, option):\n        'Add an option to the options of the option parser.'\\n"
        f"        self.option_{nth} = option  # no caching of an option\n\n"
        for nth in range(12)
    )
    (root / "parser.py").write_text(f"class Parser:\n{methods}", encoding="utf-8")
    (root / "core.py").write_text(
        "class Option:\n    name = 1\n\n    def parse(self):\n        return self.name\n", encoding="utf-8"
    )
    (root / "decorators.py").write_text("def option(*names):\n    return names\n", encoding="utf-8")
    memory.index(root)
    return memory


@pytest.mark.parametrize("name", ["Option", "option"])
@pytest.mark.parametrize("question", ["What is {}?", "explain {}", "What does {} do?"])
def test_the_definition_that_is_spelt_as_asked_comes_before_one_in_another_case(
    options: Memory, question: str, name: str
) -> None:
    assert options.search(question.format(name)).hits[0].chunk.symbol == name


def test_a_definition_in_another_case_is_found_when_none_is_spelt_as_asked(options: Memory) -> None:
    assert options.search("what is parser").hits[0].chunk.symbol == "Parser"


def test_an_ordinary_word_in_a_question_is_no_name(options: Memory) -> None:
    hits = options.search("how does caching work").hits
    assert hits
    assert not any("symbol" in hit.parts for hit in hits)


def test_a_question_for_a_name_that_is_also_an_ordinary_word_still_finds_facts(options: Memory) -> None:
    text = "An option is a parameter whose name starts with dashes."
    options.remember(type="know", kind="fact", symbol=text, text=text, metadata={})
    assert "know" in {hit.chunk.type for hit in options.search("what is an option").hits}
