"""The prefilter finds every mark that a text contains."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.system.secrets.scan import SecretPrefilter, find_secrets
from aurora.system.secrets.values import Secret

EXACT = ("AKIA", "xox", "SG.", "hooks.example.com", "_live_", "sk-")
FOLDED = ("pwd", "password", "api-key", "token")
SECRETS = (
    "AKIA" + "QZ7T3LXVB2RKWM4N",
    "ghp_" + "q7Zt9LxVb2RkWm4NcYp8q7Zt9LxVb2RkWm4N",
    'PassWord = "' + "q7Zt9LxVb2" + 'RkWm4NcYp8"',
    'to\u212aen = "' + "q7Zt9LxVb2" + 'RkWm4NcYp8"',  # the Kelvin sign, a K in lower case
)

anything = st.text(st.characters() | st.sampled_from("\u212a\u0130\ud800\r\n"), max_size=40)
texts = st.lists(anything | st.sampled_from(EXACT + FOLDED) | st.sampled_from(FOLDED).map(str.title), max_size=12)


@settings(max_examples=50)
@given(texts, st.integers(0, 3))
def test_the_marks_that_a_text_contains_are_found(parts: list[str], start: int) -> None:
    text = "·" * 600 + "." * start + "".join(parts)
    held = {mark for mark in EXACT if mark in text} | {mark for mark in FOLDED if mark in text.lower()}
    assert held == SecretPrefilter(EXACT, FOLDED).find_possible(text)


@pytest.mark.parametrize("place", [65_530, 65_535, 65_536, 65_540])
def test_a_mark_is_seen_where_two_parts_of_a_text_meet(place: int) -> None:
    marks = SecretPrefilter(EXACT, FOLDED)
    assert marks.find_possible("x" * (place - 5) + "hooks.example.com" + "Password") == {
        "hooks.example.com",
        "password",
    }


def test_a_text_full_of_marks_takes_little_memory() -> None:
    marks = SecretPrefilter(EXACT, FOLDED)
    tracemalloc.start()
    try:
        assert marks.find_possible("pwd" * 1_000_000) == {"pwd"}
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("line", ["sorted by", "un", "# public", "cost: $(", "yes or no"])
def test_the_line_above_does_not_hide_a_secret(line: str) -> None:
    assert find_secrets(f"{line}\n{SECRETS[2]}\n")


@settings(max_examples=50)
@given(st.lists(anything, max_size=3).map("\n".join), st.sampled_from(SECRETS), anything)
def test_a_secret_is_found_in_a_long_text_as_in_a_short_one(before: str, secret: str, after: str) -> None:
    around = "line of code\n" * 50
    found = find_secrets(f"{around}{before}\n{secret}\n{after}")
    alone = find_secrets(f"{before}\n{secret}\n{after}")
    assert alone
    assert [Secret(kind, start - len(around), end - len(around)) for kind, start, end in found] == alone
