"""The signals in a query: what was found, and what each adds to the score."""

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
"""Lists that are no groups; a group's name in a workflow hardly begins with a middle dot."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Something found: its name, what it adds, and the words that were found."""

    name: str
    weight: float
    matched: str
    incident: bool = False


@lru_cache(maxsize=8)
def build_phrase_matcher(params: Params) -> PhraseMatcher:
    """The word lists of these settings, made ready once."""
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
    """Every signal in the text, those of the word lists first."""
    found: dict[str, list[PhraseMatch]] = {}
    for match in build_phrase_matcher(params).find_matches(text):
        found.setdefault(match.group, []).append(match)
    kept = _drop_unaccompanied(list(_score_groups(text, params, found)), params)
    return (*kept, *_score_structure(text, params.structure, len(found.get(_JOINER, ()))))


def _drop_unaccompanied(found: list[Signal], params: Params) -> list[Signal]:
    """The signals whose company is there; one that goes may take others with it, so this goes on until none does."""
    groups = {group.name: group for group in params.words}
    while True:
        there = {label for one in found if one.name in groups for label in (one.name, groups[one.name].kind)}
        kept = [one for one in found if one.name not in groups or (groups[one.name].beside or one.name) in there]
        if len(kept) == len(found):
            return kept
        found = kept


def _score_groups(text: TokenizedText, params: Params, found: Mapping[str, Sequence[PhraseMatch]]) -> Iterator[Signal]:
    """The signals of the word lists; an incident after a word of mention in its clause is only mentioned."""
    asked = [match for group in params.words if group.kind == "question" for match in found.get(group.name, ())]
    places = find_clause_boundaries(text, found.get(_OPENER, ()), found.get(_JOINER, ()), asked)
    mentions = [(text.clause[match.position], match.position) for match in found.get(_MENTION, ())]
    for group in params.words:
        matches = _filter_by_position(group, found.get(group.name, ()), places)
        told = [match for match in matches if group.kind == "incident" and _is_mention(text, match, mentions)]
        if told:
            yield Signal("mention", 0, _join_phrases(told))
        real = [match for match in matches if match not in told]
        if real:
            total = group.weight * len({match.phrase for match in real})
            bounded = max(total, group.cap) if group.weight < 0 else min(total, group.cap)
            yield Signal(group.name, bounded, _join_phrases(real), group.kind == "incident")


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


def _is_mention(text: TokenizedText, incident: PhraseMatch, mentions: Sequence[tuple[int, int]]) -> bool:
    clause = text.clause[incident.position]
    return any(where == clause and at < incident.position for where, at in mentions)


def _score_structure(text: TokenizedText, shape: Structure, joined: int) -> Iterator[Signal]:
    """The signals of length, joined parts, listed items, sentences and names."""
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
