"""Question of a decomposition: its terms, its parts, and the quotes taken from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aurora.tools.text import Terms, extract_terms, list_terms, stem_word, stem_words, tokenize_text

from .grammar import has_form, is_inverted
from .parts import find_sequence, join_terms, locate_parts, merge_clauses, merge_parts, split_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .grammar import ClauseWords
    from .parts import Part

_MOST_COMPARED = 100
"""Parts whose terms are compared with those of all others."""

_MAX_ANAPHORIC = 2
"""Own words of a part that has its meaning from the one before."""

_BACK = frozenset({"it", "them", "both", "one", "ones", "this", "that", "these", "those", "its", "their"})

_MIN_CUT = 4
"""Letters of a word that a quote cuts off."""

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
        asked_terms: the words and names of what it asks for, without those that only its circumstances have.
        asked: the stems and names of what it asks for, without those that only its circumstances have.
        parts: the terms of each of its parts.
        pieces: its smallest parts, each with the terms that no other one contains; without circumstances.
        clauses: its clauses, likewise.
        stems: the stems of all its words, of ignored words and of parts of names too.
        said: all its words in lower case, as they are spelt.
        text: the person's words in lower case.
    """

    terms: Terms
    order: tuple[str, ...]
    asked_terms: Terms
    asked: frozenset[str]
    parts: tuple[Terms, ...]
    pieces: tuple[Part, ...]
    clauses: tuple[Part, ...]
    stems: frozenset[str]
    said: frozenset[str] = frozenset()
    text: str = ""

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every stem and name of the question."""
        return self.stems.union(self.order, self.terms.names)


def parse_question(query: str, words: ClauseWords, part_words: int) -> Question:
    """Parse a question.

    Args:
        query: the person's words.
        words: words that split it, and words that are no terms.
        part_words: a part with fewer terms is merged into the part before it.
    """
    order = list_terms(query, words.ignore)
    split = locate_parts(split_query(query, words), order, words.ignore)
    asked = [part for part in split if not part.is_context] or split
    return Question(
        terms=extract_terms(query, words.ignore),
        order=order,
        asked_terms=join_terms(part.terms for part in asked),
        asked=frozenset(term for part in asked for term in list_terms(part.text, words.ignore)),
        parts=tuple(merge_parts(split, part_words)),
        pieces=_select_own_terms(split, words.verbs, words.things),
        clauses=_select_own_terms(merge_clauses(split), words.verbs, words.things),
        stems=stem_words(query),
        said=frozenset(tokenize_text(query).words),
        text=query.lower(),
    )


def _select_own_terms(parts: Sequence[Part], verbs: frozenset[str], things: frozenset[str]) -> tuple[Part, ...]:
    """Select of each part that asks the terms that no other has; leave out a part where they are few.

    Half of the terms are enough, unless all of them are verbs. Of more parts than are judged anyway, none is left out.
    """
    if len(parts) > _MOST_COMPARED:
        return tuple(part for part in parts if not part.is_context)
    names = Counter(name for part in parts for name in part.terms.names)
    selected = []
    for at, part in enumerate(parts):
        others = [stem for other in (*parts[:at], *parts[at + 1 :]) for stem in other.terms.words]
        own = _select_own(part.terms, others, names)
        is_telling = bool(own.names) or not verbs.issuperset(own.words.values())
        is_asked_before = at > 0 and not parts[at - 1].is_context
        follows = is_asked_before and (_is_anaphoric(part, own) or _is_slight(part, own, things))
        if not part.is_context and not follows and 2 * _count(own) + is_telling + part.begins > _count(part.terms):
            selected.append(replace(part, terms=own))
    return tuple(selected)


def _is_slight(part: Part, own: Terms, things: frozenset[str]) -> bool:
    """Return whether a part is one more word of a list, and nothing to deliver: "yml, json and rb"."""
    is_word = len(part.terms.words) == 1 and not part.terms.names
    return not part.begins and is_word and things.isdisjoint(own.words.values())


def _is_anaphoric(part: Part, own: Terms) -> bool:
    """Return whether a part hardly says more than that it is about the one before: "same in both"."""
    said = tokenize_text(part.text).words
    if is_inverted(part.text):
        return False
    return not part.begins and not own.names and len(own.words) <= _MAX_ANAPHORIC and not _BACK.isdisjoint(said)


def _select_own(terms: Terms, others: Sequence[str], names: Counter[str]) -> Terms:
    """Select the words of a part that no other part has in any form, and the names that occur once."""
    words = {stem: word for stem, word in terms.words.items() if not has_form(stem, others)}
    return Terms(words, tuple(name for name in terms.names if names[name] == 1))


def _count(terms: Terms) -> int:
    return len(terms.words) + len(terms.names)


def match_quote(quote: str, question: Question, ignore: frozenset[str]) -> frozenset[int] | None:
    """Return the positions in `question.order` that a quote takes; None when it is not from the question.

    Case, quotation marks, ignored words, and the endings of words do not matter; the order does. Words in between may
    be left out. A quote that is at several places takes all of them.
    """
    said = frozenset(question.order)  # OPTIONPARSER is a word, OptionParser a name
    names = {stem_word(name): name for name in question.terms.names if name in said}
    wanted = [names.get(term, term) for term in list_terms(quote, ignore)]
    wanted = _complete_last(wanted, question.order)
    if not wanted:
        return frozenset() if stem_words(quote) <= question.stems else None
    if whole := _find_everywhere(wanted, question.order):
        return whole
    common = _find_common_positions(wanted, question.order)
    return frozenset(common) if len(common) >= _MIN_QUOTED * len(wanted) else None


def _complete_last(wanted: list[str], order: Sequence[str]) -> list[str]:
    """Complete a last term that a quote cuts off within a word."""
    if wanted and wanted[-1] not in order:
        whole = next((term for term in order if len(wanted[-1]) >= _MIN_CUT and term.startswith(wanted[-1])), None)
        return [*wanted[:-1], whole or wanted[-1]]
    return wanted


def _find_everywhere(wanted: Sequence[str], order: Sequence[str]) -> frozenset[int]:
    """Find every place where terms follow each other; return all positions of these places."""
    found: set[int] = set()
    at = find_sequence(wanted, order, 0)
    while at is not None:
        found.update(range(at, at + len(wanted)))
        at = find_sequence(wanted, order, at + 1)
    return frozenset(found)


def _find_common_positions(wanted: Sequence[str], order: Sequence[str]) -> tuple[int, ...]:
    """Find the longest sequence that is in both, by dynamic programming; quotes and questions are short.

    Returns:
        Its positions in `order`.
    """
    places = [at for at, term in enumerate(order) if term in set(wanted)]
    best: list[tuple[int, ...]] = [()] * (len(places) + 1)
    for term in wanted:
        before: tuple[int, ...] = ()
        for at, place in enumerate(places, start=1):
            above = best[at]
            if term == order[place] and len(before) + 1 > len(best[at]):
                best[at] = (*before, place)
            elif len(best[at - 1]) > len(best[at]):
                best[at] = best[at - 1]
            before = above
    return best[-1]
