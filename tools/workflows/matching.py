"""How well workflows fit a task: by the words that they say they suit, and by what these mean."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

from aurora.tools.text import stem_word, stem_words, tokenize_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SUITS_WEIGHT, NAME_WEIGHT, TITLE_WEIGHT, DESCRIPTION_WEIGHT = 1.0, 1.0, 0.7, 0.4
"""What a word counts by where the workflow says it: a description also speaks of what is beside the point."""
FIRST_WORD_WEIGHT = 1.6
"""The first two words that carry meaning tell most often what is to be done; they count so much."""
MEANING_WEIGHT = 0.9
"""What the nearest sentence counts beside the words, where the weights for meaning are there."""
MIN_COSINE, MAX_COSINE = 0.15, 0.7
"""Cosines: below the first two sentences have nothing to do with each other, from the second on they say the same."""
SOFTMAX_SHARPNESS = 3.0
"""How far a lead in score goes in confidence (the exponent of a softmax)."""
STOP_WORDS = frozenset(
    word
    for line in (
        "a an the of to for with in on at by from as and or but not is are was were be been it its this that these",
        "those i me my we us our you your he she they them can could should would will do does did have has had please",
        "want need help make get so if then than also any all some every into about there here just now when while",
        "what how which who where why",
    )
    for word in line.split()
)
"""Words that say nothing of what is wanted; those that ask a question count by `QUESTIONS`."""
QUESTION_WORDS = frozenset({"what", "how", "which", "who", "where", "why"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workflow, as it speaks of itself."""

    name: str
    title: str
    description: str
    suits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedWorkflow:
    """A candidate with its confidence (all add up to 1), the task's words that it speaks, and its nearest sentence."""

    name: str
    confidence: float
    words: tuple[str, ...]
    nearest: str


def rank_workflows(task: str, candidates: Sequence[Candidate]) -> list[RankedWorkflow]:
    """The candidates, best first; equals stay in their order.

    The score is the share of the task's words that a candidate speaks, rarer words counting more (log(1 + N/n), as in
    inverse document frequency), plus the nearness in meaning; the confidence is the softmax over the scores.
    """
    spoken = {one.name: _weigh_candidate_terms(one) for one in candidates}
    wanted = _weigh_task_terms(task)
    rarity = {key: log(1 + len(candidates) / max(1, sum(key in words for words in spoken.values()))) for key in wanted}
    total = sum(weight * rarity[key] for key, (_, weight) in wanted.items() if any(key in w for w in spoken.values()))
    near = _measure_similarity(task, candidates)
    scores: dict[str, float] = {}
    for one in candidates:
        own = spoken[one.name]
        said = sum(weight * rarity[key] * own.get(key, 0.0) for key, (_, weight) in wanted.items())
        scores[one.name] = (said / total if total else 0.0) + MEANING_WEIGHT * near[one.name][0]
    whole = sum(exp(SOFTMAX_SHARPNESS * score) for score in scores.values())
    ranked = [
        RankedWorkflow(
            one.name,
            round(exp(SOFTMAX_SHARPNESS * scores[one.name]) / whole, 2),
            tuple(word for key, (word, _) in wanted.items() if key in spoken[one.name]),
            near[one.name][1],
        )
        for one in candidates
    ]
    return sorted(ranked, key=lambda one: -scores[one.name])


def _weigh_task_terms(task: str) -> dict[str, tuple[str, float]]:
    """The task's words by stem, each with the word itself and what it counts."""
    text = tokenize_text(task[:8000])
    wanted: dict[str, tuple[str, float]] = {}
    for at, (word, name) in enumerate(zip(text.words, text.is_name, strict=True)):
        asks = at == 0 and word in QUESTION_WORDS
        if name or (word in STOP_WORDS and not asks) or word.isdecimal():
            continue
        wanted.setdefault(stem_word(word), (word, FIRST_WORD_WEIGHT if len(wanted) < 2 else 1.0))  # noqa: PLR2004 - see FIRST
    return wanted


def _weigh_candidate_terms(one: Candidate) -> Mapping[str, float]:
    """The stems of all that a workflow says of itself, with the greatest weight that each is said with."""
    found: dict[str, float] = {}
    for text, weight in (
        (one.description, DESCRIPTION_WEIGHT),
        (one.title, TITLE_WEIGHT),
        (one.name, NAME_WEIGHT),
        (" ".join(one.suits), SUITS_WEIGHT),
    ):
        found.update(dict.fromkeys(stem_words(text), weight))
    return found


def _measure_similarity(task: str, candidates: Sequence[Candidate]) -> dict[str, tuple[float, str]]:
    """How near the nearest sentence of each lies, 0 to 1, and which that is; zeros without the weights for meaning."""
    from aurora.memory.embeddings import get_embedder  # noqa: PLC0415 - loads the weights, and only this tool needs them here

    model = get_embedder()
    near: dict[str, tuple[float, str]] = {one.name: (0.0, "") for one in candidates}
    if model is None:
        return near
    sentences = [(one.name, text) for one in candidates for text in (*one.suits, one.title) if text]
    vectors = model.embed([task, *(text for _, text in sentences)])
    for (name, text), cosine in zip(sentences, (vectors[1:] @ vectors[0]).tolist(), strict=True):
        value = min(1.0, max(0.0, (cosine - MIN_COSINE) / (MAX_COSINE - MIN_COSINE)))
        if value > near[name][0]:
            near[name] = (value, text)
    return near
