"""Forms of a word."""

from __future__ import annotations

import pytest

from aurora.tools.reasoning.decomposition.grammar import has_form


@pytest.mark.parametrize(
    ("word", "other"),
    [("renew", "renewal"), ("sent", "send"), ("unhealthi", "health"), ("atomical", "atomicit"), ("hook", "hook")],
)
def test_two_forms_of_a_word_are_found(word: str, other: str) -> None:
    assert has_form(word, {other})
    assert has_form(other, {word})


@pytest.mark.parametrize(("word", "other"), [("transfer", "transform"), ("key", "keyboard"), ("serial", "series")])
def test_other_words_are_no_forms(word: str, other: str) -> None:
    assert not has_form(word, {other})
