from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import wordllama
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from aurora.memory.embeddings import get_embedder
from aurora.memory.embeddings.full_model import MIN_TEXTS, PieceEncoder, can_cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_PARTS = [
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\u00a0",
    "the",
    "return",
    "self.",
    "__x",
    "Ünï",
    "漢字",
    "🦊",
    "▁",
    "▁ ",
    "0x12",
]
_PARTS += ["==", "</s>", "<unk>", "<0x0A>", "D².", "“a”,", "\x00", "\u2028"]
_TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PARTS), max_size=40).map("".join))


class Library:
    """The tokenizer library, and how many texts it was given."""

    def __init__(self) -> None:
        file = next((Path(wordllama.__file__).parent / "tokenizers").glob("l2_supercat*.json"))
        self._tokenizer = Tokenizer.from_file(str(file))
        self.vocabulary: dict[str, int] = self._tokenizer.get_vocab()
        self.texts = 0

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        self.texts += len(texts)
        found = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [np.array(each.ids, np.int32) for each in found]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library()


@given(batches=st.lists(st.lists(_TEXTS, max_size=6), max_size=4))
@settings(max_examples=60)
def test_texts_have_the_tokens_that_the_library_finds(library: Library, batches: list[list[str]]) -> None:
    encoder = PieceEncoder(library.encode, library.vocabulary)
    for texts in batches:
        expected = [numbers.tolist() for numbers in library.encode(texts)]
        assert [numbers.tolist() for numbers in encoder.encode(texts)] == expected


def test_every_source_file_of_this_project_has_the_library_s_tokens(library: Library) -> None:
    files = [path.read_text("utf-8") for path in Path(__file__).parents[3].glob("memory/**/*.py")]
    encoder = PieceEncoder(library.encode, library.vocabulary)
    expected = [numbers.tolist() for numbers in library.encode(files)]
    assert [numbers.tolist() for numbers in encoder.encode(files)] == expected


@pytest.mark.parametrize("token", ["ab\n", "a b", "x=", "12", "\nb"])
def test_a_vocabulary_with_a_token_across_a_cut_is_left_to_the_library(library: Library, token: str) -> None:
    assert can_cut(library.vocabulary)
    assert not can_cut({**library.vocabulary, token.replace(" ", "▁"): 32_000})


def test_many_texts_have_the_vectors_that_few_have() -> None:
    model = get_embedder()
    assert model
    texts = [f"def function_{number}(value):\n    return value * {number}  # naïve" for number in range(MIN_TEXTS)]
    some = np.concatenate([model.embed(texts[:50]), model.embed(texts[50:])])
    assert np.array_equal(model.embed(texts), some)
