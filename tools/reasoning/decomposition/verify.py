"""`decomposition.verify`: verdict on a decomposition by four scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.agents import find_agents
from aurora.tools.core import CompactModel, Example, StrictModel, Tool
from aurora.tools.memory import FoundChunk
from aurora.tools.reasoning.complexity import Level
from aurora.tools.text import stem_word, tokenize_text

from .coverage import score_completeness
from .grounds import GroundParams, find_grounds, list_places, score_groundedness
from .missing import CoverageParams, Work
from .model import DecompositionFault, ScoreAndFaults, Subgoal, SubgoalRangeByLevel
from .order import find_count_faults, find_order_faults
from .places import Places, locate_places
from .question import ClauseWords, CommonWords, Question, parse_question
from .relevance import find_fillers, find_other_topics, find_unrelated, is_at_home
from .routability import score_routability
from .wording import WordingParams, find_wording_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.core import Context

    from .grounds import Ground

_UNKNOWN_LANGUAGE = (
    "not judged: the language of the question is unknown. Whether the subgoals cover the question, and say more than "
    "it does, is for you to check."
)
_MIN_WORDS = 3
"""A text of fewer words in plain letters has no language: `payment retries`."""
_MAX_READ = 12
"""Definitions whose text is read."""


class Weights(StrictModel):
    """Weights of the scores, which add up to 1."""

    completeness: float = Field(ge=0)
    consistency: float = Field(ge=0)
    groundedness: float = Field(ge=0)
    routability: float = Field(ge=0)


class Params(StrictModel):
    """All settings of `decomposition.verify`; see the comments in the workflow."""

    weights: Weights
    pass_from: float = Field(ge=0, le=1)
    retry_from: float = Field(ge=0, le=1)
    subgoals: SubgoalRangeByLevel
    coverage: CoverageParams
    wording: WordingParams
    places: GroundParams
    count_score: float = Field(ge=0, le=1)
    neutral: float = Field(ge=0, le=1)
    ignore: tuple[str, ...]
    verbs: tuple[str, ...]


class VerifyInput(StrictModel):
    """Decomposition with its query and the retrieved chunks."""

    query: str = Field(min_length=1, max_length=8000)
    complexity: Level = "MEDIUM"
    goal: str = Field(default="", max_length=500)
    subgoals: tuple[Subgoal, ...] = Field(min_length=1, max_length=20)
    chunks: tuple[FoundChunk, ...] = Field(default=(), max_length=50)


class Scores(StrictModel):
    """Four scores, each 0..1."""

    completeness: float
    consistency: float
    groundedness: float
    routability: float


class Verification(CompactModel):
    """Verdict with its weighted score (0..1), feedback with one line per fault, and what was not judged."""

    verdict: Literal["PASS", "RETRY", "FAIL"]
    score: float
    scores: Scores
    faults: tuple[DecompositionFault, ...]
    feedback: str
    note: str = ""


def verify_decomposition(given: VerifyInput, context: Context) -> Verification:
    """Verify a decomposition by its scores."""
    params: Params = context.params
    scores, faults = _compute_scores(given, context)
    weights = params.weights
    whole = weights.completeness + weights.consistency + weights.groundedness + weights.routability
    total = (
        weights.completeness * scores.completeness
        + weights.consistency * scores.consistency
        + weights.groundedness * scores.groundedness
        + weights.routability * scores.routability
    )
    score = round(total / whole, 3) if whole else 0.0
    verdict = _decide_verdict(score, params, fatal=any(fault.fatal for fault in faults))
    note = ""
    if verdict == "PASS" and not _is_known_language(given.query, params):
        score, note = min(score, params.neutral), _UNKNOWN_LANGUAGE
    feedback = "" if verdict == "PASS" else "\n".join(f"- {fault.message}" for fault in faults)
    return Verification(verdict=verdict, score=score, scores=scores, faults=tuple(faults), feedback=feedback, note=note)


def _is_known_language(query: str, params: Params) -> bool:
    """Return whether enough words of the question are common English words.

    Nothing else can be judged.
    """
    text, wording, coverage = tokenize_text(query), params.wording, params.coverage
    words = zip(text.words, text.is_name, strict=True)
    plain = [word.lower() for word, is_name in words if not is_name and not word.isdecimal()]
    if len(plain) < _MIN_WORDS and all(map(str.isascii, plain)):
        return True
    common = {
        *(word for phrase in params.ignore for word in phrase.split()),
        *(*params.verbs, *coverage.asks, *coverage.subjects, *coverage.contexts),
        *(*wording.articles, *wording.prepositions, *wording.auxiliaries),
        *(*wording.questions, *wording.conjunctions, *wording.pronouns),
    }
    return sum(word in common for word in plain) >= wording.known_from * len(plain)


def _compute_scores(given: VerifyInput, context: Context) -> tuple[Scores, list[DecompositionFault]]:
    params: Params = context.params
    question = parse_question(given.query, _get_clause_words(params), params.coverage.part_words)
    places = locate_places(list_places(given.subgoals), given.chunks, context, params.places.most_places)
    grounds = find_grounds(given.subgoals, places, given.query, params.places)
    works = _read_works(grounds, places, context)
    complete, missing = _score_completeness(question, works, places, context)
    consistent, tangled = _score_consistency(
        given, question, " ".join(f"{work.names} {work.text}" for work in works), context
    )
    is_quoted = not missing and all(one.covers for one in given.subgoals)
    grounded, floating = score_groundedness(
        grounds, given.chunks, params.places, neutral=params.neutral, is_quoted=is_quoted
    )
    routable, unknown = score_routability(given.subgoals, [agent.name for agent in find_agents(context).agents])
    scores = Scores(
        completeness=round(complete, 3),
        consistency=round(consistent, 3),
        groundedness=round(grounded, 3),
        routability=round(routable, 3),
    )
    return scores, [*tangled, *missing, *floating, *unknown]


def _score_completeness(question: Question, works: Sequence[Work], places: Places, context: Context) -> ScoreAndFaults:
    """Score the coverage; without quotes, the text of the places shows what subgoals are about."""
    params: Params = context.params
    words = _get_common_words(params)
    if not question.order:
        return params.neutral, []
    compare = context.project.memory.compare_texts
    score, faults = score_completeness(question, works, words, params.coverage, compare)
    if score < 1 and places.nodes and not any(work.subgoal.covers for work in works):
        answered = _find_answered_parts(question, places, context)
        works = [replace(work, text=f"{work.text} {answered}") for work in works]
        score, faults = score_completeness(question, works, words, params.coverage, compare)
    return score, faults


def _find_answered_parts(question: Question, places: Places, context: Context) -> str:
    """Return the words of the clauses of the question for which a search finds one of the places first."""
    params: Params = context.params
    symbols = {(node.path, node.symbol) for node in places.nodes.values() if node.symbol}
    answered = ""
    for part in question.clauses[: params.coverage.most_parts]:
        text = " ".join((*part.terms.words.values(), *part.terms.names))
        hits = context.project.memory.search(text, limit=params.places.search_hits, types=("code",)).hits
        if any((hit.chunk.path, hit.chunk.symbol) in symbols for hit in hits):
            answered += f" {text}"
    return answered


def _score_consistency(given: VerifyInput, question: Question, shown: str, context: Context) -> ScoreAndFaults:
    """Score order, number and wording; an order that is impossible, or a wording that is, gives 0."""
    params: Params = context.params
    if faults := find_order_faults(given.subgoals):
        return 0.0, faults
    words = _get_common_words(params)
    memory = context.project.memory
    unrelated = find_unrelated(question, given.subgoals, shown, words, memory.find_identifiers)
    if not unrelated and params.wording.topic:
        unrelated = find_other_topics(
            given.query,
            given.subgoals,
            params.wording.topic,
            memory.compare_texts,
            lambda one: is_at_home(one, question, words, memory.find_identifiers),
        )
    counted = find_count_faults(given.subgoals, params.subgoals.for_level(given.complexity))
    worded = find_wording_faults(question, given.subgoals, words, params.wording)
    worded += _find_fillers(given, question, params)
    faulty = {fault.subgoal for fault in worded}
    worded += [fault for fault in unrelated if fault.subgoal not in faulty]
    share = len({fault.subgoal for fault in worded}) / len(given.subgoals)
    return (params.count_score if counted else 1.0) * (1 - share), [*counted, *worded]


def _find_fillers(given: VerifyInput, question: Question, params: Params) -> list[DecompositionFault]:
    """Find subgoals without a word of their own; the things that the question requests are such words."""
    requested = {
        stem_word(word)
        for one in params.coverage.deliverables
        if not question.stems.isdisjoint(map(stem_word, one.requested))
        for word in (*one.requested, *one.said)
    }
    generic = {stem_word(word) for word in (*params.wording.fillers, *params.wording.generic)}
    return (
        find_fillers(given.subgoals, _get_common_words(params), generic - requested) if params.wording.generic else []
    )


def _get_common_words(params: Params) -> CommonWords:
    return CommonWords(frozenset(params.ignore), frozenset(params.verbs))


def _get_clause_words(params: Params) -> ClauseWords:
    return ClauseWords(
        joiners=params.coverage.joiners,
        questions=frozenset(params.wording.questions),
        auxiliaries=frozenset(params.wording.auxiliaries),
        verbs=frozenset(params.verbs),
        asks=frozenset(params.coverage.asks),
        subjects=frozenset(params.coverage.subjects),
        contexts=frozenset(params.coverage.contexts),
        reasons=params.coverage.reasons,
        things=frozenset(word for one in params.coverage.deliverables for word in one.requested),
        prepositions=frozenset(params.wording.prepositions),
        ignore=frozenset(params.ignore),
    )


def _read_works(grounds: Sequence[Ground], places: Places, context: Context) -> list[Work]:
    """Read for each subgoal the names of its places, and the definitions that the memory contains."""
    memory = context.project.memory
    most: int = context.params.places.read_chars
    nodes = {place: node for place, node in places.nodes.items() if node.symbol}
    ids = {place: id_ for place, node in [*nodes.items()][:_MAX_READ] if (id_ := memory.graph.find_chunk(node))}
    chunks = {chunk.id: chunk for chunk in memory.get([*ids.values()])}
    texts = {
        place: f"{chunk.path} {chunk.symbol} {chunk.text[:most]}"
        for place, id_ in ids.items()
        if (chunk := chunks.get(id_))
    }
    works = []
    for ground in grounds:
        named = (*ground.found, *ground.missing)
        text = " ".join(texts.get(place, "") for place in named)
        works.append(Work(ground.subgoal, " ".join(named), text, bool(ground.found)))
    return works


def _decide_verdict(score: float, params: Params, *, fatal: bool) -> Literal["PASS", "RETRY", "FAIL"]:
    if score >= params.pass_from and not fatal:
        return "PASS"
    return "RETRY" if score >= params.retry_from else "FAIL"


_ANY_RANGE = {"least": 1, "most": 6}
_COVERAGE = {
    "share": 0.7,
    "part_share": 0.5,
    "piece_share": 0.3,
    "abstract": ["cause"],
    "quote_share": 0.9,
    "name_weight": 2,
    "joiners": ["and"],
    "part_words": 2,
    "most_parts": 6,
}
_WORDING = {
    "question_share": 0.75,
    "question_terms": 4,
    "new_words": 1,
    "same_share": 0.8,
    "near_share": 0.5,
    "sentence_terms": 3,
    "fillers": ["part"],
    "articles": ["the"],
    "prepositions": ["of"],
    "auxiliaries": ["does"],
    "questions": ["how"],
    "conjunctions": ["and"],
    "pronouns": ["it"],
}
_PLACES = {"share": 0.5, "most_places": 60, "read_chars": 300, "search_hits": 5, "good_chunk": 0.3, "creates": ["add"]}
TOOL = Tool(
    name="decomposition.verify",
    title="Verify a decomposition",
    description=(
        "Score subgoals against their query: completeness, consistency, groundedness and routability; PASS, RETRY "
        "with feedback on each fault, or FAIL. A cycle, a repeated id or an unknown dependency never passes."
    ),
    input=VerifyInput,
    output=Verification,
    run=verify_decomposition,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    phases=True,
    examples=(
        Example(
            "one good subgoal",
            {
                "query": "How does the parser report errors?",
                "subgoals": [{"id": "s1", "description": "Find where the parser reports errors"}],
            },
            {
                "weights": {"completeness": 0.4, "consistency": 0.2, "groundedness": 0.2, "routability": 0.2},
                "pass_from": 0.7,
                "retry_from": 0.5,
                "subgoals": {"SIMPLE": _ANY_RANGE, "MEDIUM": _ANY_RANGE, "COMPLEX": _ANY_RANGE, "CRITICAL": _ANY_RANGE},
                "coverage": _COVERAGE,
                "wording": _WORDING,
                "places": _PLACES,
                "count_score": 0.5,
                "neutral": 0.7,
                "ignore": ["how", "does", "the"],
                "verbs": ["find"],
            },
        ),
    ),
    params=Params,
)
