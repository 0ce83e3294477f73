"""Signals in a query, each with its weight in the score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .clauses import ClauseBoundaries, find_clause_boundaries
from .phrases import PhraseMatch, PhraseMatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.tools.text import TokenizedText

    from .params import Params, Structure, WordGroup

_OPENER, _JOINER, _MENTION = "·opener", "·joiner", "·mention"
"""Names of lists that are no groups; the middle dot keeps them apart from a workflow's groups."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Signal with its name, its weight, and the matched words."""

    name: str
    weight: float
    matched: str
    incident: bool = False


@lru_cache(maxsize=8)
def build_phrase_matcher(params: Params) -> PhraseMatcher:
    """Build the matcher of the settings' word lists, once per settings."""
    return PhraseMatcher(
        (
            (_OPENER, params.openers),
            (_JOINER, params.structure.joiners),
            (_MENTION, params.mentions),
            *((group.name, group.words) for group in params.words),
        ),
        known=params.language.words,
    )


def find_signals(text: TokenizedText, params: Params) -> tuple[Signal, ...]:
    """Find the signals in the text, those of the word lists first."""
    found: dict[str, list[PhraseMatch]] = {}
    for match in build_phrase_matcher(params).find_matches(text):
        found.setdefault(match.group, []).append(match)
    kept = _drop_unaccompanied(list(_score_groups(text, params, found)), params)
    return (*kept, *_score_structure(text, params.structure, len(found.get(_JOINER, ()))))


def _drop_unaccompanied(found: list[Signal], params: Params) -> list[Signal]:
    """Drop signals without the signal that they need; repeat, since one may be the need of another."""
    groups = {group.name: group for group in params.words}
    while True:
        labels: set[str] = set()
        for signal in found:
            if signal.name in groups:
                labels |= {signal.name, groups[signal.name].kind}
        kept = []
        for signal in found:
            group = groups.get(signal.name)
            if group is None or (group.beside or group.name) in labels:
                kept.append(signal)
        if len(kept) == len(found):
            return kept
        found = kept


def _score_groups(text: TokenizedText, params: Params, found: Mapping[str, Sequence[PhraseMatch]]) -> Iterator[Signal]:
    """Score the word lists; an incident after a word of mention in its clause is only a mention."""
    questions: list[PhraseMatch] = []
    for group in params.words:
        if group.kind == "question":
            questions += found.get(group.name, ())
    places = find_clause_boundaries(text, found.get(_OPENER, ()), found.get(_JOINER, ()), questions)
    mentions = [(text.clause[match.position], match.position) for match in found.get(_MENTION, ())]
    for group in params.words:
        matches = _filter_by_position(group, found.get(group.name, ()), places)
        mentioned = _find_mentioned(text, matches, mentions) if group.kind == "incident" else []
        if mentioned:
            yield Signal("mention", 0, _join_phrases(mentioned))
        real = [match for match in matches if match not in mentioned]
        if real:
            yield _score_group(group, real)


def _score_group(group: WordGroup, matches: Sequence[PhraseMatch]) -> Signal:
    """Score the different phrases of a word list, up to its cap."""
    total = group.weight * len({match.phrase for match in matches})
    bounded = max(total, group.cap) if group.weight < 0 else min(total, group.cap)
    return Signal(group.name, bounded, _join_phrases(matches), group.kind == "incident")


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


def _find_mentioned(
    text: TokenizedText, incidents: Iterable[PhraseMatch], mentions: Sequence[tuple[int, int]]
) -> list[PhraseMatch]:
    return [match for match in incidents if _is_mention(text, match, mentions)]


def _is_mention(text: TokenizedText, incident: PhraseMatch, mentions: Sequence[tuple[int, int]]) -> bool:
    clause = text.clause[incident.position]
    return any(where == clause and at < incident.position for where, at in mentions)


def _score_structure(text: TokenizedText, shape: Structure, joined: int) -> Iterator[Signal]:
    """Score length, joined parts, listed items, sentences and names."""
    count, names = len(text.words), sum(text.is_name)
    measures = (
        ("length", count - shape.free_words, shape.per_word, shape.words_cap, f"{count} words"),
        ("joined parts", joined, shape.per_joiner, shape.joiners_cap, f"{joined} joining words"),
        ("commas", text.commas - 1, shape.per_comma, shape.commas_cap, f"{text.commas} commas"),
        ("listed items", text.items, shape.per_item, shape.items_cap, f"{text.items} items"),
        ("sentences", text.sentences - 1, shape.per_sentence, shape.sentences_cap, f"{text.sentences} sentences"),
        ("names", names - 1, shape.per_name, shape.names_cap, f"{names} names"),
    )
    for name, amount, each, cap, matched in measures:
        if amount > 0 and each:
            yield Signal(name, round(min(amount * each, cap), 2), matched)


def _join_phrases(matches: Iterable[PhraseMatch]) -> str:
    return ", ".join(dict.fromkeys(match.phrase for match in matches))[:120]
