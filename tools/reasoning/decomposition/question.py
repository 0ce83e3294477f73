"""Question of a decomposition: its terms, its parts, and the quotes taken from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.tools.text import Terms, extract_terms, list_terms, stem_word, stem_words, tokenize_text

from .parts import split_query

if TYPE_CHECKING:
    from collections.abc import Sequence

_MIN_QUOTED = 0.7
"""Least share of a quote's terms that are in the question, in its order; the rest is a slip."""


@dataclass(frozen=True, slots=True)
class CommonWords:
    """Common words in lower case: `ignore` are no terms, `verbs` begin a subgoal."""

    ignore: frozenset[str]
    verbs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Question:
    """Terms of a question.

    Attributes:
        terms: its words and names.
        order: the stems of its words and its names, in order, with repetitions.
        parts: the terms of each of its parts.
        pieces: the terms of each of its parts that no other part contains; small parts are not merged.
        stems: the stems of all its words, of ignored words and of parts of names too.
        said: all its words in lower case, as they are spelt.
    """

    terms: Terms
    order: tuple[str, ...]
    parts: tuple[Terms, ...]
    pieces: tuple[Terms, ...]
    stems: frozenset[str]
    said: frozenset[str] = frozenset()

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every stem and name of the question."""
        return self.stems.union(self.order)


def parse_question(query: str, ignore: frozenset[str], joiners: tuple[str, ...], part_words: int) -> Question:
    """Parse a question.

    Args:
        query: the person's words.
        ignore: words that are no terms.
        joiners: words that split it, in lower case.
        part_words: a part with fewer terms is merged into the part before it.
    """
    parts = tuple(split_query(query, joiners, ignore, part_words))
    pieces = _select_own_terms(split_query(query, joiners, ignore, 1))
    said = frozenset(tokenize_text(query).words)
    return Question(extract_terms(query, ignore), list_terms(query, ignore), parts, pieces, stem_words(query), said)


def _select_own_terms(parts: Sequence[Terms]) -> tuple[Terms, ...]:
    """Select of each part the terms that no other has; leave out a part where they are few."""
    words = Counter(stem for part in parts for stem in part.words)
    names = Counter(name for part in parts for name in part.names)
    selected = []
    for part in parts:
        own_words = {stem: word for stem, word in part.words.items() if words[stem] == 1}
        own = Terms(own_words, tuple(name for name in part.names if names[name] == 1))
        if 2 * _count(own) > _count(part):
            selected.append(own)
    return tuple(selected)


def _count(terms: Terms) -> int:
    return len(terms.words) + len(terms.names)


def match_quote(quote: str, question: Question, ignore: frozenset[str]) -> frozenset[str] | None:
    """Return the terms that a quote takes from the question; None when it is not from there.

    Case, quotation marks, ignored words, and the endings of words do not matter; the order does. Words in between may
    be left out.
    """
    names = {stem_word(name): name for name in question.terms.names}  # OPTIONPARSER is a word, OptionParser a name
    wanted = [names.get(term, term) for term in list_terms(quote, ignore)]
    if not wanted:
        return frozenset() if stem_words(quote) <= question.stems else None
    common = _find_common_order(wanted, [term for term in question.order if term in set(wanted)])
    return frozenset(common) if len(common) >= _MIN_QUOTED * len(wanted) else None


def _find_common_order(wanted: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    """Find the longest sequence that is in both, by dynamic programming; quotes and questions are short."""
    best: list[tuple[str, ...]] = [()] * (len(order) + 1)
    for term in wanted:
        before: tuple[str, ...] = ()
        for at, other in enumerate(order, start=1):
            above = best[at]
            if term == other and len(before) + 1 > len(best[at]):
                best[at] = (*before, term)
            elif len(best[at - 1]) > len(best[at]):
                best[at] = best[at - 1]
            before = above
    return best[-1]
