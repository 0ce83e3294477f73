from __future__ import annotations

import re
from collections import Counter

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aurora.memory.text_index.runs import find_runs

_RUN = re.compile(rb"[0-9A-Za-z_\x80-\xff]+")
_SIGNS = st.characters(codec=None) | st.sampled_from("ab_9é—\ud800\r\n\t .\0\x1f\x7f")
_TEXTS = st.lists(st.text(_SIGNS, max_size=40) | st.text("ab ", min_size=60, max_size=150), max_size=6)


def one_by_one(texts: list[str]) -> Counter[tuple[bytes, int]]:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return Counter((run, place) for place, text in enumerate(encoded) for run in _RUN.findall(text))


def at_once(texts: list[str]) -> Counter[tuple[bytes, int]]:
    runs = find_runs(texts)
    assert runs.which.tolist() == sorted(runs.which.tolist())
    pairs = zip(runs.which.tolist(), runs.texts.tolist(), strict=True)
    return Counter((runs.spelt[which], text) for which, text in pairs)


@settings(max_examples=50)
@given(_TEXTS)
@example([])
@example([""])
@example(["", "a", "", "a b\r\na", ""])
@example(["a" * size for size in (7, 8, 9, 63, 64, 65, 200)] * 2)
@example(["abcdefgh1 abcdefgh2 abcdefgh1", "abcdefgh2"])
def test_runs_of_many_texts_at_once_are_those_that_reading_one_by_one_finds(texts: list[str]) -> None:
    assert at_once(texts) == one_by_one(texts)


def test_runs_with_the_same_hash_are_distinguished() -> None:
    first, second = "DOmKjemdaVaaaDab", "6GZk0UVaJ8WKZ87C"  # found by search
    texts = [f"{first} {second} {first}", second]
    assert at_once(texts) == one_by_one(texts)
    assert find_runs(texts).spelt == [first.encode(), second.encode()] * 2, (
        "they have different hashes now: find others"
    )
