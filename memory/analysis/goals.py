"""Stated goals: sentences that say what a project is for, or what somebody wants of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .goal_subjects import find_names, is_comparison, is_of_another

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.memory.model import Chunk

_FENCE = re.compile(r"^(```|~~~).*?^(```|~~~)", re.DOTALL | re.MULTILINE)
_LINE_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)|\n(?=#)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_MARKUP = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?|[*_`]{1,3}")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()]{0,2000}\)|`([^`]{1,500})`_?_?|<https?://[^<>]{0,2000}>")
"""Its parts are bounded, so that a line of open brackets is read in time in proportion to its length."""
_BOILERPLATE_PATH = re.compile(
    r"(?i)(^|/)(licen[cs]e|copying|notice|authors|contributors|code[_-]of[_-]conduct|security|change(s|log)|history|news|"
    r"release[_-]?notes|install|thanks|citation)([^/]*)$|(^|/)(vendor|third[_-]?party|node_modules|licenses)/"
)
_BOILERPLATE_TEXT = re.compile(
    r"(?i)permission is hereby granted|all rights reserved|copyright \(c\)|without warranty|redistribut|"
    r"contributor covenant|licensed under|pull request|harass|vulnerabilit"
)
_GOAL_HEADING = re.compile(
    r"(?i)^\W*(?:(?:project|our|main|design|key)\s+)?(goals?|objectives?|aims?|mission|vision|roadmap|purpose|"
    r"motivation|milestones?|what we want|next steps|to-?do|future (?:work|plans|directions?)|planned(?: features)?|"
    r"philosophy)\W*$"
)
_PLACE = re.compile(
    r"(?i)^(?:docs?/|documentation/)?(?:readme|index|about|overview|intro(?:duction)?|design|roadmap|goals?|vision|mission|"
    r"philosophy|motivation|why|todo|plans?)[^/]*$"
)
"""Documents that speak of the project as a whole; elsewhere only a heading such as "Goals" shows a goal."""
_OF_A_DOCUMENT = re.compile(
    r"(?i)\b(?:these docs|this (?:document|documentation|page|section|guide|tutorial|example|file|chapter))\b"
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_DONE = re.compile(r"^\s*[-*+]\s*\[[xX]\]")
_STATEMENTS = (
    (
        0.95,
        re.compile(
            r"(?i)\b(?:the|our|its|main|primary|ultimate|overall)(?: \w+)? "
            r"(?:goal|aim|objective|purpose|mission|philosophy)s?\b[^.]{0,60}? (?:is|are|was) "
        ),
    ),
    (0.85, re.compile(r"\b(?:[Ww]e|[Ii]t|[Tt]his \w+|[A-Z]\w+) (?:aim|strive|intend)s? (?:to|for)\b")),
    (0.8, re.compile(r"\b(?:[Ww]e|I) (?:want|would like|hope|plan) to\b|\b[Tt]he (?:idea|intention|vision) is to\b")),
    (0.75, re.compile(r"^(?:It|This \w+|[A-Z]\w+) (?:is|was) (?:designed|intended|meant|built) (?:to|for)\b")),
)
"""Wordings that state a goal, with their confidence."""
_HEADING_CONFIDENCE = 0.9
_MIN_WORDS, _MAX_WORDS = 4, 45
_MAX_LINE = 280


class StatedGoal(NamedTuple):
    """Sentence that states a goal.

    Attributes:
        confidence: that of its wording, such as a heading "Goals" or "aims to", in 0..1.
    """

    text: str
    confidence: float
    chunk: Chunk


def is_boilerplate(chunk: Chunk) -> bool:
    """Return True for a licence, a notice, a change log or similar, which states no goal."""
    return bool(_BOILERPLATE_PATH.search(chunk.path or "") or _BOILERPLATE_TEXT.search(chunk.text[:4000]))


def find_stated_goals(chunks: Sequence[Chunk], names: Sequence[str] = ()) -> list[StatedGoal]:
    """Find the sentences that state a goal, the surest first; equal sentences once.

    Args:
        chunks: documents, facts and patterns.
        names: names of the project; the title of its README is another one.
    """
    found: dict[str, StatedGoal] = {}
    own = find_names(chunks, names)
    for chunk in chunks:
        if is_boilerplate(chunk):
            continue
        for goal in _read_chunk(chunk, own):
            key = " ".join(re.findall(r"\w+", goal.text.lower()))
            if key not in found or found[key].confidence < goal.confidence:
                found[key] = goal
    return sorted(found.values(), key=lambda goal: (-goal.confidence, goal.chunk.path or "", goal.text))


def _read_chunk(chunk: Chunk, names: frozenset[str]) -> Iterator[StatedGoal]:
    is_compared = is_comparison(chunk)
    is_about_goals = chunk.path is not None and _is_goal_heading(chunk.symbol.rpartition(" > ")[2])
    is_in_place = chunk.path is None or _PLACE.match(chunk.path) is not None
    for line in _LINE_BREAK.split(_FENCE.sub("", chunk.text)):
        if line.lstrip().startswith("#"):  # a small section within the chunk
            is_about_goals = _is_goal_heading(line)
        elif not _DONE.match(line) and (is_about_goals or is_in_place):
            least = _HEADING_CONFIDENCE if is_about_goals and _ITEM.match(line) else 0.0
            is_doubtful = is_compared or line.lstrip().startswith(">")
            for goal in _read_line(line, chunk, least):
                if not is_of_another(goal.text, names, is_doubtful=is_doubtful):
                    yield goal


def _is_goal_heading(text: str) -> bool:
    return _GOAL_HEADING.match(text) is not None


def _read_line(line: str, chunk: Chunk, least: float) -> Iterator[StatedGoal]:
    for sentence in _SENTENCE_END.split(_clean(line)):
        confidence = max(least, _rate_wording(sentence)) if _is_statement(sentence) else 0.0
        if confidence:
            yield StatedGoal(sentence[:_MAX_LINE], confidence, chunk)


def _is_statement(sentence: str) -> bool:
    """Return whether a text is a whole sentence of the project, not a lead-in or one about a document."""
    is_whole = _MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS and not sentence.endswith(":")
    return is_whole and not _OF_A_DOCUMENT.search(sentence)


def _rate_wording(sentence: str) -> float:
    return max((value for value, pattern in _STATEMENTS if pattern.search(sentence)), default=0.0)


def _clean(line: str) -> str:
    """Return a line without markup and line breaks."""
    text = _LINK.sub(lambda found: found[1] or found[2] or "", line)
    return " ".join(_MARKUP.sub("", " ".join(text.split())).split())
