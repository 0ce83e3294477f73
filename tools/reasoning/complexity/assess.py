"""`complexity.assess`: complexity of a query by an additive score of signals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.text import TokenizedText, tokenize_text

from .lexicon import COMPOUND, CREATION, JOINER, MENTION, MENTION_END, OPENER, Level, Params, compile_lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.tools.core import Context

    from .lexicon import Lexicon, PhraseMatch, PhraseMatcher, Structure, WordGroup

    Matches = Mapping[str, Sequence[PhraseMatch]]


class Query(StrictModel):
    """Question or task to assess."""

    query: str = Field(min_length=1, max_length=8000, description="The question or task, in the person's words.")


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
    is_incident = any(signal.incident for signal in found)
    if not is_incident and not _is_known_language(text, lexicon.matcher, params.language.known_from):
        note = Signal("unknown language", 0, "too few of its words are in the word lists")
        return Assessment(
            complexity="MEDIUM",
            score=round(sum(signal.weight for signal in found), 2),
            confidence=params.language.confidence,
            signals=_to_found_signals((*found, note)),
        )
    total = sum(signal.weight for signal in found)
    over = total - params.thresholds.ceiling
    if over > 0 and not is_incident:
        found = (*found, Signal("ceiling", -over, "the query reports no incident"))
        total = params.thresholds.ceiling
    return Assessment(
        complexity=_to_level(total, params),
        score=round(total, 2),
        confidence=_compute_confidence(total, params, any_signal=bool(found)),
        signals=_to_found_signals(found),
    )


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
    return sum(map(matcher.is_known, plain)) >= known_from * len(plain)


def _to_found_signals(found: tuple[Signal, ...]) -> tuple[FoundSignal, ...]:
    return tuple(
        FoundSignal(name=signal.name, weight=round(signal.weight, 2), matched=signal.matched) for signal in found
    )


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
    """Score length, joined parts, listed items, sentences and names."""
    count, names = len(text.words), sum(text.is_name)
    measures = (
        ("length", count - shape.free_words, shape.per_word, shape.words_cap, f"{count} words"),
        ("joined parts", joined, shape.per_joiner, shape.joiners_cap, f"{joined} joining words"),
        ("commas", text.commas - 1, shape.per_comma, shape.commas_cap, f"{text.commas} commas"),
        ("listed items", text.items, shape.per_item, shape.items_cap, f"{text.items} items"),
        ("sentences", text.sentences - 1, shape.per_sentence, shape.sentences_cap, f"{text.sentences} sentences"),
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
    finder: MentionFinder | None = None
    for name, group in lexicon.groups.items():
        if name not in found:
            continue
        real = _filter_by_position(group, questions.get(name, found[name]), places)
        if group.kind == "incident":
            finder = finder or _build_mention_finder(text, found)
            real, mentioned = finder.split_mentions(real, group)
            if mentioned:
                yield Signal("mention", 0, _join_phrases([match.phrase for match in mentioned]))
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


def _build_mention_finder(text: TokenizedText, found: Matches) -> MentionFinder:
    lists = (MENTION, CREATION, MENTION_END, COMPOUND)
    return MentionFinder(
        text, MentionMarks(*(frozenset(match.position for match in found.get(name, ())) for name in lists))
    )


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


class MentionMarks(NamedTuple):
    """Indexes of words that make a mention of an incident's words.

    Attributes:
        openings: "when", "explain" and similar: the rest of their clause is a mention.
        creations: "add a", "write a" and similar: states in the rest of their clause are mentions.
        ends: "but", "because" and similar, which end it before the clause ends.
        compounds: words that make a name of the noun directly before them ("breach detector").
    """

    openings: frozenset[int]
    creations: frozenset[int]
    ends: frozenset[int]
    compounds: frozenset[int]


class MentionFinder:
    """Finder of mentions in one query.

    Args:
        text: the query.
        marks: the marks in it.
    """

    def __init__(self, text: TokenizedText, marks: MentionMarks) -> None:
        self._text = text
        self._compounds = marks.compounds
        self._quoted = text.quoted if len(text.quoted) < len(text.words) else frozenset[int]()
        self._open = tuple(_follow(text, marks.openings, marks.ends))
        self._created = tuple(_follow(text, marks.creations, marks.ends))

    def split_mentions(
        self, incidents: Iterable[PhraseMatch], group: WordGroup
    ) -> tuple[list[PhraseMatch], list[PhraseMatch]]:
        """Split the words of incidents of a group into those that report one and those that only mention it."""
        split: tuple[list[PhraseMatch], list[PhraseMatch]] = ([], [])
        for incident in incidents:
            split[self.is_mention(incident, group)].append(incident)
        return split

    def is_mention(self, incident: PhraseMatch, group: WordGroup) -> bool:
        """Return whether the words of an incident are only mentioned.

        Args:
            incident: the words of an incident.
            group: their group.
        """
        at, end = incident.position, incident.position + incident.length
        if self._open[at] or at in self._quoted or (group.state and self._created[at]):
            return True
        return group.noun and end in self._compounds and self._text.clause[end] == self._text.clause[at]


def _follow(text: TokenizedText, openings: frozenset[int], ends: frozenset[int]) -> Iterator[bool]:
    """Yield for each word whether an opening is before it in its clause, with no end between."""
    clause, is_open = -1, False
    for at, own in enumerate(text.clause):
        if own != clause or at in ends:
            clause, is_open = own, False
        yield is_open
        is_open = is_open or at in openings


TOOL = Tool(
    name="complexity.assess",
    title="Assess complexity",
    description=(
        "Assess the complexity of a query as SIMPLE, MEDIUM, COMPLEX or CRITICAL, by an additive score over its words, "
        "scope, constraints, structure and question type, with the signals that count. Only whole words match; a "
        "hypothetical incident does not count; a query in an unknown language is MEDIUM with low confidence."
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
                "openers": ["please"],
                "words": [
                    {"name": "lookup", "kind": "question", "at": "start", "weight": -8, "cap": -8, "words": ["what is"]}
                ],
                "mentions": ["if"],
                "structure": {
                    "free_words": 14, "per_word": 0.35, "words_cap": 12, "joiners": ["and"], "per_joiner": 3,
                    "joiners_cap": 12, "per_comma": 2.5,
                    "commas_cap": 10, "per_item": 5, "items_cap": 20, "per_sentence": 2.5, "sentences_cap": 10,
                    "per_name": 1, "names_cap": 4,
                },
                "language": {"known_from": 0.3, "confidence": 0.2, "words": ["a", "the"]},
                "confidence": {"certain_margin": 10, "least": 0.5, "without_signals": 0.35},
            },
        ),
    ),
    params=Params,
)  # fmt: skip
