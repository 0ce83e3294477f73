"""Levels of the labelled questions, as `python bench/levels.py` prints them."""

from __future__ import annotations

import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[4] / "bench" / "levels.py"
LEAST_RIGHT = {"tuning": 0.9, "held_out": 0.85, "later": 0.9, "first": 0.9, "first_held_out": 0.9, "symptoms": 0.95}


@pytest.fixture(scope="module")
def levels() -> Any:
    """The benchmark as a module."""
    spec = spec_from_file_location("levels_of_a_test", SCRIPT)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", LEAST_RIGHT)
def test_the_levels_of_a_set_are_right(name: str, levels: Any) -> None:
    found = levels.count_levels(levels.read_questions(levels.QUESTIONS / f"{name}.tsv"))
    assert found.right >= LEAST_RIGHT[name] * found.total, f"{found.right} of {found.total}\n{found}"
    assert found.counts["CRITICAL", "SIMPLE"] == 0, f"\n{found}"
    if name == "symptoms":
        assert found.counts["MEDIUM", "COMPLEX"] == 0


def test_the_halves_are_split_by_their_rule(levels: Any) -> None:
    halves = [levels.read_questions(levels.QUESTIONS / f"{name}.tsv") for name in ("tuning", "held_out")]
    assert [len(half) for half in halves] == [150, 150]
    for level in levels.LEVELS:
        questions = [one.question for half in halves for one in half if one.level == level]
        ordered = sorted(questions, key=lambda question: _hash(question.replace("\n", "\\n")))
        for half, own in zip(halves, (ordered[0::2], ordered[1::2]), strict=True):
            assert [one.question for one in half if one.level == level] == own


def _hash(question: str) -> str:
    return hashlib.sha256(question.encode()).hexdigest()
