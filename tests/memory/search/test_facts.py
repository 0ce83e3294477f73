"""Facts that are asked for in other words: no threshold hides the only answer, and words do not outweigh meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAGES = "".join(
    f"# Page {number}\n\nThe invoices of customer {number} are listed on page {number}.\n\n" for number in range(40)
)
_OWNER = "Maria owns the billing service; ask her before changing its schema."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db") as opened:
        yield opened


def remember(memory: Memory, text: str, *, type_: str = "know") -> str:
    return memory.remember(type=type_, kind="fact", symbol=text, text=text, metadata={})[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("type_", ["know", "reas"])
@pytest.mark.parametrize(
    ("text", "question"),
    [
        (_OWNER, "who is responsible for invoices code"),
        ("Redis evicts keys with allkeys-lru once it reaches 2 GB.", "what happens when the cache is full"),
        ("Kotlin code is formatted by ktlint with a line length of 120.", "style checker of the Android part"),
    ],
)
def test_the_only_record_is_a_hit_however_different_its_words_are(
    memory: Memory, type_: str, text: str, question: str
) -> None:
    own = remember(memory, text, type_=type_)

    assert [hit.chunk.id for hit in memory.search(question).hits] == [own]


def test_a_chance_word_does_not_rank_a_record_before_the_one_that_answers(memory: Memory) -> None:
    answer = remember(memory, "Sessions expire after twelve hours of inactivity.")
    remember(memory, "The person who signs the contract sends a paper copy.")

    (first, *_) = memory.search("how long does a person stay logged in before the login times out").hits

    assert first.chunk.id == answer


def test_a_fact_is_a_hit_among_documents_with_the_words_of_the_question(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "pages.md").write_text(_PAGES, encoding="utf-8")
    memory.index(tmp_path)
    own = remember(memory, _OWNER)

    hits = memory.search("who is responsible for invoices code", types=("know",)).hits

    assert own in [hit.chunk.id for hit in hits]


def test_filters_hold_for_records_in_other_words(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "pages.md").write_text(_PAGES, encoding="utf-8")
    memory.index(tmp_path)
    own = remember(memory, _OWNER)
    question = "who is responsible for invoices code"

    assert own not in [hit.chunk.id for hit in memory.search(question, path_glob="*.md").hits]
    assert own not in [hit.chunk.id for hit in memory.search(question, kinds=("section",)).hits]
    assert [hit.chunk.id for hit in memory.search(question, kinds=("fact",)).hits] == [own]


def test_records_without_any_relation_are_not_listed_behind_code_that_answers(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "tax.py").write_text("def compute_tax(income):\n    return income\n", encoding="utf-8")
    memory.index(tmp_path)
    own = remember(memory, "The staging cluster is wiped every Sunday evening.")

    found = memory.search("compute_tax")

    assert [hit.chunk.path for hit in found.hits] == ["tax.py"]
    assert found.total == 1
    assert [hit.chunk.id for hit in memory.search("why did my data in the test environment vanish").hits][:1] == [own]
