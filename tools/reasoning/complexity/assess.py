"""`complexity.assess`: complexity of a query by an additive score of signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.text import TokenizedText, tokenize_text

from .groups import Signal
from .lexicon import compile_lexicon
from .params import Level, Params
from .signals import find_signals

if TYPE_CHECKING:
    from aurora.tools.core import Context

    from .phrases import PhraseMatcher


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
