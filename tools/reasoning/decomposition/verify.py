"""`decomposition.verify`: verdict on a decomposition by four scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.agents import find_agents
from aurora.tools.core import CompactModel, Example, StrictModel, Tool
from aurora.tools.memory.search import FoundChunk
from aurora.tools.reasoning.complexity.lexicon import Level
from aurora.tools.text import list_terms, stem_word, stem_words, tokenize_text

from .grammar import ClauseWords, is_covered
from .missing import CoverageParams, PartCoverage, Work, cut_verb
from .model import (
    DecompositionFault,
    ScoreAndFaults,
    Subgoal,
    SubgoalRangeByLevel,
    find_count_faults,
    find_order_faults,
)
from .places import GroundParams, Places, find_grounds, list_places, locate_places, score_groundedness
from .question import CommonWords, Question, match_quote, parse_question
from .relevance import find_fillers, find_other_topics, find_unrelated, is_at_home
from .wording import WordingParams, find_wording_faults

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aurora.tools.core import Context
    from aurora.tools.text import Terms

    from .missing import Compare
    from .places import Ground

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


def score_routability(subgoals: Sequence[Subgoal], agents: Collection[str]) -> ScoreAndFaults:
    """Score the share of the named agents that exist; 1 when no agent is named."""
    named = [one for one in subgoals if one.agent]
    known = {name.casefold() for name in agents}
    lost = [one for one in named if (one.agent or "").casefold() not in known]
    choices = ", ".join(f'"{name}"' for name in sorted(agents)[:10]) or "none; leave agent null"
    faults = [
        DecompositionFault(
            code="unknown_agent",
            fatal=False,
            subgoal=one.id,
            message=f'subgoal "{one.id}" names the agent "{one.agent}", which does not exist (available: {choices})',
        )
        for one in lost
    ]
    return (1 - len(lost) / len(named) if named else 1.0), faults


_MAX_NAMED = 4
"""Parts listed in one message."""

_MAX_QUOTE_CHARS = 60


def score_completeness(
    question: Question, works: Sequence[Work], words: CommonWords, rule: CoverageParams, compare: Compare
) -> ScoreAndFaults:
    """Score how many parts of a question are the work of a subgoal.

    Words prove that a part is covered, and never that it is not, because a subgoal may use others. A part is missing
    when no quote and hardly a word of any subgoal is about it, and no subgoal is left that may answer it in words of
    its own.

    Args:
        question: the question, with at least one term.
        works: the subgoals.
        words: words that are no terms, and verbs.
        rule: settings of the coverage.
        compare: computes for each of some texts the highest cosine with any of others.
    """
    places, faults = _credit_quotes(question, [work.subgoal for work in works], words, rule)
    quoted = frozenset(question.order[at] for at in places)
    covered = _collect_covered(question, works, quoted, words)
    parts = PartCoverage(question, works, quoted, places, covered, words, rule, compare)
    if missing := parts.find_missing():
        whole = max(len(missing), len(parts.judged))
        return 1 - len(missing) / whole, [*faults, _to_missing_fault([part.text for part in missing])]
    if parts.has_too_many and (lost := _list_lost(question.asked_terms, covered)):
        share = parts.compute_share(question.asked_terms) / rule.share
        return min(1.0, share), [*faults, _to_missing_fault(lost)] if share < 1 else faults
    return 1.0, faults


def _collect_covered(
    question: Question, works: Sequence[Work], quoted: Collection[str], words: CommonWords
) -> frozenset[str]:
    """Collect the terms that the subgoals cover.

    With quotes, these are the terms of quotes and descriptions; without, also those of places and of parts of names.
    """
    said = " ".join(_drop_verb(work.subgoal.description, question, words) for work in works)
    if any(work.subgoal.covers for work in works):
        return frozenset((*quoted, *list_terms(said, words.ignore), *_collect_unquoted(question, works)))
    is_alone = sum(work.is_grounded for work in works) < 2  # noqa: PLR2004 - one subgoal for the whole question
    shown = " ".join(work.names if is_alone else f"{work.names} {work.text}" for work in works)
    lowered = said.lower()
    return stem_words(f"{said} {shown}").union(name for name in question.terms.names if name in lowered)


def _collect_unquoted(question: Question, works: Sequence[Work]) -> frozenset[str]:
    """Collect what subgoals without quotes are about, and names of the question that are places."""
    silent = [work for work in works if not work.subgoal.covers]
    text = " ".join(f"{work.subgoal.description} {work.names} {work.text}" for work in silent)
    places = " ".join(work.names for work in works).lower()
    return stem_words(text).union(name for name in question.terms.names if name in places)


def _list_lost(terms: Terms, covered: Collection[str]) -> list[str]:
    names = [name for name in terms.names if not is_covered(name, covered)]
    return [*names, *(word for stem, word in terms.words.items() if not is_covered(stem, covered))]


def _drop_verb(description: str, question: Question, words: CommonWords) -> str:
    """Drop the first verb unless the question contains it: "Read …" does not cover "reading"."""
    first = description.strip().partition(" ")[0].lower()
    return description if first in question.terms.words.values() else cut_verb(description, words)


def _credit_quotes(
    question: Question, subgoals: Sequence[Subgoal], words: CommonWords, rule: CoverageParams
) -> tuple[frozenset[int], list[DecompositionFault]]:
    """Collect the positions that quotes cover; a quote of nearly the whole question claims nothing."""
    covered: set[int] = set()
    most = rule.quote_share * len(set(question.order))
    faults = []
    for one in subgoals:
        for quote in one.covers:
            places = match_quote(quote, question, words.ignore)
            if places is None:
                faults.append(_to_quote_fault(one, quote))
            elif len(question.parts) == 1 or len({question.order[at] for at in places}) <= most:
                covered |= places
    return frozenset(covered), faults


def _to_quote_fault(subgoal: Subgoal, quote: str) -> DecompositionFault:
    said = f'subgoal "{subgoal.id}" covers "{_shorten(quote)}", which the query does not say'
    message = f"{said}: quote words of the query"
    return DecompositionFault(code="not_quoted", fatal=False, subgoal=subgoal.id, message=message)


def _to_missing_fault(lost: Sequence[str]) -> DecompositionFault:
    shown = ", ".join(f'"{_shorten(text)}"' for text in lost[:_MAX_NAMED])
    more = f" and {len(lost) - _MAX_NAMED} more parts of the query" if len(lost) > _MAX_NAMED else ""
    message = f"no subgoal covers {shown}{more}: quote it in the covers of the subgoal that answers it, or add one"
    return DecompositionFault(code="missing", fatal=True, subgoal=None, message=message)


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_QUOTE_CHARS else f"{text[:_MAX_QUOTE_CHARS]}…"


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
