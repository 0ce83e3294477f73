"""Questions with known answers: the place in the sources, and facts that a right answer has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ruamel.yaml import YAML

if TYPE_CHECKING:
    from pathlib import Path

WINDOW = 20
"""Lines before and after a place in which the source has each fact."""
FLAGS = re.IGNORECASE | re.DOTALL


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer.

    Attributes:
        ask: the question.
        file: path of the file with the answer, relative to the sources.
        places: numbers of the lines that have the answer, from 1.
        facts: regular expressions that an answer must match, every one.
        wrong: regular expressions that an answer must not match.
    """

    ask: str
    file: str
    places: tuple[int, ...]
    facts: tuple[str, ...]
    wrong: tuple[str, ...] = ()


def read_questions(path: Path, sources: Path) -> tuple[Question, ...]:
    """Read the questions, and find their lines in the sources.

    Raises:
        ValueError: lines that are missing or ambiguous, and facts that the source does not have there; all of them.
    """
    faults: list[str] = []
    found = []
    for entry in YAML(typ="safe").load(path.read_text(encoding="utf-8")):
        file = sources / entry["file"]
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        places = [_find_line(text, lines, f"{path.name}: {entry['file']}", faults) for text in entry["lines"]]
        facts = tuple(entry["facts"])
        windows = ["\n".join(lines[max(0, place - 1 - WINDOW) : place + WINDOW]) for place in places if place]
        unproved = [one for one in facts if windows and not any(re.search(one, part, FLAGS) for part in windows)]
        faults += [
            f"{path.name}: {entry['file']}: {one!r} is not within {WINDOW} lines of {places}" for one in unproved
        ]
        found.append(Question(entry["ask"], entry["file"], tuple(places), facts, tuple(entry.get("wrong", ()))))
    if faults:
        message = "\n".join([*faults, "correct the questions, or pass --sources with the version they are for"])
        raise ValueError(message)
    return tuple(found)


def _find_line(text: str, lines: list[str], where: str, faults: list[str]) -> int:
    """Find the number of the only line with the text; 0 and a fault without one."""
    numbers = [number for number, line in enumerate(lines, 1) if text in line]
    if len(numbers) == 1:
        return numbers[0]
    faults.append(f"{where}: {text!r} is in {len(numbers)} lines, and must be in one")
    return 0
