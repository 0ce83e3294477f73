"""The vocabulary of a process is shared by its threads: a server indexes for a call and follows the project at once."""

from __future__ import annotations

import re
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.postings import Document, Packed, pack
from aurora.memory.vocabulary import identifiers_in

if TYPE_CHECKING:
    from collections.abc import Iterator

THREADS, ROUNDS, WORDS = 4, 12, 400


@pytest.fixture
def _impatient() -> Iterator[None]:
    """Threads that take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_impatient")
def test_threads_that_count_words_at_once_each_get_their_own_words() -> None:
    packed: dict[int, list[Packed]] = {number: [] for number in range(THREADS)}

    def count(number: int) -> None:
        for turn in range(ROUNDS):
            words = " ".join(f"zq{turn}x{word}k{number}" for word in range(WORDS))
            packed[number].append(pack([Document("code", f"f{number}.py", [(words, "")])]))

    threads = [threading.Thread(target=count, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number, turns in packed.items():
        for turn, one in enumerate(turns):
            assert len(one.terms) == len(set(one.terms))
            whole = {term for term in one.terms if term.startswith(f"zq{turn}x")}
            assert whole == {f"zq{turn}x{word}k{number}" for word in range(WORDS)}


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(max_codepoint=127)) | st.text())
def test_the_short_way_through_ascii_finds_what_the_pattern_finds(text: str) -> None:
    assert identifiers_in(text) == re.findall(r"\w+", text)
