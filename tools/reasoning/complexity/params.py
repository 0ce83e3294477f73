"""Settings of the assessment, set by the workflow: thresholds, word lists, weights."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from aurora.tools.core import StrictModel

Level = Literal["SIMPLE", "MEDIUM", "COMPLEX", "CRITICAL"]


class Thresholds(StrictModel):
    """Scores where the levels begin; `ceiling` bounds a query without an incident."""

    simple_below: float
    complex_from: float
    critical_from: float
    ceiling: float


class WordGroup(StrictModel):
    """Group of words with one meaning: each match adds `weight`, the group at most `cap`.

    Attributes:
        kind: subject of the words; `incident` lifts the ceiling.
        at: `start` matches only the query's first words, `clause` the first of a clause, `anywhere` all.
        beside: counts only when a signal of this kind, or of the group of this name, counts too.
        words: whole words and phrases; a trailing `*` matches any ending.
    """

    name: str = Field(min_length=1)
    kind: Literal["question", "words", "scope", "constraint", "incident"]
    at: Literal["start", "clause", "anywhere"] = "anywhere"
    beside: str | None = None
    weight: float
    cap: float
    words: tuple[str, ...] = Field(min_length=1)


class Structure(StrictModel):
    """Weights of a query's structure: length, joined parts, items, sentences, names."""

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
    """Detection of an unknown language by the share of known words."""

    known_from: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)
    words: tuple[str, ...]


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
    openers: tuple[str, ...]
    """Words without meaning at the beginning of a request: "please", "can you"; a clause begins after them."""
    words: tuple[WordGroup, ...] = Field(min_length=1)
    mentions: tuple[str, ...]
    """Words that make an incident later in their clause hypothetical."""
    structure: Structure
    language: Language
    confidence: ConfidenceParams

    @model_validator(mode="after")
    def _check_beside(self) -> Self:
        """Reject an unknown `beside`, with which its group would never count."""
        labels = {label for group in self.words for label in (group.name, group.kind)}
        for group in self.words:
            if group.beside is not None and group.beside not in labels:
                choices = ", ".join(f'"{label}"' for label in sorted(labels))
                raise ValueError(f'the words "{group.name}" count beside "{group.beside}", which is none of {choices}')
        return self
