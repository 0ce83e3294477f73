"""`decomposition.verify`: form, places and cover of a decomposition, with what each place is.

Words prove little about a plan: the assistant's own model judges whether its subgoals make sense. What is checked here
is what a model checks badly and the files decide: whether the order is possible, whether what the subgoals name is
there, and which words of the question none of them has.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from aurora.memory.search import STOP_WORDS
from aurora.tools.agents import find_agents
from aurora.tools.core import CompactModel, Example, StrictModel, Tool
from aurora.tools.memory.search import FoundChunk
from aurora.tools.reasoning.complexity.lexicon import Level
from aurora.tools.text import list_terms, stem_word, stem_words, tokenize_text

from .model import (
    DecompositionIssue,
    Scored,
    Subgoal,
    SubgoalRangeByLevel,
    find_count_issues,
    find_order_issues,
    score_routability,
)
from .places import GroundParams, ResolvedPlace, find_grounds, list_places, resolve_places, score_groundedness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.core import Context

    from .places import Ground, Places

_MAX_SHOWN = 12
"""Words of the question that are listed as not covered."""
_MAX_READ = 12
"""Definitions whose beginning is read, to see what a subgoal is about."""
_MAX_PARTS = 12
"""Parts of a question that are judged one by one; of a longer one, the first."""
_MIN_SALAD = 4
"""Words whose order can be judged."""
_MIN_STEM = 5
"""Letters of a stem that a longer one may contain, as "subscrib" in "unsubscribe"."""


class Weights(StrictModel):
    """Weights of the scores."""

    completeness: float = Field(ge=0)
    consistency: float = Field(ge=0)
    groundedness: float = Field(ge=0)
    routability: float = Field(ge=0)


class CoverParams(StrictModel):
    """Settings of cover and wording.

    Attributes:
        part_share: a part of the question with less of its terms in any subgoal is not covered …
        about_from: … unless a subgoal is as alike to it in meaning as this cosine.
        repeat_share: a subgoal with this share of the question's terms repeats it …
        new_terms: … unless it adds so many terms of its own.
        same_share: two subgoals with this share of common terms, places and quotes are the same.
        order_share: words of the question of which a smaller share of neighbours are neighbours there are in disorder.
    """

    part_share: float = Field(ge=0, le=1)
    about_from: float = Field(ge=0, le=1)
    repeat_share: float = Field(ge=0, le=1)
    new_terms: int = Field(ge=0)
    same_share: float = Field(ge=0, le=1)
    order_share: float = Field(ge=0, le=1)


class Params(StrictModel):
    """All settings of `decomposition.verify`; see the comments in the workflow."""

    weights: Weights
    pass_from: float = Field(ge=0, le=1)
    retry_from: float = Field(ge=0, le=1)
    subgoals: SubgoalRangeByLevel
    cover: CoverParams
    places: GroundParams
    count_score: float = Field(ge=0, le=1)
    neutral: float = Field(ge=0, le=1)
    generic: str
    """Words that fit any work on any project, with commas: a subgoal of only these says nothing."""


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
    """Verdict with its weighted score (0..1), what the named places are, and what is wrong or open.

    Attributes:
        resolved: each path and symbol that the subgoals name, with its lines, or with what is nearest to it.
        uncovered: words of the question that no subgoal has.
        feedback: the issues, a line each; empty when the verdict is PASS.
    """

    verdict: Literal["PASS", "RETRY", "FAIL"]
    score: float
    scores: Scores
    resolved: tuple[ResolvedPlace, ...] = ()
    uncovered: tuple[str, ...] = ()
    issues: tuple[DecompositionIssue, ...] = ()
    feedback: str
    note: str = ""


def verify_decomposition(given: VerifyInput, context: Context) -> Verification:
    """Verify a decomposition: form, places and cover."""
    params: Params = context.params
    places = resolve_places(list_places(given.subgoals), given.chunks, context, params.places.most_places)
    grounds = find_grounds(given.subgoals, places, given.query, params.places)
    works = _read_works(grounds, places, context)
    complete, missing = _score_completeness(given, works, context)
    consistent, tangled = _score_consistency(given, works, grounds, params)
    grounded, floating = score_groundedness(grounds, given.chunks, params.places, neutral=params.neutral)
    routable, unknown = score_routability(given.subgoals, [agent.name for agent in find_agents(context).agents])
    scores = Scores(
        completeness=round(complete, 3),
        consistency=round(consistent, 3),
        groundedness=round(grounded, 3),
        routability=round(routable, 3),
    )
    issues = (*tangled, *missing, *floating, *unknown)
    score = _weigh_scores(scores, params.weights)
    verdict = _decide_verdict(score, params, fatal=any(issue.fatal for issue in issues))
    return Verification(
        verdict=verdict,
        score=score,
        scores=scores,
        resolved=places.resolved,
        uncovered=_list_uncovered(given.query, works),
        issues=issues,
        feedback="" if verdict == "PASS" else "\n".join(f"- {one.message}: {one.remedy}" for one in issues),
        note=_note_language(given.query),
    )


def _weigh_scores(scores: Scores, weights: Weights) -> float:
    pairs = [(getattr(weights, name), getattr(scores, name)) for name in Scores.model_fields]
    whole = sum(weight for weight, _ in pairs)
    return round(sum(weight * score for weight, score in pairs) / whole, 3) if whole else 0.0


def _decide_verdict(score: float, params: Params, *, fatal: bool) -> Literal["PASS", "RETRY", "FAIL"]:
    if score >= params.pass_from and not fatal:
        return "PASS"
    return "RETRY" if score >= params.retry_from else "FAIL"


def _note_language(query: str) -> str:
    """Say that words were not compared where the question is in another language than the code."""
    text = tokenize_text(query)
    plain = [word for word, is_name in zip(text.words, text.is_name, strict=True) if not is_name]
    is_known = len(plain) < _MIN_STEM or sum(word in STOP_WORDS for word in plain) >= len(plain) / 8
    return (
        ""
        if is_known
        else "The language of the question is unknown: whether the subgoals cover it is for you to check."
    )


class _Work(NamedTuple):
    """Subgoal with the stems of what it says, and of the places that it names."""

    subgoal: Subgoal
    said: frozenset[str]
    shown: frozenset[str]

    def covers(self, term: str) -> bool:
        """Return whether a term of the question is among its words, also inside a longer one."""
        if term in self.said or term in self.shown:
            return True
        return len(term) >= _MIN_STEM and any(term in other for other in (*self.said, *self.shown))


def _read_works(grounds: Sequence[Ground], places: Places, context: Context) -> list[_Work]:
    """Read what each subgoal says, and the beginning of the definitions that it names."""
    memory = context.project.memory
    nodes = {place: node for place, node in places.nodes.items() if node.symbol}
    ids = {place: id_ for place, node in [*nodes.items()][:_MAX_READ] if (id_ := memory.graph.find_chunk(node))}
    chunks = {chunk.id: chunk for chunk in memory.get([*ids.values()])}
    most: int = context.params.places.read_chars
    works = []
    for ground in grounds:
        texts = [chunk.text[:most] for place in ground.found if (chunk := chunks.get(ids.get(place, "")))]
        own = ground.subgoal
        said = stem_words(" ".join((own.description, *own.covers)))
        works.append(_Work(own, said, stem_words(" ".join((*ground.found, *ground.missing, *texts)))))
    return works


def _list_terms(text: str) -> tuple[str, ...]:
    return list_terms(text, STOP_WORDS)


def _list_uncovered(query: str, works: Sequence[_Work]) -> tuple[str, ...]:
    """List the words of the question that no subgoal has, as the person wrote them."""
    words = dict.fromkeys(word for word in tokenize_text(query).words if word not in STOP_WORDS)
    lost = [word for word in words if not _is_said(word, works)]
    return tuple(lost[:_MAX_SHOWN])


def _is_said(word: str, works: Sequence[_Work]) -> bool:
    """Return whether a subgoal has a word of the question, or a name that is written so."""
    return any(work.covers(stem_word(word)) or word in work.subgoal.description.lower() for work in works)


def _score_completeness(given: VerifyInput, works: Sequence[_Work], context: Context) -> Scored:
    """Score the share of the question's parts that a subgoal is about, by its words or its meaning."""
    params: Params = context.params
    parts = _split_parts(given.query, _read_generic(params))
    if not parts:
        return params.neutral, []
    said = [" ".join((one.description, *one.covers)) for one in given.subgoals]
    alike = context.project.memory.compare_texts([text for text, _ in parts], said)
    missing = []
    for (text, terms), cosine in zip(parts, alike, strict=True):
        share = sum(any(work.covers(term) for work in works) for term in terms) / len(terms)
        if share < params.cover.part_share and cosine < params.cover.about_from:
            missing.append(text)
    issues = [
        DecompositionIssue(
            code="missing",
            fatal=True,
            message=f'no subgoal is about "{text[:80]}"',
            remedy="quote it in the covers of the subgoal that answers it, or add one",
        )
        for text in missing
    ]
    return 1 - len(missing) / len(parts), issues


def _read_generic(params: Params) -> frozenset[str]:
    return frozenset(stem_word(word.strip()) for word in params.generic.split(","))


def _split_parts(query: str, generic: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """Split a question at its pauses into parts, each with the terms that are new in it."""
    text = tokenize_text(query)
    words: dict[int, list[str]] = {}
    for word, clause in zip(text.words, text.clause, strict=True):
        words.setdefault(clause, []).append(word)
    parts: list[tuple[str, frozenset[str]]] = []
    seen = set(generic)
    for own in words.values():
        terms = frozenset(_list_terms(" ".join(own))) - seen
        if terms:
            parts.append((" ".join(own), terms))
            seen |= terms
    return parts[:_MAX_PARTS]


def _score_consistency(given: VerifyInput, works: Sequence[_Work], grounds: Sequence[Ground], params: Params) -> Scored:
    """Score order, number and wording; an order that is impossible gives 0."""
    if issues := find_order_issues(given.subgoals):
        return 0.0, issues
    counted = find_count_issues(given.subgoals, params.subgoals.for_level(given.complexity))
    worded = [
        *_find_repeats(given, params.cover),
        *_find_empty(given, works, grounds, params),
        *_find_same(given, params.cover),
    ]
    share = len({issue.subgoal for issue in worded}) / len(given.subgoals)
    return (params.count_score if counted else 1.0) * (1 - share), [*counted, *worded]


def _find_repeats(given: VerifyInput, cover: CoverParams) -> list[DecompositionIssue]:
    """Find subgoals that repeat the question, or its words in disorder; fatal where half of them do."""
    asked = frozenset(_list_terms(given.query))
    spoken = tokenize_text(given.query).words
    found = []
    for one in given.subgoals:
        own = frozenset(_list_terms(one.description))
        is_whole = len(own & asked) >= cover.repeat_share * len(asked) and len(given.subgoals) > 1
        repeats = is_whole and len(own - asked) <= cover.new_terms
        if repeats or (own <= asked and _is_disorder(one.description, spoken, cover.order_share)):
            found.append(one)
    fatal = 2 * len(found) >= len(given.subgoals)
    return [
        DecompositionIssue(
            code="repeats_question",
            fatal=fatal,
            subgoal=one.id,
            message=f'subgoal "{one.id}" only repeats the question',
            remedy="say which piece of work it is: what it reads or changes, and what its result is",
        )
        for one in found
    ]


def _is_disorder(text: str, spoken: Sequence[str], order_share: float) -> bool:
    """Return whether a text has only words of the question, and few next to their neighbours there."""
    words = tokenize_text(text).words
    if len(words) < _MIN_SALAD or not set(words) <= set(spoken):
        return False
    neighbours = set(pairwise(spoken))
    kept = sum(pair in neighbours for pair in pairwise(words))
    return kept < order_share * (len(words) - 1)


def _find_empty(
    given: VerifyInput, works: Sequence[_Work], grounds: Sequence[Ground], params: Params
) -> list[DecompositionIssue]:
    """Find subgoals that fit any question, or share no word with this one and with no place of theirs."""
    generic = _read_generic(params)
    asked = frozenset(_list_terms(given.query))
    near = (*asked, *(term for work in works for term in work.shown))
    empty = []
    for one, ground in zip(given.subgoals, grounds, strict=True):
        own = frozenset(_list_terms(one.description))
        is_near = any(term in other for term in own if len(term) >= _MIN_STEM for other in near) or own & {*near}
        is_joining = bool(one.depends_on) and not one.where
        if not is_joining and (own <= generic or not (is_near or ground.found)):
            empty.append(one)
    fatal = 2 * len(empty) >= len(given.subgoals)
    return [
        DecompositionIssue(
            code="empty",
            fatal=fatal,
            subgoal=one.id,
            message=f'subgoal "{one.id}" fits any question',
            remedy="say it in words of the question or of the code",
        )
        for one in empty
    ]


def _find_same(given: VerifyInput, cover: CoverParams) -> list[DecompositionIssue]:
    """Find subgoals that say the same as an earlier one."""
    seen: list[tuple[str, frozenset[str]]] = []
    issues = []
    for one in given.subgoals:
        own = frozenset((*_list_terms(one.description), *one.where, *one.covers))
        same = next((name for name, other in seen if len(own & other) > cover.same_share * len(own | other)), None)
        if same is not None:
            remedy = "keep one of them, or say what tells them apart"
            message = f'subgoals "{same}" and "{one.id}" are the same'
            issues.append(
                DecompositionIssue(code="repeats_subgoal", fatal=False, subgoal=one.id, message=message, remedy=remedy)
            )
        seen.append((one.id, own))
    return issues


_ANY_RANGE = {"least": 1, "most": 6}

TOOL = Tool(
    name="decomposition.verify",
    title="Verify a decomposition",
    description=(
        "Check subgoals against their query: each path and symbol that they name is resolved to its lines or to what "
        "is nearest, words that none covers are listed, and issues come with a remedy. A cycle, a repeated id or an "
        "unknown dependency never passes."
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
                "cover": {
                    "part_share": 0.3, "about_from": 0.4, "repeat_share": 0.75, "new_terms": 1, "same_share": 0.8,
                    "order_share": 0.3,
                },
                "places": {"share": 0.5, "most_places": 60, "read_chars": 300, "good_chunk": 0.3, "creates": "add"},
                "count_score": 0.5,
                "neutral": 0.7,
                "generic": "analyze, findings",
            },
        ),
    ),
    params=Params,
)  # fmt: skip
