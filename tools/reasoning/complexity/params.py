"""The settings of the assessment: thresholds, word lists and weights, all of them given by the workflow."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from aurora.tools.core import StrictModel

Level = Literal["SIMPLE", "MEDIUM", "COMPLEX", "CRITICAL"]


class Thresholds(StrictModel):
    """Where one level ends and the next begins; `ceiling` bounds the score of what is no incident."""

    simple_below: float
    complex_from: float
    critical_from: float
    ceiling: float


class WordGroup(StrictModel):
    """Words that say the same thing: each one found adds `weight`, the group at most `cap`.

    Attributes:
        kind: what the words are about; `incident` lifts the ceiling.
        at: `start` counts only the query's first words, `clause` the first of a clause, `anywhere` all.
        beside: counts only when a signal of this kind, or of the group of this name, counts too.
        words: whole words and phrases; a trailing `*` stands for any ending.
    """

    name: str = Field(min_length=1)
    kind: Literal["question", "words", "scope", "constraint", "incident"]
    at: Literal["start", "clause", "anywhere"] = "anywhere"
    beside: str | None = None
    weight: float
    cap: float
    words: tuple[str, ...] = Field(min_length=1)


class Structure(StrictModel):
    """What the shape of a query adds: length, joined parts, listed items, sentences, names."""

    free_words: int = Field(ge=0)
    per_word: float
    words_cap: float
    joiners: tuple[str, ...]
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


class Language(StrictModel):
    """How a language that the lists do not know is told: too few of its words are known."""

    known_from: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)
    words: tuple[str, ...]


class ConfidenceParams(StrictModel):
    """How the confidence grows with the distance from the nearest threshold."""

    certain_margin: float = Field(gt=0)
    least: float = Field(ge=0, le=1)
    without_signals: float = Field(ge=0, le=1)


class Params(StrictModel):
    """All settings of `complexity.assess`."""

    thresholds: Thresholds
    read_chars: int = Field(ge=300)
    """Of a longer query the first two thirds of so many characters are read, and the last third."""
    openers: tuple[str, ...]
    """Words that a request begins with and that say nothing: "please", "can you"; a clause begins after them."""
    words: tuple[WordGroup, ...] = Field(min_length=1)
    mentions: tuple[str, ...]
    """Words that turn an incident later in their clause into a mention of one."""
    structure: Structure
    language: Language
    confidence: ConfidenceParams

    @model_validator(mode="after")
    def _check_beside(self) -> Self:
        """A misspelt `beside` would silence its group for ever."""
        there = {label for group in self.words for label in (group.name, group.kind)}
        for group in self.words:
            if group.beside is not None and group.beside not in there:
                choices = ", ".join(f'"{name}"' for name in sorted(there))
                raise ValueError(f'the words "{group.name}" count beside "{group.beside}", which is none of {choices}')
        return self
