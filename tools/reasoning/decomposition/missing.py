"""Parts of a question that are no subgoal's work."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import StrictModel
from aurora.tools.text import extract_terms, list_terms, stem_word, stem_words

from .grammar import is_covered
from .places import list_mentions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from aurora.tools.text import Terms

    from .model import Subgoal
    from .parts import Part
    from .question import CommonWords, Question

Compare = Callable[["Sequence[str]", "Sequence[str]"], "list[float]"]


_MIN_SUBGOALS = 2

_MIN_PARTS = 2

_MIN_DETAILED = 4
"""Parts of a question of which the first is taken for its topic, that the others tell in detail."""

_MIN_TELLING = 3
"""Own words of a part that can be compared by meaning; "when does it leave it alone" has fewer. A name is two."""

_MAX_PARTS = 2
"""Parts of a question that one subgoal without quotes may answer."""

_JOINED = re.compile(r"[,;:]\s|\b(?:and|or|plus)\b", re.IGNORECASE)

_TEST = re.compile(r"^Test[A-Z]|^test_|Tests?$|_tests?\b")
"""Name of a test, or of a file of tests; `TestClient` is one too."""

_DOCUMENTS = (".md", ".rst", ".txt", ".adoc")


class Deliverable(StrictModel):
    """Thing that a query may request, such as tests, and the words of a subgoal that delivers it."""

    requested: tuple[str, ...]
    said: tuple[str, ...]


class CoverageParams(StrictModel):
    """Settings of the completeness score; see the comments in the workflow."""

    share: float = Field(gt=0, le=1)
    part_share: float = Field(gt=0, le=1)
    piece_share: float = Field(default=0, ge=0, le=1)
    abstract: tuple[str, ...] = ()
    deliverables: tuple[Deliverable, ...] = ()
    quote_share: float = Field(gt=0, le=1)
    name_weight: float = Field(gt=0)
    joiners: tuple[str, ...]
    asks: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    about_from: float = Field(default=0, ge=0, le=1)
    bound_from: float = Field(default=1, ge=0, le=1)
    part_words: int = Field(ge=1)
    most_parts: int = Field(ge=1)


@dataclass(frozen=True, slots=True)
class Work:
    """Subgoal with what shows its subject.

    Attributes:
        names: names of its places.
        text: text of those that the memory contains.
        is_grounded: whether it names a place that exists or that it creates.
    """

    subgoal: Subgoal
    names: str
    text: str
    is_grounded: bool


@dataclass(frozen=True, slots=True)
class PartCoverage:
    """Evidence for the parts of a question that the subgoals cover.

    Attributes:
        question: the question.
        works: the subgoals.
        quoted: terms that quotes cover; empty when no subgoal quotes.
        places: positions of these terms in the question.
        covered: terms that quotes, descriptions and places cover.
        words: words that are no terms; verbs count only in a part that has nothing else.
        rule: settings of the coverage.
        compare: computes for each of some texts the highest cosine with any of others.
    """

    question: Question
    works: Sequence[Work]
    quoted: Collection[str]
    places: Collection[int]
    covered: Collection[str]
    words: CommonWords
    rule: CoverageParams
    compare: Compare

    @property
    def judged(self) -> Sequence[Part]:
        """Parts that must be somebody's work: small ones where subgoals quote, else whole clauses."""
        if self._has_claims and len(self.question.pieces) <= self.rule.most_parts:
            return self.question.pieces
        return self.question.clauses

    @property
    def has_too_many(self) -> bool:
        """True when there are too many parts to judge each: the question is scored as a whole."""
        return len(self.judged) > self.rule.most_parts

    @property
    def _has_claims(self) -> bool:
        """True when a subgoal says what it covers."""
        return any(work.subgoal.covers for work in self.works)

    def find_missing(self) -> list[Part]:
        """Find the parts that are nobody's work."""
        judged = self.judged
        if not self.rule.piece_share or self.has_too_many:
            return []
        unquoted = [part for part in judged if not self._is_quoted(part)]
        undelivered = [part for part in unquoted if self._list_deliverables(part, delivered=False)]
        left_out = self._find_left_out(judged) or self._find_unmatched(judged)
        missing = [*undelivered, *(part for part in left_out if part not in undelivered)]
        is_told = self._has_claims and len(judged) >= _MIN_DETAILED and missing == [*judged[:1]]
        return [] if is_told else missing

    def _find_left_out(self, judged: Sequence[Part]) -> list[Part]:
        """Find the parts of which hardly a word is covered, when no subgoal is left for them."""
        if self._has_work_for_each(judged):
            return []
        left_out = [part for part in judged if self._is_left_out(part)]
        return left_out if len(left_out) > self._count_free() else []

    def _find_unmatched(self, judged: Sequence[Part]) -> list[Part]:
        """Find the parts that no subgoal is about, in its words or their meaning; quotes say that better."""
        if self._has_claims or len(judged) < _MIN_PARTS or not self.rule.about_from:
            return []
        pieces = [(at, piece) for at, work in enumerate(self.works) for piece in self._split_work(work)]
        likeness = tuple(self._compare_part(part, pieces) for part in judged)
        owners = [at for at, _ in pieces]
        found = find_unmatched(likeness, owners, self.rule.about_from, self.rule.bound_from)
        unmatched = [judged[at] for at in found if self._is_telling(judged[at])]
        return unmatched if 2 * len(found) <= len(judged) else []  # with more, the subgoals have words of their own

    def _compare_part(self, part: Part, pieces: Sequence[tuple[int, str]]) -> tuple[float, ...]:
        """Compute how like each piece of work is to a part: by its words and places, or by its meaning."""
        weights = self._weigh(part.terms)
        whole = sum(weights.values()) or 1.0
        said = [stem_words(f"{piece} {self.works[at].names}") for at, piece in pieces]
        shares = [_weigh_covered(weights, one) / whole for one in said]
        return tuple(map(max, shares, self.compare([piece for _, piece in pieces], [part.text])))

    def _is_telling(self, part: Part) -> bool:
        """Return whether a part has enough words of its own to compare, and is not delivered in another way."""
        nouns = [word for word in part.terms.words.values() if word not in self.words.verbs]
        is_long = len(nouns) + 2 * len(part.terms.names) >= _MIN_TELLING
        return is_long and not self._list_deliverables(part, delivered=True)

    def _split_work(self, work: Work) -> list[str]:
        """Split a description at its joining words."""
        text = cut_verb(work.subgoal.description, self.words)
        return [piece for piece in _JOINED.split(text) if piece.strip()] or [work.subgoal.description]

    def compute_share(self, terms: Terms) -> float:
        """Compute the share of terms that are covered."""
        weights = self._weigh(terms)
        return _weigh_covered(weights, self.covered) / sum(weights.values())

    def _has_work_for_each(self, judged: Sequence[Part]) -> bool:
        """Return whether there is work for each part, and no subgoal says which one it covers.

        A subgoal may do two parts ("Parameter handlers and validation errors"), but not when it is the only one.
        """
        if self._has_claims:
            return False
        grounded = [work for work in self.works if work.is_grounded]
        if len(grounded) < _MIN_SUBGOALS:
            return len(grounded) >= len(judged)
        return sum(self._count_parts(work) for work in grounded) >= len(judged)

    def _count_parts(self, work: Work) -> int:
        """Count the joined parts of a description that have words of their own, at most two and at least one."""
        parts = _JOINED.split(cut_verb(work.subgoal.description, self.words))
        worded = sum(bool(extract_terms(part, self.words.ignore).words) for part in parts)
        return max(1, min(worded, _MAX_PARTS))

    def _list_deliverables(self, part: Part, *, delivered: bool) -> list[Deliverable]:
        """List the things that a part requests and that a subgoal mentions, or that none does."""
        said = frozenset(term for one in self.works for term in _list_said(one.subgoal))
        requested = [
            one
            for one in self.rule.deliverables
            if part.is_request and not {*map(stem_word, one.requested)}.isdisjoint(part.terms.words)
        ]
        return [one for one in requested if said.isdisjoint(map(stem_word, one.said)) != delivered]

    def _is_left_out(self, part: Part) -> bool:
        """Return whether hardly anything covers the own terms of a part."""
        weights = self._weigh(part.terms)
        if self._list_deliverables(part, delivered=True):
            return False
        found = _weigh_covered(weights, self.covered)
        if self._has_claims and not self._is_quoted(part):
            if part is self.judged[0] and len(self.judged) >= _MIN_DETAILED:
                said = stem_words(" ".join(f"{one.subgoal.description} {one.names}" for one in self.works))
                return _weigh_covered(weights, said) < self.rule.piece_share * sum(weights.values())
            return bool(weights) and found <= self.rule.part_share * sum(weights.values())
        if self._has_claims and len(self.judged) == 1:
            return False
        is_alone = not self._has_claims and sum(work.is_grounded for work in self.works) < _MIN_SUBGOALS
        least = self.rule.part_share if is_alone else self.rule.piece_share
        return bool(weights) and found < least * sum(weights.values())

    def _is_quoted(self, part: Part) -> bool:
        """Return whether a quote has a term of a part, at the part's own place in the question."""
        if part.span is None:
            return _weigh_covered(self._weigh(part.terms), self.quoted) > 0
        order = self.question.order
        telling = {
            term for name in self._weigh(part.terms) for term in ((name,) if name in order else stem_words(name))
        }
        quoted = [order[at] for at in range(*part.span) if at in self.places]
        is_whole = 2 * len(quoted) > part.span[1] - part.span[0]
        return is_whole or not telling.isdisjoint(quoted)

    def _weigh(self, terms: Terms) -> dict[str, float]:
        """Weigh the terms that show what a part is about: names more, verbs only if it has nothing else."""
        abstract = frozenset(stem_word(word) for word in self.rule.abstract)
        whole = frozenset(term for term in (*terms.words, *terms.names) if not term.isdecimal())
        verbs = frozenset(stem for stem, word in terms.words.items() if word in self.words.verbs)
        kept = whole - abstract - (verbs if len(whole) > 1 else frozenset())
        return {term: self.rule.name_weight if term in terms.names else 1.0 for term in kept}

    def _count_free(self) -> int:
        """Count the subgoals that may answer any part, as their own words and places are about none of them."""
        own = frozenset(term for part in self.judged for term in (*part.terms.words, *part.terms.names))
        return sum(self._is_free(work, own) for work in self.works)

    def _is_free(self, work: Work, own: Collection[str]) -> bool:
        said = stem_words(f"{cut_verb(work.subgoal.description, self.words)} {' '.join(work.subgoal.where)}")
        return work.is_grounded and not work.subgoal.covers and not any(is_covered(term, said) for term in own)


def _list_said(subgoal: Subgoal) -> frozenset[str]:
    """List the stems of the words of a description and of paths, without those of symbols."""
    named = (*subgoal.where, *list_mentions(subgoal.description))
    paths = " ".join(
        place for place in named if "/" in place or place.lower().endswith(_DOCUMENTS) or _TEST.search(place)
    )
    return stem_words(paths).union(list_terms(subgoal.description))


def cut_verb(description: str, words: CommonWords) -> str:
    """Cut the verb that a description begins with."""
    first, _, rest = description.strip().partition(" ")
    return rest if first.lower() in words.verbs else description


def _weigh_covered(weights: Mapping[str, float], covered: Collection[str]) -> float:
    """Weigh the covered terms; a name is covered by itself or all of its parts, not by its beginning."""
    return sum(
        weight
        for term, weight in weights.items()
        if (is_covered(term, covered) if weight == 1 else term in covered or stem_words(term) <= {*covered})
    )


Likeness = tuple[tuple[float, ...], ...]
"""For each part, the likeness 0..1 of each piece of work."""


def find_unmatched(likeness: Likeness, owners: Sequence[int], about_from: float, bound_from: float) -> list[int]:
    """Find the parts that no work is about, when no subgoal is left for them.

    A piece of work is bound to the part that it is most like. A subgoal of which a piece is bound to none is free, and
    may do any part.

    Args:
        likeness: one row for each part, one column for each piece of work.
        owners: the subgoal of each piece of work.
        about_from: likeness from which a piece of work is about a part.
        bound_from: likeness from which it is bound to that part, and to no other.
    """
    parts = range(len(likeness))
    claimed = {_find_most_like(likeness, piece) for piece in range(len(owners))}
    unmatched = [part for part in parts if part not in claimed and max(likeness[part]) < about_from]
    highest = [max(column) for column in zip(*likeness, strict=True)]
    free = {owner for owner, most in zip(owners, highest, strict=True) if most < bound_from}
    return unmatched if len(unmatched) > len(free) else []


def _find_most_like(likeness: Likeness, piece: int) -> int | None:
    column = [row[piece] for row in likeness]
    return column.index(max(column)) if max(column) > 0 else None
