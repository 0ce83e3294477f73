"""Signals in a query, each with its weight in the score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .groups import Signal, score_groups
from .lexicon import JOINER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.tools.text import TokenizedText

    from .lexicon import Lexicon
    from .params import Params, Structure
    from .phrases import PhraseMatch

_REQUEST = "request"


def find_signals(text: TokenizedText, lexicon: Lexicon, params: Params) -> tuple[Signal, ...]:
    """Find the signals in the text, those of the word lists first.

    Args:
        text: the query.
        lexicon: the word lists of the settings.
        params: the settings.
    """
    found: dict[str, list[PhraseMatch]] = {}
    for match in lexicon.matcher.find_matches(text):
        found.setdefault(match.group, []).append(match)
    kept = _drop_unaccompanied(list(score_groups(text, lexicon, found)), lexicon)
    kept += _score_request(text, kept, lexicon, params.structure)
    joined = len(found.get(JOINER, ()))
    return (*_reduce_weaker(kept, lexicon, params.rest), *_score_structure(text, params.structure, joined))


def _drop_unaccompanied(found: list[Signal], lexicon: Lexicon) -> list[Signal]:
    """Drop signals without the signal that they need; repeat, since one may be the need of another."""
    if not any(signal.name in lexicon.needed for signal in found):
        return found
    while True:
        labels: set[str] = set()
        for signal in found:
            labels.update(lexicon.labels.get(signal.name, ()))
        kept = []
        for signal in found:
            needed = lexicon.needed.get(signal.name)
            if needed is None or not labels.isdisjoint(needed):
                kept.append(signal)
        if len(kept) == len(found):
            return kept
        found = kept


def _score_request(
    text: TokenizedText, found: Iterable[Signal], lexicon: Lexicon, shape: Structure
) -> tuple[Signal, ...]:
    """Score a query whose kind no word tells: a sentence asks for more than a look-up, a few words do not."""
    if not shape.request or len(text.words) < shape.request_words or any(one.name in lexicon.telling for one in found):
        return ()
    return (Signal(_REQUEST, shape.request, f"{len(text.words)} words"),)


def _reduce_weaker(found: list[Signal], lexicon: Lexicon, rest: float) -> list[Signal]:
    """Reduce all signals of questions and work but the strongest: they tell of the same work."""
    main = [one for one in found if one.weight > 0 and (one.name in lexicon.main or one.name == _REQUEST)]
    weaker = sorted(main, key=lambda one: -one.weight)[1:]
    if not weaker:
        return found
    return [replace(one, weight=one.weight * rest) if one in weaker else one for one in found]


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
