"""`workflow.suggest`: workflows that fit a task, ranked by shared words and by meaning."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.errors import Fault
from aurora.memory import embeddings
from aurora.tools.agents import find_agents, rank_agents
from aurora.tools.core import DEFAULT_WORKFLOW, Alias, Command, Example, StrictModel, Tool
from aurora.tools.text import stem_word, stem_words, tokenize_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.hosts import Agent
    from aurora.interpreter import Workflow
    from aurora.tools.core import Context, Project


class SuggestInput(StrictModel):
    """Task, and the number of suggestions."""

    task: str = Field(min_length=1, max_length=8000, description="The task or question, in the person's words.")
    limit: int = Field(default=3, ge=1, le=20, description="At most so many suggestions.")


class Suggestion(StrictModel):
    """Workflow that may fit the task.

    Attributes:
        confidence: 0 to 1; the confidences of all workflows add up to 1.
        words: words of the task that the workflow contains.
        nearest: the workflow's sentence with the nearest meaning; empty when there is none.
        start: first phase.
        phases: all phases, in the order of the file.
        agents: agents defined here whose descriptions share most words with the workflow's, at most five.
    """

    workflow: str
    title: str
    description: str
    confidence: float
    words: tuple[str, ...]
    nearest: str
    start: str
    phases: tuple[str, ...]
    agents: tuple[str, ...]


class SuggestOutput(StrictModel):
    """Suggestions, best first; without any evidence the default workflow is first."""

    suggestions: tuple[Suggestion, ...]
    certain: bool = Field(description="True when the first is clearly ahead.")


CERTAIN_FROM = 0.5
"""The first is clearly ahead when its confidence exceeds that of all others together."""


def suggest_workflows(given: SuggestInput, context: Context) -> SuggestOutput:
    """Suggest workflows for a task."""
    flows = {flow.name: flow for flow in _load_workflows(context.project)}
    ranked = _rank_workflows(given.task, flows)
    known = find_agents(context).agents
    return SuggestOutput(
        suggestions=tuple(_to_suggestion(one, flows[one.name], known) for one in ranked[: given.limit]),
        certain=bool(ranked) and ranked[0].confidence > CERTAIN_FROM,
    )


def rank_for_task(project: Project, task: str) -> list[RankedWorkflow]:
    """Rank all workflows of a project that run for a task, best first."""
    return _rank_workflows(task, {flow.name: flow for flow in _load_workflows(project)})


def _rank_workflows(task: str, flows: Mapping[str, Workflow]) -> list[RankedWorkflow]:
    # The sort by score is stable, so without any evidence the default workflow is first.
    order = sorted(flows, key=lambda name: (name != DEFAULT_WORKFLOW, name))
    candidates = [Candidate(name, flows[name].title, flows[name].description, flows[name].suits) for name in order]
    return rank_workflows(task, candidates)


def _to_suggestion(ranked: RankedWorkflow, flow: Workflow, agents: Sequence[Agent]) -> Suggestion:
    return Suggestion(
        workflow=ranked.name,
        title=flow.title,
        description=" ".join(flow.description.split()),
        confidence=ranked.confidence,
        words=ranked.words,
        nearest=ranked.nearest,
        start=flow.start,
        phases=tuple(flow.phases),
        agents=name_agents(flow, agents),
    )


def _load_workflows(project: Project) -> Iterator[Workflow]:
    catalog = project.workflows
    for name in catalog.list_names():
        try:
            yield catalog.load(name).workflow
        except Fault:
            continue  # a workflow that does not run is not suggested


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
        # A word that no workflow has does not tell which one fits, and would lower the scores of all.
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
        # A name is one of the person's code, and says nothing of the kind of work.
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
        # The fields come in the order of their weight, so that the best one of a word is the last to be set.
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


TOOL = Tool(
    name="workflow.suggest",
    title="Suggest a workflow",
    description=(
        "Suggest workflows for a task, each with a confidence and the reasons: by the words of the workflows' "
        "descriptions, and by their meaning."
    ),
    input=SuggestInput,
    output=SuggestOutput,
    run=suggest_workflows,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    aliases=(Alias("suggest_workflow", {"task_description": "task"}),),
    examples=(Example("A defect", {"task": "The login page crashes on an empty password"}),),
    mcp="aurora_workflow_suggest",
    command=Command(
        "workflow suggest", "Suggest the workflow that fits a task.", arguments=("task",), joins_words=True
    ),
)
