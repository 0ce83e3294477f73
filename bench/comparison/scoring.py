"""Scores of an answer: the right file, the right line, the right facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .questions import FLAGS

if TYPE_CHECKING:
    from .questions import Question

TOLERANCE = 5
"""Lines by which a named line may differ from one that has the answer."""
_PLACE = re.compile(r"^.*\bPLACE:[\s*`]*([^\s:`*]+)(?::(\d+))?.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Score:
    """What of an answer is right."""

    file: bool
    line: bool
    facts: bool


def make_prompt(question: Question) -> str:
    """Make the prompt, which is the same with and without Aurora."""
    return (
        f"{question.ask}\n\nAnswer from the source files in this folder, and change nothing. Give the answer in one "
        "or two sentences; then, as the last line, the one place that proves it, in this form:\n"
        "PLACE: path/to/file.py:LINE"
    )


def score_answer(question: Question, answer: str) -> Score:
    """Score an answer; its last place counts, and facts are looked for in the other lines."""
    places = _PLACE.findall(answer)
    path, number = places[-1] if places else ("", "")
    is_file = f"/{path}".endswith(f"/{question.file}")
    is_line = is_file and any(abs(int(number or 0) - place) <= TOLERANCE for place in question.places)
    words = _PLACE.sub("", answer)
    has_all = all(re.search(fact, words, FLAGS) for fact in question.facts)
    return Score(is_file, is_line, has_all and not any(re.search(one, words, FLAGS) for one in question.wrong))
