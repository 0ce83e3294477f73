"""Splitter of a query at commas, full stops and joining words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.tools.text import QUOTED_NAME, Terms, extract_terms, tokenize_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_STOP = r"[.;?!]+(?=\s|$)|[\u3002\uff01\uff1b\uff1f\n]+"
"""Marks that end a sentence: western ones before a space, Chinese and Japanese ones anywhere."""
_PAUSE = r"[.,;:?!]+(?=\s|$)|[\u3001\u3002\uff01\uff0c\uff1b\uff1f\n]+"
_SENTENCE = re.compile(rf"(?:(?!{_STOP}).)*(?:{_STOP}|\Z)", re.DOTALL)

_PARENTHESES = re.compile(r"\([^()\n]{1,200}\)")
_REFUSAL = re.compile(
    r"\b(?:don't|do not|doesn't|does not|needn't|need not)\s+(?:want|need|have to|wish)\b", re.IGNORECASE
)
_MAX_HEADING = 3
"""Words of a title before a colon."""
_OBJECTS = frozenset({"it", "them", "the", "a", "an", "this", "these", "its", "their", "each", "every", "all"})
"""Words after a verb that begins a request, as in "remember it"."""


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """Words that show how the parts of a query belong together, in lower case.

    Attributes:
        joiners: words that split a sentence.
        questions: question words, which begin a clause.
        auxiliaries: words that follow a question word in a question.
        verbs: verbs that begin a request.
        asks: words of a sentence that asks for something without a question word.
        subjects: words that begin a statement: "We run eight workers" requests nothing, "Run eight workers" does.
        contexts: words that begin a clause which only says when something happens.
        reasons: words that begin a clause which only says why.
        ignore: words that are no terms.
    """

    joiners: tuple[str, ...]
    questions: frozenset[str] = frozenset()
    auxiliaries: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    contexts: frozenset[str] = frozenset()
    reasons: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a query.

    Attributes:
        text: its words as they are written.
        terms: its terms.
        begins: whether it begins a clause, rather than continue the one before it.
        is_context: whether it only tells the circumstances of what the query asks for.
        is_request: whether its sentence requests a change, rather than ask a question.
    """

    text: str
    terms: Terms
    begins: bool = True
    is_context: bool = False
    is_request: bool = False


@dataclass(slots=True)
class _Sentence:
    """Sentence with its parts while they are read."""

    asks: bool
    is_request: bool
    parts: list[Part] = field(default_factory=list)


def split_query(query: str, words: ClauseWords) -> list[Part]:
    """Split a query into parts; neither a quotation nor what is in parentheses is split.

    A sentence that asks for nothing is context when another one asks, and so is a clause such as "when it fails"
    before what is asked for.
    """
    quotes: list[str] = []

    def store_quote(quote: re.Match[str]) -> str:
        quotes.append(quote[0])
        return f"\0{len(quotes) - 1}\0"

    stored = _PARENTHESES.sub(store_quote, QUOTED_NAME.sub(store_quote, query.replace("\0", " ")))
    sentences = [_read_sentence(one[0], quotes, words) for one in _SENTENCE.finditer(stored) if one[0].strip()]
    has_asks = any(sentence.asks for sentence in sentences)
    return [part for sentence in sentences for part in _mark_context(sentence, words, has_asks=has_asks)]


def merge_parts(parts: Iterable[Part], least: int) -> list[Terms]:
    """Merge the terms of each part with fewer than `least` into the part before it."""
    made: list[Terms] = []
    for part in parts:
        if made and (_count_terms(part.terms) < least or _count_terms(made[-1]) < least):
            made.append(join_terms((made.pop(), part.terms)))
        else:
            made.append(part.terms)
    return [terms for terms in made if _count_terms(terms)]


def join_terms(many: Iterable[Terms]) -> Terms:
    """Join the words and names of several texts."""
    words: dict[str, str] = {}
    names: dict[str, None] = {}
    for one in many:
        words |= one.words
        names |= dict.fromkeys(one.names)
    return Terms(words, tuple(names))


def merge_clauses(parts: Sequence[Part]) -> list[Part]:
    """Merge each part that continues a clause into the part before it."""
    made: list[Part] = []
    for part in parts:
        if made and not part.begins and made[-1].is_context == part.is_context:
            last = made.pop()
            terms = join_terms((last.terms, part.terms))
            made.append(replace(last, text=f"{last.text} {part.text}", terms=terms))
        else:
            made.append(part)
    return [part for part in made if _count_terms(part.terms)]


def _read_sentence(text: str, quotes: Sequence[str], words: ClauseWords) -> _Sentence:
    found: list[Part] = []
    for piece in _compile_splitter(words.joiners).split(text):
        whole = _restore_quotes(piece, quotes).strip()
        if whole:
            found.append(Part(whole, extract_terms(whole, words.ignore), not found or _begins_clause(whole, words)))
    if len(found) > 1 and _is_heading(found[0].text, text, words):
        found[:2] = [replace(found[0], is_context=True), replace(found[1], begins=True)]
    said = frozenset(tokenize_text(text).words)
    is_question = "?" in text or not said.isdisjoint(words.questions - words.contexts)
    is_statement = not words.subjects.isdisjoint(tokenize_text(text).words[:1])
    begins = not is_statement and any(_begins_request(part.text, words) for part in found)
    requests = begins or not said.isdisjoint(words.asks)
    return _Sentence(is_question or requests, requests and not is_question, found)


def _restore_quotes(text: str, quotes: Sequence[str]) -> str:
    """Put the quotations back, also those in parentheses."""
    while (restored := re.sub("\0(\\d+)\0", lambda mark: quotes[int(mark[1])], text)) != text:
        text = restored
    return text


def _mark_context(sentence: _Sentence, words: ClauseWords, *, has_asks: bool) -> Iterator[Part]:
    is_context = has_asks and not sentence.asks
    others = sum(part.begins for part in sentence.parts)
    for at, part in enumerate(sentence.parts):
        is_condition = at == 0 and others > 1 and _begins_condition(part.text, words)
        begins = part.begins or sentence.is_request
        is_aside = part.is_context or is_context or is_condition or _is_aside(part.text, words)
        yield Part(part.text, part.terms, begins, is_aside, sentence.is_request)


def _is_heading(part: str, sentence: str, words: ClauseWords) -> bool:
    """Return whether a part is a title before a colon, such as "Security review: …"."""
    said = tokenize_text(part).words
    is_short = len(said) <= _MAX_HEADING and words.questions.isdisjoint(said) and not _begins_request(part, words)
    return is_short and sentence.lstrip().startswith(f"{part}: ")


def _begins_clause(text: str, words: ClauseWords) -> bool:
    said = tokenize_text(text).words
    if any(word in words.questions for word in said[:2]) or _begins_request(text, words):
        return True
    return len(said) > 1 and said[0] not in words.ignore and said[1] in _OBJECTS


def _begins_request(text: str, words: ClauseWords) -> bool:
    every = tokenize_text(text).words
    said = [word for word in every if word not in words.ignore or word in words.verbs]
    return said[:1] != [] and said[0] in words.verbs and every[0] not in words.subjects


def _begins_condition(text: str, words: ClauseWords) -> bool:
    said = tokenize_text(text).words
    return said[:1] != () and said[0] in words.contexts and not (said[1:2] and said[1] in words.auxiliaries)


def _is_aside(text: str, words: ClauseWords) -> bool:
    """Return whether a part is no work of its own.

    It has its meaning from another one ("How does it do that?"), gives a reason ("because we have scripts"), or says
    what is not wanted.
    """
    refers_back = re.search(r"\b(?:do|does|did|done|doing)\s+(?:that|this|so)\b", text, re.IGNORECASE)
    is_reason = not words.reasons.isdisjoint(tokenize_text(text).words[:1])
    return bool(refers_back) or is_reason or _REFUSAL.search(text) is not None


def _count_terms(terms: Terms) -> int:
    return len(terms.words) + len(terms.names)


@lru_cache(maxsize=8)
def _compile_splitter(joiners: tuple[str, ...]) -> re.Pattern[str]:
    words = "".join(rf"|(?<![\w/])\b{re.escape(joiner)}\b(?![\w/])" for joiner in joiners)
    return re.compile(_PAUSE + words, re.IGNORECASE)
