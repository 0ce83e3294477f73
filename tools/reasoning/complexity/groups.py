"""Scores of the word groups in a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clauses import ClauseBoundaries, find_clause_boundaries
from .lexicon import COMPOUND, CREATION, JOINER, MENTION, MENTION_END, OPENER
from .mentions import MentionFinder, MentionMarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.tools.text import TokenizedText

    from .lexicon import Lexicon
    from .params import WordGroup
    from .phrases import PhraseMatch

    Matches = Mapping[str, Sequence[PhraseMatch]]


@dataclass(frozen=True, slots=True)
class Signal:
    """Signal with its name, its weight, and the matched words."""

    name: str
    weight: float
    matched: str
    incident: bool = False


def score_groups(text: TokenizedText, lexicon: Lexicon, found: Matches) -> Iterator[Signal]:
    """Score the word groups; an incident that is only mentioned counts nothing.

    Args:
        text: the query.
        lexicon: the word lists.
        found: name of a list -> its matches in the query.
    """
    questions = _select_questions(lexicon, found)
    places = find_clause_boundaries(
        text, found.get(OPENER, ()), found.get(JOINER, ()), [match for some in questions.values() for match in some]
    )
    finder: MentionFinder | None = None
    for name, group in lexicon.groups.items():
        if name not in found:
            continue
        real = _filter_by_position(group, questions.get(name, found[name]), places)
        if group.kind == "incident":
            finder = finder or _build_mention_finder(text, found)
            real, mentioned = finder.split_mentions(real, group)
            if mentioned:
                yield Signal("mention", 0, _join_phrases([match.phrase for match in mentioned]))
        if real:
            yield _score_group(group, real)


def _select_questions(lexicon: Lexicon, found: Matches) -> Matches:
    """Select the longest question words at each position: "what happens" is not the look-up "what"."""
    names = [name for name in found if name in lexicon.questions]
    longest: dict[int, int] = {}
    for match in (match for name in names for match in found[name]):
        longest[match.position] = max(match.length, longest.get(match.position, 0))
    return {name: _keep_longest(found[name], longest) for name in names}


def _keep_longest(matches: Iterable[PhraseMatch], longest: Mapping[int, int]) -> list[PhraseMatch]:
    return [match for match in matches if match.length == longest[match.position]]


def _build_mention_finder(text: TokenizedText, found: Matches) -> MentionFinder:
    lists = (MENTION, CREATION, MENTION_END, COMPOUND)
    return MentionFinder(
        text, MentionMarks(*(frozenset(match.position for match in found.get(name, ())) for name in lists))
    )


def _filter_by_position(
    group: WordGroup, matches: Iterable[PhraseMatch], places: ClauseBoundaries
) -> list[PhraseMatch]:
    if group.at == "start":
        return [match for match in matches if match.position <= places.query_start]
    if group.at == "clause":
        wanted = (
            places.clause_starts if group.kind == "question" else places.clause_starts - places.question_continuations
        )
        return [match for match in matches if match.position in wanted]
    return list(matches)


def _score_group(group: WordGroup, matches: Sequence[PhraseMatch]) -> Signal:
    """Score the different phrases of a word list, up to its cap."""
    further = group.weight if group.further is None else group.further
    phrases = dict.fromkeys([match.phrase for match in matches])
    total = group.weight + further * (len(phrases) - 1)
    bounded = max(total, group.cap) if group.weight < 0 else min(total, group.cap)
    return Signal(group.name, bounded, _join_phrases(phrases), group.kind == "incident")


def _join_phrases(phrases: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(phrases))[:120]
