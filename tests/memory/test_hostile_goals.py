"""Goals are read in time in proportion to the length of a text, whatever it repeats."""

from __future__ import annotations

import pytest

from aurora.memory.goals import find_stated_goals
from aurora.memory.model.chunks import Chunk
from tests.growth import is_linear

UNITS = (
    *("[", "![", "[a](", "<http://", "`", "We want to [ ", "*", "- [", "# a\n", "```\n", "\n ", ". A"),
    *("the goal of ", "It is designed ", "(", "> "),
)
LENGTH = 40_000


def read_goals(text: str) -> None:
    find_stated_goals([Chunk("1", "know", "README.md", 1, 1, "Goals", "section", "markdown", text)])


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_document_is_read_in_time_in_proportion_to_its_length(unit: str) -> None:
    text = unit * (LENGTH // len(unit))
    assert is_linear(read_goals, text, text * 8)


def test_a_link_and_code_are_read_as_their_words() -> None:
    text = "We want to [parse\noptions](https://a.example) with `click` <https://a.example> quickly and well."
    (goal,) = find_stated_goals([Chunk("1", "know", "README.md", 1, 1, "x", "section", "markdown", text)])
    assert goal.text == "We want to parse options with click quickly and well."
