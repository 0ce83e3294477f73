"""What belongs together becomes one theme, under words that set it apart."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.themes import find_themes

if TYPE_CHECKING:
    from pathlib import Path

COOKING = (
    "Knead the bread dough and let it rise in a warm oven.",
    "Bake the bread with butter in the oven for an hour.",
    "The cake dough needs sugar, eggs and butter before baking.",
    "Spread butter on the bread while it is warm from baking.",
)
SAILING = (
    "Hoist the sail when the boat leaves the harbour.",
    "The wind turned, so the boat sailed back to the harbour.",
    "Anchor the boat in the harbour before the storm at sea.",
    "A sailor trims the sail to the wind at sea.",
)
LOGIN = (
    "The login page hashes the password of the user.",
    "A user who forgot the password resets it on the login page.",
    "Failed login attempts lock the account of the user.",
    "Store no password in plain text in the user account table.",
)


def fill(memory: Memory, texts: list[str]) -> None:
    for text in texts:
        memory.remember(type="know", kind="fact", symbol=text, text=text, metadata={})


def test_similar_chunks_form_one_theme_labelled_by_their_own_words(memory: Memory) -> None:
    fill(memory, [*COOKING, *SAILING, *LOGIN])
    found = find_themes(memory.store)
    groups = {frozenset(one.text for one in theme.members): theme for theme in found.themes}
    assert set(groups) == {frozenset(COOKING), frozenset(SAILING), frozenset(LOGIN)}
    assert "butter" in groups[frozenset(COOKING)].words
    assert {"boat", "harbour"} <= set(groups[frozenset(SAILING)].words)
    assert {"password", "login"} <= set(groups[frozenset(LOGIN)].words)
    assert (found.looked_at, found.alone) == (12, 0)


def test_the_order_of_telling_makes_no_difference(memory: Memory, tmp_path: Path) -> None:
    texts = [*COOKING, *SAILING, *LOGIN]
    fill(memory, texts)
    told = find_themes(memory.store)
    random.Random(5).shuffle(texts)  # noqa: S311 - an order, not a secret
    with Memory.open(tmp_path / "other.db") as other:
        fill(other, texts)
        assert find_themes(other.store) == told
        assert find_themes(other.store) == told


def test_there_are_never_more_themes_than_the_limit(memory: Memory) -> None:
    fill(memory, [*COOKING, *SAILING, *LOGIN])
    assert len(find_themes(memory.store, most=2).themes) == 2
    (whole,) = find_themes(memory.store, most=1).themes
    assert len(whole.members) == 12


def test_only_the_named_chunks_are_clustered(memory: Memory) -> None:
    fill(memory, [*COOKING, *SAILING])
    ids = [chunk.id for chunk in memory.iter_chunks() if chunk.text in SAILING]
    assert find_themes(memory.store, ids=ids).looked_at == 4
    with pytest.raises(Fault, match='there is no chunk "know:none"') as caught:
        find_themes(memory.store, ids=[*ids, "know:none"])
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize("texts", [[], ["alone"], ["same", "same "], ["!!!", "???"]])
def test_very_little_has_no_themes_and_fails_nowhere(memory: Memory, texts: list[str]) -> None:
    fill(memory, texts)
    assert find_themes(memory.store).themes == ()


def test_real_code_and_documents_fall_into_themes_too(indexed_library: Memory) -> None:
    found = find_themes(indexed_library.store, types=("code",), most=8)
    assert 1 < len(found.themes) <= 8
    assert all(theme.words for theme in found.themes)


def test_code_is_called_by_its_names_and_not_by_the_words_of_its_language(indexed_library: Memory) -> None:
    found = find_themes(indexed_library.store, types=("code",))
    called = {word for theme in found.themes for word in theme.words}
    assert {"asyncio", "transport"} <= called
    assert called.isdisjoint({"self", "def", "return", "none", "import"})
