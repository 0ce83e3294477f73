from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest
import wordllama
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from aurora.memory import Memory
from aurora.memory.database import open_store
from aurora.memory.embeddings import embedder as meaning
from aurora.memory.embeddings.tokenizer import MAX_LENGTH, BytePairTokenizer
from aurora.memory.embeddings.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage.store import Store

_TEXTS = [
    "a",
    "def raw_decode(self, s, idx=0):\n    return obj, end",
    "How do I rotate the credentials of the staging server?",
    "漢字 and 👩‍🚀 and naïve café",
    "word " * 300,
    "\t\n  \n",
]


_PIECES = [
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "the",
    "return",
    "aaa",
    "self.",
    "_x",
    "Ünï",
    "漢字",
    "🦊",
    "▁",
    "0x",
    "==",
    "</s>",
]


def model() -> meaning.Embedder:
    loaded = meaning.get_embedder()
    assert loaded, meaning.get_load_error()
    return loaded


def test_the_vectors_agree_with_wordllama_s_own() -> None:
    theirs = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    expected = theirs.embed(_TEXTS, norm=True)
    assert np.abs(model().embed(_TEXTS) - expected).max() < 1e-3


def test_a_text_without_a_token_has_no_direction_and_is_not_stored() -> None:
    assert not model().embed([""]).any()
    assert meaning.embed_quantized(["", "something"])[0] is None


def test_packing_into_bytes_keeps_the_direction() -> None:
    vectors = model().embed(_TEXTS)
    for vector, body in zip(vectors, meaning.quantize_vectors(vectors), strict=True):
        assert body is not None
        unpacked = np.frombuffer(body, np.int8).astype(np.float32)
        assert len(body) == meaning.DIMENSIONS
        assert float(unpacked @ vector) / float(np.linalg.norm(unpacked)) > 0.9995


def test_related_texts_are_nearer_than_unrelated_ones() -> None:
    question, answer, other = model().embed(
        ["how are passwords stored", "user credentials are kept as salted hashes", "the parser skips white space"]
    )
    assert question @ answer > question @ other + 0.1


def test_without_the_weights_the_search_uses_terms_and_the_note_has_the_reason(tmp_path: Path) -> None:
    # An empty package of that name hides the real one, as an incomplete installation would.
    (tmp_path / "wordllama").mkdir()
    (tmp_path / "wordllama" / "__init__.py").touch()
    script = (
        "import sys; from pathlib import Path; from aurora.memory import Memory\n"
        "with Memory.open(Path(sys.argv[1])) as m:\n"
        "    m.remember(type='know', kind='fact', symbol='s', text='salt is added to the hash', metadata={})\n"
        "    m.warm_up()\n"
        "    r = m.search('salt'); print(r.hits[0].chunk.text, '|', r.note, '|', m.stats().vectors)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "memory.db")],
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    found, note, vectors = done.stdout.split("|")
    assert found.strip() == "salt is added to the hash"
    assert "terms alone" in note
    assert vectors.strip() == "0"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


def _numbers(matrix: VectorIndex, type_: str) -> list[int]:
    shelf = matrix.get_vectors(type_)
    return [] if shelf is None else [int(n) for n in shelf.numbers]


def test_the_vectors_in_memory_follow_added_and_deleted_chunks(database: Path, store: Store) -> None:
    matrix = VectorIndex()
    with Memory.open(database) as memory:
        ids = [
            memory.remember(type="reas", kind="p", symbol=str(i), text=f"pattern {i}", metadata={})[0] for i in range(5)
        ]
        with store.begin_read() as db:
            matrix.refresh(db, 1)
        assert _numbers(matrix, "reas") == [1, 2, 3, 4, 5]
        memory.remember(type="know", kind="p", symbol="k", text="a fact", metadata={})
        db = apsw.Connection(str(database))
        db.pragma("foreign_keys", True)  # noqa: FBT003 - the pragma's value
        db.execute("DELETE FROM chunks WHERE id IN (?, ?)", (ids[1], ids[4]))
        db.close()
        with store.begin_read() as db:
            matrix.refresh(db, 2)
        assert _numbers(matrix, "reas") == [1, 3, 4]
        assert _numbers(matrix, "know") == [6]


def test_a_reader_that_began_before_a_change_does_not_restore_an_older_state(database: Path, store: Store) -> None:
    matrix = VectorIndex()
    with Memory.open(database) as memory, store.begin_read() as early:
        early.vectors.count_missing()  # its moment is now
        memory.remember(type="reas", kind="p", symbol="s", text="new", metadata={})
        with store.begin_read() as late:
            matrix.refresh(late, 1)
        matrix.refresh(early, 0)
    assert _numbers(matrix, "reas") == [1]


def test_a_short_text_has_the_tokens_that_the_library_finds() -> None:
    folder = Path(wordllama.__file__).parent / "tokenizers"
    file = next(folder.glob("l2_supercat*.json"))
    library, own = Tokenizer.from_file(str(file)), BytePairTokenizer.from_file(file)

    @given(st.one_of(st.text(max_size=MAX_LENGTH), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)))
    @settings(max_examples=40)
    def agree(text: str) -> None:
        assume(own.can_encode(text))
        expected = library.encode(text, add_special_tokens=False).ids
        assert (
            BytePairTokenizer.from_file(file).encode(text) == expected
        )  # the first text, for which a part of the vocabulary is read
        assert own.encode(text) == expected

    agree()


def test_a_text_has_the_same_vector_before_and_after_the_library_is_loaded() -> None:
    fresh = meaning._load_embedder()
    short = [*(text for text in _TEXTS if len(text) <= MAX_LENGTH), "a tag <s> of the vocabulary's own"]
    alone = [fresh.embed([text])[0] for text in short]
    fresh.warm_up()
    assert np.abs(np.array(alone) - fresh.embed(short)).max() < 1e-6


def test_a_tokenizer_of_another_kind_is_not_taken_for_one_of_bytes(tmp_path: Path) -> None:
    other = tmp_path / "tokenizer.json"
    other.write_text('{"model": {"type": "WordPiece", "vocab": {"a": 1}}}', encoding="utf-8")
    with pytest.raises(ValueError, match="is not a byte-pair vocabulary"):
        BytePairTokenizer.from_file(other)
