"""The vocabulary of a process is shared by its threads: a server indexes for a call and follows the project at once."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import pytest

from aurora.memory.text_index.pack import PackedPostings, pack_documents
from aurora.memory.text_index.read import Document, decode_block
from aurora.memory.text_index.tokens import extract_terms
from aurora.memory.text_index.vocabulary import Vocabulary

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
    packed: dict[int, list[PackedPostings]] = {number: [] for number in range(THREADS)}

    def count(number: int) -> None:
        for turn in range(ROUNDS):
            words = " ".join(f"zq{turn}x{word}k{number}" for word in range(WORDS))
            packed[number].append(pack_documents([Document("code", f"f{number}.py", [(words, "")])]))

    threads = [threading.Thread(target=count, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number, turns in packed.items():
        for turn, one in enumerate(turns):
            read = [decode_block(block) for _, block in one.blocks]
            terms = [term.decode() for block in read if block for term in block.terms]
            assert len(terms) == len(set(terms))
            whole = {term for term in terms if term.startswith(f"zq{turn}x")}
            assert whole == {f"zq{turn}x{word}k{number}" for word in range(WORDS)}


@pytest.mark.parametrize(
    "run",
    ["readHTTPHeader_v2", "__init__", "plain", "_", "a" * 65, "a" * 64, "Größe—über", "数据库连接", "x\ud800y", "ß1"],
)
def test_a_run_has_the_terms_of_its_text_on_every_lookup(run: str) -> None:
    known = Vocabulary()
    known[b"read_ahead"]
    for _ in range(2):
        assert [known.terms[number] for number in known[run.encode("utf-8", "surrogatepass")]] == list(
            extract_terms(run)
        )


def test_a_run_too_long_for_a_word_is_not_cached() -> None:
    known = Vocabulary()
    assert known[b"A" * 1_000_000] == ()
    assert not known
