"""`complexity.assess`: complexity of a query by an additive score of signals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory.search import STOP_WORDS
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.text import TokenizedText, tokenize_text

from .lexicon import JOINER, MENTION, MENTION_END, OPENER, Level, Params, compile_lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.tools.core import Context

    from .lexicon import Lexicon, PhraseMatch, PhraseMatcher, Structure, WordGroup

    Matches = Mapping[str, Sequence[PhraseMatch]]


class Query(StrictModel):
    """Question or task to assess."""

    query: str = Field(min_length=1, max_length=8000, description="The question or task, in the person's words.")
    complexity: Level | None = Field(
        default=None, description="The level that the caller sees; it counts, unless the query reports an incident."
    )


class FoundSignal(StrictModel):
    """Signal that counts in the score."""

    name: str
    weight: float
    matched: str


class Assessment(StrictModel):
    """Level with its score, confidence (0..1) and signals."""

    complexity: Level
    score: float
    confidence: float = Field(ge=0, le=1)
    signals: tuple[FoundSignal, ...]


def assess_complexity(query: Query, context: Context) -> Assessment:
    """Assess the complexity of a query."""
    params: Params = context.params
    text = tokenize_text(_shorten_query(query.query, params.read_chars))
    lexicon = compile_lexicon(params)
    found = find_signals(text, lexicon, params)
    total = sum(signal.weight for signal in found)
    is_incident = any(signal.incident for signal in found)
    if query.complexity is not None and not is_incident:
        given = Signal("given", 0, f"the caller says {query.complexity}")
        return _make_assessment(query.complexity, total, 1, (*found, given))
    if not is_incident and not _is_known_language(text, lexicon.matcher, params.language.known_from):
        note = Signal("unknown language", 0, "too few of its words are in the word lists")
        return _make_assessment("MEDIUM", total, params.language.confidence, (*found, note))
    if not is_incident and (over := _find_excess(text, found, total, lexicon, params)):
        found, total = (*found, over), total + over.weight
    return _make_assessment(
        _to_level(total, params), total, _compute_confidence(total, params, any_signal=bool(found)), found
    )


def _make_assessment(level: Level, score: float, confidence: float, found: Iterable[Signal]) -> Assessment:
    signals = tuple(
        FoundSignal(name=signal.name, weight=round(signal.weight, 2), matched=signal.matched) for signal in found
    )
    return Assessment(complexity=level, score=round(score, 2), confidence=confidence, signals=signals)


def _find_excess(
    text: TokenizedText, found: Iterable[Signal], total: float, lexicon: Lexicon, params: Params
) -> Signal | None:
    """Find what the score of a query without an incident has above its ceiling.

    A report of a symptom is one cause to find, however long it is and whatever it mentions; only where it also asks
    for a change, a design or a comparison is there more work in it. What begins as no request does, or has several
    sentences and no word of a request, states something.
    """
    bounds = params.thresholds
    work = {lexicon.kinds.get(signal.name) for signal in found if signal.weight > 0}
    states = not work & {"question", "analysis"} and (text.sentences > 1 or not _begins_as_request(text))
    is_report = "words" not in work and ("symptom" in work or states)
    ceiling = bounds.complex_from - 1 if is_report else bounds.ceiling
    if total <= ceiling:
        return None
    reason = "it reports a symptom" if is_report else "the query reports no incident"
    return Signal("report" if is_report else "ceiling", ceiling - total, reason)


def _begins_as_request(text: TokenizedText) -> bool:
    """Return whether the first word may be a verb that asks: no name, no "the", and no "parsing"."""
    first = text.words[0] if text.words else ""
    is_gerund = first.endswith("ing") and len(first) > len("bring")
    return not (first in STOP_WORDS or text.is_name[:1] == (True,) or is_gerund)


def _shorten_query(query: str, most: int) -> str:
    """Shorten a long query to its beginning and end, where the question usually is."""
    if len(query) <= most:
        return query
    return f"{query[: most * 2 // 3]}\n{query[-most // 3 :]}"


def _to_level(score: float, params: Params) -> Level:
    bounds = params.thresholds
    if score < bounds.simple_below:
        return "SIMPLE"
    if score < bounds.complex_from:
        return "MEDIUM"
    return "COMPLEX" if score < bounds.critical_from else "CRITICAL"


def _compute_confidence(score: float, params: Params, *, any_signal: bool) -> float:
    """Compute the confidence: `least` at a threshold, 1 at `certain_margin` from the nearest."""
    sure = params.confidence
    if not any_signal:
        return sure.without_signals
    bounds = params.thresholds
    near = min(abs(score - edge) for edge in (bounds.simple_below, bounds.complex_from, bounds.critical_from))
    return round(sure.least + (1 - sure.least) * min(1.0, near / sure.certain_margin), 2)


def _is_known_language(text: TokenizedText, matcher: PhraseMatcher, known_from: float) -> bool:
    """Return whether enough plain words are known; a query of names only has no language."""
    words = zip(text.words, text.is_name, strict=True)
    plain = [word for word, is_name in words if not is_name and not word.isdecimal()]
    if not plain:
        return any(text.is_name)
    return sum(word in STOP_WORDS or matcher.is_known(word) for word in plain) >= known_from * len(plain)


_REQUEST = "request"


def find_signals(text: TokenizedText, lexicon: Lexicon, params: Params) -> tuple[Signal, ...]:
    """Find the signals in the text, those of the word lists first.

    Args:
        text: the query.
        lexicon: the word lists of the settings.
        params: the settings.
    """
    found: dict[str, list[PhraseMatch]] = {}
    for match in lexicon.matcher.find_matches(text):
        found.setdefault(match.group, []).append(match)
    kept = _drop_unaccompanied(list(score_groups(text, lexicon, found)), lexicon)
    kept += _score_request(text, kept, lexicon, params.structure)
    joined = len(found.get(JOINER, ()))
    return (*_reduce_weaker(kept, lexicon, params.rest), *_score_structure(text, params.structure, joined))


def _drop_unaccompanied(found: list[Signal], lexicon: Lexicon) -> list[Signal]:
    """Drop signals without the signal that they need; repeat, since one may be the need of another."""
    if not any(signal.name in lexicon.needed for signal in found):
        return found
    while True:
        labels: set[str] = set()
        for signal in found:
            labels.update(lexicon.labels.get(signal.name, ()))
        kept = []
        for signal in found:
            needed = lexicon.needed.get(signal.name)
            if needed is None or not labels.isdisjoint(needed):
                kept.append(signal)
        if len(kept) == len(found):
            return kept
        found = kept


def _score_request(
    text: TokenizedText, found: Iterable[Signal], lexicon: Lexicon, shape: Structure
) -> tuple[Signal, ...]:
    """Score a query whose kind no word tells: a sentence asks for more than a look-up, a few words do not."""
    if not shape.request or len(text.words) < shape.request_words or any(one.name in lexicon.telling for one in found):
        return ()
    return (Signal(_REQUEST, shape.request, f"{len(text.words)} words"),)


def _reduce_weaker(found: list[Signal], lexicon: Lexicon, rest: float) -> list[Signal]:
    """Reduce all signals of questions and work but the strongest: they tell of the same work."""
    main = [one for one in found if one.weight > 0 and (one.name in lexicon.main or one.name == _REQUEST)]
    weaker = sorted(main, key=lambda one: -one.weight)[1:]
    if not weaker:
        return found
    return [replace(one, weight=one.weight * rest) if one in weaker else one for one in found]


def _score_structure(text: TokenizedText, shape: Structure, joined: int) -> Iterator[Signal]:
    """Score joined parts, listed items and names; not length: a one-line fix can have a long report."""
    names = sum(text.is_name)
    measures = (
        ("joined parts", joined, shape.per_joiner, shape.joiners_cap, f"{joined} joining words"),
        ("commas", text.commas - 1, shape.per_comma, shape.commas_cap, f"{text.commas} commas"),
        ("listed items", text.items, shape.per_item, shape.items_cap, f"{text.items} items"),
        ("names", names - 1, shape.per_name, shape.names_cap, f"{names} names"),
    )
    for name, amount, each, cap, matched in measures:
        if amount > 0 and each:
            yield Signal(name, round(min(amount * each, cap), 2), matched)


@dataclass(frozen=True, slots=True)
class Signal:
    """Signal with its name, its weight, and the matched words."""

    name: str
    weight: float
    matched: str
    incident: bool = False


def score_groups(text: TokenizedText, lexicon: Lexicon, found: Matches) -> Iterator[Signal]:
    """Score the word groups; an incident that is only mentioned counts nothing.

    Args:
        text: the query.
        lexicon: the word lists.
        found: name of a list -> its matches in the query.
    """
    questions = _select_questions(lexicon, found)
    places = find_clause_boundaries(
        text, found.get(OPENER, ()), found.get(JOINER, ()), [match for some in questions.values() for match in some]
    )
    mentioned = tuple(_find_mentioned(text, found))
    for name, group in lexicon.groups.items():
        if name not in found:
            continue
        placed = _filter_by_position(group, questions.get(name, found[name]), places)
        real = [match for match in placed if group.kind != "incident" or not mentioned[match.position]]
        if len(real) < len(placed):
            yield Signal("mention", 0, _join_phrases(match.phrase for match in placed if match not in real))
        if real:
            yield _score_group(group, real)


def _select_questions(lexicon: Lexicon, found: Matches) -> Matches:
    """Select the longest question words at each position: "what happens" is not the look-up "what"."""
    names = [name for name in found if name in lexicon.questions]
    longest: dict[int, int] = {}
    for match in (match for name in names for match in found[name]):
        longest[match.position] = max(match.length, longest.get(match.position, 0))
    return {name: _keep_longest(found[name], longest) for name in names}


def _keep_longest(matches: Iterable[PhraseMatch], longest: Mapping[int, int]) -> list[PhraseMatch]:
    return [match for match in matches if match.length == longest[match.position]]


def _find_mentioned(text: TokenizedText, found: Matches) -> Iterator[bool]:
    """Yield for each word whether it only mentions: it is quoted, or a mark is before it in its clause."""
    openings = {match.position for match in found.get(MENTION, ())}
    ends = {match.position for match in found.get(MENTION_END, ())}
    quoted = text.quoted if len(text.quoted) < len(text.words) else frozenset[int]()
    clause, is_open = -1, False
    for at, own in enumerate(text.clause):
        if own != clause or at in ends:
            clause, is_open = own, False
        yield is_open or at in quoted
        is_open = is_open or at in openings


def _filter_by_position(
    group: WordGroup, matches: Iterable[PhraseMatch], places: ClauseBoundaries
) -> list[PhraseMatch]:
    if group.at == "start":
        return [match for match in matches if match.position <= places.query_start]
    if group.at == "clause":
        wanted = (
            places.clause_starts if group.kind == "question" else places.clause_starts - places.question_continuations
        )
        return [match for match in matches if match.position in wanted]
    return list(matches)


def _score_group(group: WordGroup, matches: Sequence[PhraseMatch]) -> Signal:
    """Score the different phrases of a word list, up to its cap."""
    further = group.weight if group.further is None else group.further
    phrases = dict.fromkeys([match.phrase for match in matches])
    total = group.weight + further * (len(phrases) - 1)
    bounded = max(total, group.cap) if group.weight < 0 else min(total, group.cap)
    return Signal(group.name, bounded, _join_phrases(phrases), group.kind == "incident")


def _join_phrases(phrases: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(phrases))[:120]


@dataclass(frozen=True, slots=True)
class ClauseBoundaries:
    """Indexes of words at which the query and its clauses begin.

    Attributes:
        query_start: first word after "please", "can you" and similar courtesies.
        clause_starts: first words of clauses: after a pause, a joining word, or a courtesy.
        question_continuations: those clause starts that only continue a question: "how does it parse and convert"
            does not request a conversion.
    """

    query_start: int
    clause_starts: frozenset[int]
    question_continuations: frozenset[int]


def find_clause_boundaries(
    text: TokenizedText,
    openers: Iterable[PhraseMatch],
    joiners: Iterable[PhraseMatch],
    questions: Iterable[PhraseMatch],
) -> ClauseBoundaries:
    """Find the boundaries of a query's clauses.

    Args:
        text: the query.
        openers: its courtesies.
        joiners: its joining words.
        questions: its question words.
    """
    starts = {index for index, clause in enumerate(text.clause) if index == 0 or text.clause[index - 1] != clause}
    query_start = 0
    for match in openers:
        starts.add(match.position + match.length)
        if match.position == query_start:
            query_start = match.position + match.length
    starts |= {match.position + match.length for match in joiners}
    question_by_clause: dict[int, int] = {}
    for match in questions:
        if match.position in starts:
            question_by_clause.setdefault(text.clause[match.position], match.position)
    continuations = set()
    for start in starts:
        clause = text.clause[start] if start < len(text.clause) else None
        if clause is not None and question_by_clause.get(clause, start) < start:
            continuations.add(start)
    return ClauseBoundaries(query_start, frozenset(starts), frozenset(continuations))


TOOL = Tool(
    name="complexity.assess",
    title="Assess complexity",
    description=(
        "Assess the complexity of a query as SIMPLE, MEDIUM, COMPLEX or CRITICAL, by an additive score over its words, "
        "scope, constraints, structure and question type, with the signals that count. Only whole words match; a "
        "hypothetical incident does not count; a report of a symptom is MEDIUM at most; a level that the caller gives "
        "counts, unless the query reports an incident."
    ),
    input=Query,
    output=Assessment,
    run=assess_complexity,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=5,
    phases=True,
    examples=(
        Example(
            "a lookup",
            {"query": "What is a chunk?"},
            {
                "thresholds": {"simple_below": 12, "complex_from": 29, "critical_from": 50, "ceiling": 49},
                "read_chars": 2000,
                "words": [
                    {"name": "lookup", "kind": "question", "at": "start", "weight": -8, "cap": -8, "words": ["what is"]}
                ],
                "clauses": {"openers": ["please"], "joiners": ["and"], "mentions": ["if"], "mention_ends": ["but"]},
                "structure": {
                    "per_joiner": 3, "joiners_cap": 12, "per_comma": 2.5, "commas_cap": 10, "per_item": 5,
                    "items_cap": 20, "per_name": 1, "names_cap": 4, "request": 15, "request_words": 5,
                },
                "rest": 0.15,
                "language": {"known_from": 0.3, "confidence": 0.2},
                "confidence": {"certain_margin": 10, "least": 0.5, "without_signals": 0.35},
            },
        ),
    ),
    params=Params,
)  # fmt: skip
