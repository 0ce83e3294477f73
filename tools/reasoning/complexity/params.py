"""Settings of the assessment, set by the workflow: thresholds, word lists, weights."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from aurora.tools.core import StrictModel

WordList = str | tuple[str, ...]
"""Words and phrases: a list, or one text with commas between them, which is read faster."""

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


class WordGroup(StrictModel):
    """Group of words with one meaning: each match adds `weight`, the group at most `cap`.

    Attributes:
        kind: subject of the words; `incident` lifts the ceiling.
        at: `start` matches only the query's first words, `clause` the first of a clause, `anywhere` all.
        beside: counts only when a signal of one of these kinds or groups counts too; one name or several.
        noun: a word of `compounds` directly after makes a name of these words.
        state: tells of a state, which a word of `creations` earlier in the clause only mentions.
        further: weight of each further word of the group; without it, `weight`.
        words: whole words and phrases; a trailing `*` matches any ending.
    """

    name: str = Field(min_length=1)
    kind: Literal["question", "words", "scope", "constraint", "incident"]
    at: Literal["start", "clause", "anywhere"] = "anywhere"
    beside: str | tuple[str, ...] = ()
    weight: float
    cap: float
    further: float | None = None
    noun: bool = False
    state: bool = False
    words: WordList = Field(min_length=1)

    @property
    def needed(self) -> frozenset[str]:
        """Kinds and names of groups of which one must count too; empty when none is needed."""
        return frozenset((self.beside,) if isinstance(self.beside, str) else self.beside)


class Structure(StrictModel):
    """Weights of a query's structure: length, joined parts, items, sentences, names."""

    free_words: int = Field(ge=0)
    per_word: float
    words_cap: float
    joiners: WordList
    per_joiner: float
    joiners_cap: float
    per_comma: float
    commas_cap: float
    per_item: float
    items_cap: float
    per_sentence: float
    sentences_cap: float
    per_name: float
    names_cap: float
    request: float = 0
    """Weight of a query of at least `request_words` words in which no word tells of a question or of work."""
    request_words: int = Field(default=5, ge=1)


class Language(StrictModel):
    """Detection of an unknown language by the share of known words."""

    known_from: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)
    words: WordList


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
    openers: WordList
    """Words without meaning at the beginning of a request: "please", "can you"; a clause begins after them."""
    words: tuple[WordGroup, ...] = Field(min_length=1)
    mentions: WordList
    """Words that make an incident later in their clause hypothetical."""
    compounds: WordList = ()
    """Words that make a name of an incident's noun directly before them: "breach detector"."""
    creations: WordList = ()
    """Words after which the state of an incident is that of a thing to be made: "write a function for stolen cards"."""
    mention_ends: WordList = ()
    """Words after which a word of mention earlier in the clause has no effect: "but", "because"."""
    rest: float = Field(default=1, ge=0, le=1)
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
