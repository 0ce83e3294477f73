"""Ranking of workflows for a task, by the words and the meaning of their texts."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

from aurora.memory import embeddings
from aurora.tools.agents import rank_agents
from aurora.tools.text import stem_word, stem_words, tokenize_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.hosts import Agent
    from aurora.interpreter import Workflow

SUITS_WEIGHT, NAME_WEIGHT, TITLE_WEIGHT, DESCRIPTION_WEIGHT = 1.0, 1.0, 0.7, 0.4
"""Weight of a word by the field of the workflow; a description also contains unimportant words."""
FIRST_WORDS, FIRST_WORD_WEIGHT = 2, 1.6
"""Weight of the first two meaningful words of a task, which usually name the work."""
MEANING_WEIGHT = 0.9
"""Weight of the nearest sentence's similarity, when embeddings are available."""
MIN_COSINE, MAX_COSINE = 0.15, 0.7
"""Cosines that map to a similarity of 0 and of 1."""
SOFTMAX_SHARPNESS = 3.0
"""Exponent of the softmax that turns scores into confidences."""
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
"""Words without meaning for the task; a question word counts when it is the first word."""
QUESTION_WORDS = frozenset({"what", "how", "which", "who", "where", "why"})


_MAX_AGENTS = 5
_LEAST_WORDS = 2
"""Words in common from which an agent fits; one alone is chance."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Texts of a workflow to rank by."""

    name: str
    title: str
    description: str
    suits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedWorkflow:
    """Candidate with its confidence (all add up to 1), matching words and nearest sentence."""

    name: str
    confidence: float
    words: tuple[str, ...]
    nearest: str


def rank_workflows(task: str, candidates: Sequence[Candidate]) -> list[RankedWorkflow]:
    """Rank the candidates, best first; the sort is stable.

    The score is the share of the task's words that a candidate contains, weighted by inverse document frequency
    log(1 + N/n), plus the similarity in meaning; the confidence is the softmax over the scores.
    """
    task_terms = _weigh_task_terms(task)
    candidate_terms = {candidate.name: _weigh_candidate_terms(candidate) for candidate in candidates}
    word_scores = _score_words(task_terms, candidate_terms)
    nearest = _measure_similarity(task, candidates)
    scores = {name: word_scores[name] + MEANING_WEIGHT * nearest[name][0] for name in candidate_terms}
    total = sum(exp(SOFTMAX_SHARPNESS * score) for score in scores.values())
    ranked = []
    for name, terms in candidate_terms.items():
        confidence = round(exp(SOFTMAX_SHARPNESS * scores[name]) / total, 2)
        words = tuple(word for stem, (word, _) in task_terms.items() if stem in terms)
        ranked.append(RankedWorkflow(name, confidence, words, nearest[name][1]))
    return sorted(ranked, key=lambda workflow: -scores[workflow.name])


def _score_words(
    task_terms: Mapping[str, tuple[str, float]], candidate_terms: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Score each candidate by its share of the task's terms, weighted by inverse document frequency."""
    weights: dict[str, float] = {}
    total = 0.0
    for stem, (_, weight) in task_terms.items():
        frequency = sum(stem in terms for terms in candidate_terms.values())
        weights[stem] = weight * log(1 + len(candidate_terms) / max(1, frequency))
        if frequency:
            total += weights[stem]
    scores: dict[str, float] = {}
    for name, terms in candidate_terms.items():
        score = sum(weight * terms.get(stem, 0.0) for stem, weight in weights.items())
        scores[name] = score / total if total else 0.0
    return scores


def _weigh_task_terms(task: str) -> dict[str, tuple[str, float]]:
    """Map the stems of the task's words to the word and its weight."""
    text = tokenize_text(task[:8000])
    terms: dict[str, tuple[str, float]] = {}
    for index, (word, is_name) in enumerate(zip(text.words, text.is_name, strict=True)):
        is_question = index == 0 and word in QUESTION_WORDS
        if is_name or (word in STOP_WORDS and not is_question) or word.isdecimal():
            continue
        terms.setdefault(stem_word(word), (word, FIRST_WORD_WEIGHT if len(terms) < FIRST_WORDS else 1.0))
    return terms


def _weigh_candidate_terms(candidate: Candidate) -> Mapping[str, float]:
    """Map the stems of a workflow's texts to the weight of the best field."""
    terms: dict[str, float] = {}
    for text, weight in (
        (candidate.description, DESCRIPTION_WEIGHT),
        (candidate.title, TITLE_WEIGHT),
        (candidate.name, NAME_WEIGHT),
        (" ".join(candidate.suits), SUITS_WEIGHT),
    ):
        terms.update(dict.fromkeys(stem_words(text), weight))
    return terms


def _measure_similarity(task: str, candidates: Sequence[Candidate]) -> dict[str, tuple[float, str]]:
    """Find each candidate's nearest sentence with its similarity, 0 to 1; 0 without embeddings."""
    model = embeddings.get_embedder()
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


def name_agents(flow: Workflow, agents: Sequence[Agent]) -> tuple[str, ...]:
    """Name the agents that share most words with the texts of a workflow, best first."""
    text = " ".join((flow.name, flow.title, flow.description, *flow.suits))
    ranked = rank_agents(agents, text, STOP_WORDS)
    return tuple(agent.name for _, words, agent in ranked if len(words) >= _LEAST_WORDS)[:_MAX_AGENTS]
