"""Stated goals: sentences that say what a project is for, or what somebody wants of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import Chunk


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
            # The README and the first page of the documents often repeat a sentence with other marks.
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
        # A ticked item is done, so it states no goal any more; elsewhere than on a page about the project, "we want
        # to" is said of anything.
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


_NAMED = re.compile(
    r"(?i:\b(?:goal|aim|objective|purpose|mission|philosophy|idea|intention|vision)s? of )(?P<of>\w[\w.+-]*)"
    r"|\b(?P<subject>[A-Za-z][\w.+-]*) "
    r"(?:(?:aim|strive|intend)s?|(?:is|was) (?:designed|intended|meant|built)) (?:to|for)\b"
)
"""What is named by "the aim of X is", "X aims to" and "X is designed to"."""
_OWN = frozenset({"a", "an", "i", "it", "its", "our", "ours", "that", "the", "these", "this", "those", "we"})
"""Words that name no project."""
_DETERMINER = re.compile(r"(?i)\b(?:a|an|our|that|the|these|this|those)\s$")
_PAGE = re.compile(
    r"(?i)\b(?:why|alternatives?|compar(?:ed|isons?)|versus|vs|"
    r"(?:similar|other|related) (?:projects?|tools?|librar(?:y|ies)))\b"
)
_CONTRAST = re.compile(r"(?i)^\W*(?:whereas|while|unlike|in contrast|by contrast|on the other hand)\b")
_QUOTE = re.compile('["\N{LEFT DOUBLE QUOTATION MARK}\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}]')
_README = re.compile(r"(?i)^readme[^/]*$")
_WORD = re.compile(r"\w+")


def find_names(chunks: Iterable[Chunk], names: Iterable[str] = ()) -> frozenset[str]:
    """Find the words of the project's names, in lower case: the given ones, and its README's title."""
    titles = [chunk.symbol.partition(" > ")[0] for chunk in chunks if _README.match(chunk.path or "")]
    return frozenset(word.strip("_") for text in (*names, *titles) for word in _WORD.findall(text.lower()))


def is_comparison(chunk: Chunk) -> bool:
    """Return True for a page or a section that compares projects, by its file name and its headings."""
    name = re.sub(r"[_-]", " ", (chunk.path or "").rpartition("/")[2].partition(".")[0])
    return bool(_PAGE.search(name) or _PAGE.search(chunk.symbol))


def is_of_another(sentence: str, names: frozenset[str], *, is_doubtful: bool) -> bool:
    """Return whether a sentence states the goal of a named project that is not this one.

    Elsewhere than in a comparison or a quotation, a name counts as the project's own: names are known by the folder and
    the README only, and a project has parts with names. "docopt's aim is" and "it aims to" after a sentence about
    another project are not recognized.

    Args:
        sentence: the sentence.
        names: words of the project's names, in lower case.
        is_doubtful: the sentence is part of a comparison or a block quotation.
    """
    found = _NAMED.search(sentence)
    if not found:
        return False
    name = (found["of"] or found["subject"]).lower()
    # "our parser aims to": after a determiner the word is a common noun, a part of this project and no other project.
    is_described = found["subject"] is not None and _DETERMINER.search(sentence[: found.start()])
    if name in _OWN or name in names or is_described:
        return False
    return is_doubtful or bool(_CONTRAST.match(sentence) or _QUOTE.search(sentence[: found.start()]))
