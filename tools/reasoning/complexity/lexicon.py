"""Settings of the assessment and their word lists, in the form that an assessment matches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from pydantic import ConfigDict, Field, model_validator

from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.tools.text import TokenizedText

OPENER, JOINER, MENTION, MENTION_END = "·opener", "·joiner", "·mention", "·mention end"
"""Names of lists that are no groups; the middle dot keeps them apart from a workflow's groups."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?\*?")


class PhraseMatch(NamedTuple):
    """Match of a phrase at the index of a word."""

    group: str
    position: int
    length: int
    phrase: str


class _Phrase(NamedTuple):
    """Phrase of a group; a trailing `*` of a part matches any ending."""

    parts: tuple[str, ...]
    group: str


class _Continuations(NamedTuple):
    """Phrases that begin with one word, by what must follow it.

    Attributes:
        alone: groups of which the word alone is a phrase.
        by_second: second word -> phrases.
        by_stem: phrases with a stem as the second part.
    """

    alone: tuple[str, ...]
    by_second: dict[str, tuple[_Phrase, ...]]
    by_stem: tuple[_Phrase, ...]


class PhraseMatcher:
    """Matcher of phrases, indexed by their first word.

    Args:
        lists: group name -> its words and phrases; a trailing `*` matches any ending.
    """

    def __init__(self, lists: Iterable[tuple[str, WordList]]) -> None:
        self._exact: dict[str, list[_Phrase]] = {}
        self._stems: dict[str, list[_Phrase]] = {}
        for group, phrases in lists:
            for phrase in _split_words(phrases):
                parts = tuple(_WORD.findall(phrase.lower().replace("\u2019", "'")))
                if parts:
                    table = self._stems if parts[0].endswith("*") else self._exact
                    table.setdefault(parts[0].rstrip("*"), []).append(_Phrase(parts, group))
        self._stem_lengths = sorted({len(stem) for stem in self._stems})
        self._begin_word = lru_cache(maxsize=4096)(self._find_word_phrases)
        self._begin_name = lru_cache(maxsize=4096)(self._find_name_phrases)

    def find_matches(self, text: TokenizedText) -> Iterator[PhraseMatch]:
        """Find the phrases in the text; per group the longest at a position, without overlaps."""
        taken: dict[str, int] = {}
        for at, word in enumerate(text.words):
            begun = self._begin_name(word) if text.is_name[at] else self._begin_word(word)
            if begun is None:
                continue
            for group, length in _select_longest(begun, at, text).items():
                if taken.get(group, 0) <= at:
                    taken[group] = at + length
                    phrase = word if length == 1 else " ".join(text.words[at : at + length])
                    yield PhraseMatch(group, at, length, phrase)

    def is_known(self, word: str) -> bool:
        """Return whether the word begins a phrase of any list."""
        return self._begin_word(word) is not None

    def _find_word_phrases(self, word: str) -> _Continuations | None:
        phrases = list(self._exact.get(word, ()))
        for length in self._stem_lengths:
            if length <= len(word):
                phrases += self._stems.get(word[:length], ())
        return _index_phrases(phrases)

    def _find_name_phrases(self, name: str) -> _Continuations | None:
        """Find no stems: AuthenticationMiddleware names a class, and its beginning is no word."""
        return _index_phrases(self._exact.get(name, ()))


def _index_phrases(phrases: Sequence[_Phrase]) -> _Continuations | None:
    """Index phrases with the same first word by their second; None without a phrase."""
    if not phrases:
        return None
    longer = [phrase for phrase in phrases if len(phrase.parts) > 1]
    by_second: dict[str, tuple[_Phrase, ...]] = {}
    for phrase in longer:
        by_second[phrase.parts[1]] = (*by_second.get(phrase.parts[1], ()), phrase)
    return _Continuations(
        alone=tuple(phrase.group for phrase in phrases if len(phrase.parts) == 1),
        by_second=by_second,
        by_stem=tuple(phrase for phrase in longer if phrase.parts[1].endswith("*")),
    )


def _split_words(words: WordList) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",")) if isinstance(words, str) else words


def _select_longest(begun: _Continuations, at: int, text: TokenizedText) -> dict[str, int]:
    """Select the length of the longest phrase at a position, by group."""
    best = dict.fromkeys(begun.alone, 1)
    following = text.words[at + 1] if at + 1 < len(text.words) else ""
    longer = begun.by_second.get(following, ())
    for parts, group in (*longer, *begun.by_stem) if begun.by_stem else longer:
        if len(parts) > best.get(group, 0) and _is_phrase_at(parts, at, text):
            best[group] = len(parts)
    return best


def _is_phrase_at(parts: tuple[str, ...], at: int, text: TokenizedText) -> bool:
    """Return whether all parts of a phrase are at this position, in one clause."""
    end = at + len(parts)
    if end > len(text.words) or text.clause[at] != text.clause[end - 1]:
        return False
    for offset in range(1, len(parts)):
        part, word = parts[offset], text.words[at + offset]
        if word != part and not (part.endswith("*") and word.startswith(part[:-1])):
            return False
    return True


WordList = str | tuple[str, ...]
"""Words and phrases: a list, or one text with commas between them, which is read faster."""


class WordGroup(StrictModel):
    """Group of words with one meaning: each match adds `weight`, the group at most `cap`.

    Attributes:
        kind: subject of the words; `incident` lifts the ceiling.
        at: `start` matches only the query's first words, `clause` the first of a clause, `anywhere` all.
        beside: counts only when a signal of one of these kinds or groups counts too; one name or several.
        further: weight of each further word of the group; without it, `weight`.
        words: whole words and phrases; a trailing `*` matches any ending.
    """

    name: str = Field(min_length=1)
    kind: Literal["question", "words", "symptom", "analysis", "scope", "constraint", "incident"]
    at: Literal["start", "clause", "anywhere"] = "anywhere"
    beside: str | tuple[str, ...] = ()
    weight: float
    cap: float
    further: float | None = None
    words: WordList = Field(min_length=1)

    @property
    def needed(self) -> frozenset[str]:
        """Kinds and names of groups of which one must count too; empty when none is needed."""
        return frozenset((self.beside,) if isinstance(self.beside, str) else self.beside)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Word lists of the settings.

    Attributes:
        matcher: finder of all words and phrases.
        groups: name -> group, in the order of the settings.
        questions: names of the groups of question words.
        telling: names of the groups that tell of the kind of a query: questions and work.
        labels: name of a group -> that name and its kind.
        kinds: name of a group that counts on its own -> its kind.
        needed: name -> kinds and names of groups of which one must count too.
        main: those that count on their own, without another group.
    """

    matcher: PhraseMatcher
    groups: dict[str, WordGroup]
    questions: frozenset[str]
    telling: frozenset[str]
    labels: dict[str, tuple[str, str]]
    kinds: dict[str, str]
    needed: dict[str, frozenset[str]]
    main: frozenset[str]


@lru_cache(maxsize=8)
def compile_lexicon(params: Params) -> Lexicon:
    """Compile the lexicon of the settings, once per settings."""
    telling = [group for group in params.words if group.kind in {"question", "words", "symptom", "analysis"}]
    return Lexicon(
        matcher=PhraseMatcher(
            (
                (OPENER, params.clauses.openers),
                (JOINER, params.clauses.joiners),
                (MENTION, params.clauses.mentions),
                (MENTION_END, params.clauses.mention_ends),
                *((group.name, group.words) for group in params.words),
            ),
        ),
        groups={group.name: group for group in params.words},
        questions=frozenset(group.name for group in params.words if group.kind == "question"),
        telling=frozenset(group.name for group in telling),
        labels={group.name: (group.name, group.kind) for group in params.words},
        kinds={group.name: group.kind for group in params.words if not group.beside},
        needed={group.name: group.needed for group in params.words if group.beside},
        main=frozenset(group.name for group in telling if not group.beside),
    )


Level = Literal["SIMPLE", "MEDIUM", "COMPLEX", "CRITICAL"]


_LEVEL_STARTS = ("simple_below", "complex_from", "critical_from")


class Thresholds(StrictModel):
    """Scores where the levels begin, which must increase; `ceiling` bounds a query without an incident."""

    model_config = ConfigDict(json_schema_extra={"x-increasing": [*_LEVEL_STARTS]})

    simple_below: float
    complex_from: float
    critical_from: float
    ceiling: float

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        """Reject a level that no score has."""
        for lower, upper in pairwise(_LEVEL_STARTS):
            least, most = getattr(self, lower), getattr(self, upper)
            if least >= most:
                raise ValueError(f'"{lower}" must be less than "{upper}", which is {most:g}, not {least:g}')
        return self


class Clauses(StrictModel):
    """Words by which the clauses of a query are read.

    Attributes:
        openers: words without meaning at the beginning of a request: "please", "can you"; a clause begins after them.
        joiners: words that join parts; a clause begins after them.
        mentions: words that make an incident later in their clause hypothetical.
        mention_ends: words after which a mention earlier in the clause has no effect: "but", "because".
    """

    openers: WordList
    joiners: WordList
    mentions: WordList
    mention_ends: WordList


class Structure(StrictModel):
    """Weights of a query's structure: joined parts, items, names."""

    per_joiner: float
    joiners_cap: float
    per_comma: float
    commas_cap: float
    per_item: float
    items_cap: float
    per_name: float
    names_cap: float
    request: float
    """Weight of a query of at least `request_words` words in which no word tells of a question or of work."""
    request_words: int = Field(ge=1)


class Language(StrictModel):
    """Detection of an unknown language by the share of known words."""

    known_from: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)


class ConfidenceParams(StrictModel):
    """Growth of the confidence with the distance from the nearest threshold."""

    certain_margin: float = Field(gt=0)
    least: float = Field(ge=0, le=1)
    without_signals: float = Field(ge=0, le=1)


class Params(StrictModel):
    """All settings of `complexity.assess`."""

    thresholds: Thresholds
    read_chars: int = Field(ge=300)
    """Characters to read of a longer query: the first two thirds from its beginning, the rest from its end."""
    words: tuple[WordGroup, ...] = Field(min_length=1)
    clauses: Clauses
    rest: float = Field(ge=0, le=1)
    """Part that counts of a positive signal of a question or of work, when another one is stronger."""
    structure: Structure
    language: Language
    confidence: ConfidenceParams

    def __hash__(self) -> int:
        """Hash a few of the settings: to hash every word takes as long as an assessment."""
        return hash((self.thresholds, self.read_chars, self.rest, len(self.words)))

    @model_validator(mode="after")
    def _check_beside(self) -> Self:
        """Reject an unknown `beside`, with which its group would never count."""
        labels = {label for group in self.words for label in (group.name, group.kind)}
        for group in self.words:
            for label in sorted(group.needed):
                if label not in labels:
                    choices = ", ".join(f'"{label}"' for label in sorted(labels))
                    raise ValueError(f'"beside" of the words "{group.name}" is "{label}", which is none of {choices}')
        return self
