"""Parts of a query: what it asks for, and what only tells the circumstances."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from aurora.tools.text import QUOTED_NAME, Terms, extract_terms, list_terms, tokenize_text

from .grammar import (
    ClauseWords,
    asks_indirectly,
    begins_clause,
    begins_condition,
    begins_question,
    begins_relative,
    begins_relative_object,
    begins_request,
    continues,
    demands,
    is_aside,
    is_heading,
    is_inverted,
    is_thing,
    names_things,
    narrates,
    normalize_wishes,
    refers_back,
    summarizes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PARENTHESES = re.compile(r"\([^()\n]{1,200}\)")

_MOST_TRIED = 50
"""Places of a query at which one part is looked for: of a query that repeats a word for ever, not all."""


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a query.

    Attributes:
        text: its words as they are written.
        terms: its terms.
        begins: whether it begins a clause, rather than continue the one before it.
        is_context: whether it only tells the circumstances of what the query asks for.
        is_request: whether its sentence requests a change, rather than ask a question.
        span: the positions of its first term and after its last among the terms of the query; None if unknown.
    """

    text: str
    terms: Terms
    begins: bool = True
    is_context: bool = False
    is_request: bool = False
    span: tuple[int, int] | None = None


@dataclass(slots=True)
class _Sentence:
    """Sentence with its parts while they are read.

    Attributes:
        asks: whether it asks a question, or requests or demands something.
        is_request: whether it requests or demands a change.
        is_imperative: whether a part begins with the verb of a request.
        is_summary: whether others tell it in detail.
    """

    text: str
    asks: bool
    is_request: bool
    is_imperative: bool
    is_summary: bool
    parts: list[Part] = field(default_factory=list)


def split_query(query: str, words: ClauseWords) -> list[Part]:
    """Split a query into parts; neither a quotation nor what is in parentheses is split.

    Only what is recognized as a question or a request is asked for: a question, an imperative, a demand ("should",
    "has to"), or an item of a list. The rest is context when anything is asked for, and so is a clause such as "when it
    fails" before it, the sentence that leads to a list, and code in a block.
    """
    quotes: list[str] = []

    def store_quote(quote: re.Match[str]) -> str:
        quotes.append(quote[0])
        return f"\0{len(quotes) - 1}\0"

    plain = mark_lists(drop_code_blocks(normalize_wishes(query.replace("\0", " "))))
    stored = _PARENTHESES.sub(store_quote, QUOTED_NAME.sub(store_quote, plain))
    sentences = [_read_sentence(one, quotes, words) for one in split_sentences(stored)]
    for before, sentence in pairwise(sentences):
        _continue_request(before, sentence, words)
    if any(sentence.asks and not sentence.is_summary for sentence in sentences):
        for sentence in sentences:
            sentence.asks = sentence.asks and not sentence.is_summary
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


def locate_parts(parts: Iterable[Part], order: Sequence[str], ignore: frozenset[str]) -> list[Part]:
    """Add to each part its span in the terms of the query, in which the parts have their order."""
    located = []
    start = 0
    firsts = defaultdict(list)
    for at, term in enumerate(order):
        firsts[term].append(at)
    for part in parts:
        terms = list_terms(part.text, ignore)
        nearest = islice((at for at in firsts[terms[0]] if at >= start), _MOST_TRIED) if terms else ()
        found = next((at for at in nearest if tuple(order[at : at + len(terms)]) == terms), None)
        if found is None:
            located.append(part)
        else:
            start = found + len(terms)
            located.append(replace(part, span=(found, start)))
    return located


def find_sequence(terms: Sequence[str], order: Sequence[str], start: int) -> int | None:
    """Find the first position from `start` on at which terms follow each other; None if they never do."""
    wanted = tuple(terms)
    last = len(order) - len(wanted)
    return next((at for at in range(start, last + 1) if tuple(order[at : at + len(wanted)]) == wanted), None)


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
            span = (last.span[0], part.span[1]) if last.span and part.span else last.span or part.span
            made.append(replace(last, text=f"{last.text} {part.text}", terms=terms, span=span))
        else:
            made.append(part)
    return [part for part in made if _count_terms(part.terms)]


def _read_sentence(sentence: Sentence, quotes: Sequence[str], words: ClauseWords) -> _Sentence:
    found = _read_parts(sentence, quotes, words)
    said = [part.text for part in found if not part.is_context]
    is_question = "?" in sentence.text or any(begins_question(text, words) for text in said)
    is_question = is_question or (said[:1] != [] and is_inverted(said[0]))
    is_statement = not words.subjects.isdisjoint(tokenize_text(sentence.text).words[:1])
    is_narrated = any(narrates(text, words) for text in said)
    begins = not is_statement and any(begins_request(text, words) for text in (said[:1] if is_narrated else said))
    requests = begins or sentence.is_item or any(demands(text, words) or is_thing(text, words) for text in said)
    asks = is_question or requests or any(asks_indirectly(text) for text in said)
    is_told = len(said) < len(found) and "?" not in sentence.text and not any(demands(text, words) for text in said)
    is_summary = sentence.is_lead or (is_told and summarizes(found[0].text))
    return _Sentence(sentence.text, asks, requests and not is_question, begins and not is_question, is_summary, found)


def _read_parts(sentence: Sentence, quotes: Sequence[str], words: ClauseWords) -> list[Part]:
    """Read the parts of a sentence; a title, and what only leads to a question, are context."""
    found: list[Part] = []
    for piece in split_clauses(sentence.text, words.joiners, words.reasons, words.verbs):
        whole = _restore_quotes(piece, quotes).strip()
        if whole:
            found.append(Part(whole, extract_terms(whole, words.ignore), not found or begins_clause(whole, words)))
    if (lead := _find_lead(found, quotes, sentence.text, words)) is not None:
        found[: lead + 1] = [replace(part, is_context=True) for part in found[: lead + 1]]
    elif len(found) > 1 and is_heading(found[0].text, sentence.text, words):
        found[:2] = [replace(found[0], is_context=True), replace(found[1], begins=True)]
    return found


def _find_lead(parts: Sequence[Part], quotes: Sequence[str], sentence: str, words: ClauseWords) -> int | None:
    """Find the part before a colon that only leads to what is asked for: "we need to understand: which …"."""
    asking = [_asks(part, words) for part in parts]
    if True not in asking[1:]:
        return None
    whole = _restore_quotes(sentence, quotes)
    last = len(asking) - 1 - asking[::-1].index(True)
    return next((at for at, part in enumerate(parts[:last]) if f"{part.text}: " in whole), None)


def _restore_quotes(text: str, quotes: Sequence[str]) -> str:
    """Put the quotations back, also those in parentheses."""
    while (restored := re.sub("\0(\\d+)\0", lambda mark: quotes[int(mark[1])], text)) != text:
        text = restored
    return text


def _mark_context(sentence: _Sentence, words: ClauseWords, *, has_asks: bool) -> Iterator[Part]:
    is_context = has_asks and not sentence.asks
    is_marked = "?" in sentence.text or is_inverted(sentence.text)
    asking_parts = [_asks(part, words) or (is_marked and is_inverted(part.text)) for part in sentence.parts]
    others = sum(part.begins or asks for part, asks in zip(sentence.parts, asking_parts, strict=True))
    first = asking_parts.index(True) if any(asking_parts) else 0
    asking = sentence.parts[first].text if sentence.parts else ""
    is_begun = begins_clause(asking, words) or is_inverted(asking) or asks_indirectly(asking)
    for at, part in enumerate(sentence.parts):
        is_first = at == 0 or any(asking_parts[at + 1 :])
        is_condition = is_first and others > 1 and begins_condition(part.text, words)
        is_topic = at < first and is_begun and not refers_back(asking, words)
        begins = part.begins or sentence.is_imperative
        is_relative = (not is_marked and begins_relative(part.text)) or (at > 0 and begins_relative_object(part.text))
        told = part.is_context or is_relative or is_context or is_condition or is_topic or is_aside(part.text, words)
        yield Part(part.text, part.terms, begins, told, sentence.is_request)


def _asks(part: Part, words: ClauseWords) -> bool:
    return not part.is_context and (
        begins_question(part.text, words)
        or begins_request(part.text, words)
        or demands(part.text, words)
        or asks_indirectly(part.text)
    )


def _continue_request(before: _Sentence, sentence: _Sentence, words: ClauseWords) -> None:
    """Let a sentence that begins with "and", or only names things, ask when the one before it asks."""
    is_continued = continues(sentence.text) or (before.is_request and names_things(sentence.text, words))
    if before.asks and not sentence.asks and is_continued:
        sentence.asks, sentence.is_request = True, before.is_request


def _count_terms(terms: Terms) -> int:
    return len(terms.words) + len(terms.names)


_ABBREVIATED = "".join(rf"(?<!\b{short})" for short in (r"e\.g", r"i\.e", "etc", "vs", "cf", "incl", "resp", "approx"))

_END = rf"(?:{_ABBREVIATED}[.;]|\?|!(?!\s+[a-z]))+(?=\s|$)"
"""A western mark before a space; not that of an abbreviation, nor that of a name such as "reset!"."""

_WIDE_END = r"[\u3002\uff01\uff1b\uff1f\n]+"

_STOP = rf"{_END}|{_WIDE_END}"

_PAUSE = rf"{_END}|[,:]+(?=\s|$)|[\u3001\uff0c]+|{_WIDE_END}"

_SENTENCE = re.compile(rf"(?:(?!{_STOP}).)*(?:{_STOP}|\Z)", re.DOTALL)

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)

_INDENTED = re.compile(r"(?:^|\n)[ \t]*\n((?:(?: {2}|\t)(?![ \t]*(?:[-*\u2022]|\(?\w{1,2}[.)])[ \t])[^\n]*(?:\n|$))+)")

_MARKER = re.compile(r"(?:(?<=\s)|^)\(?(?P<label>[a-z]|\d{1,2})[.)]\s+", re.MULTILINE)

_BULLET = re.compile(r"^[ \t]*[-*\u2022][ \t]+", re.MULTILINE)

_WISHES = re.compile(
    r"\b(?:wish ?list|to-?dos?|expect(?:ed|ations?)|requirements?|what (?:i|we) need|needed|wanted|tasks?)[ \t]*:\s+"
    r"(?P<items>[^.\n]*(?:\.(?!\s)[^.\n]*)*)",
    re.IGNORECASE,
)

_ITEM = "\x01"

_MIN_ITEMS = 2


class Sentence(NamedTuple):
    """Sentence of a query.

    Attributes:
        is_item: whether it begins an item of a list.
        is_lead: whether it leads to a list.
    """

    text: str
    is_item: bool
    is_lead: bool


def drop_code_blocks(query: str) -> str:
    """Drop fenced and indented blocks of code: they request nothing."""
    return _INDENTED.sub("\n", _FENCE.sub("\n", query))


def mark_lists(query: str) -> str:
    """Mark the items of lists, each of which begins a sentence: "1.", "a)", "(b)" in turn, or bullets."""
    found = list(_MARKER.finditer(query))
    labels = [one["label"] for one in found]
    for first in ("1", "a"):
        in_turn = _select_in_turn(found, labels, first)
        if len(in_turn) >= _MIN_ITEMS:
            for one in reversed(in_turn):
                query = f"{query[: one.start()]}\n{_ITEM}{query[one.end() :]}"
            return query
    if len(_BULLET.findall(query)) >= _MIN_ITEMS:
        return _BULLET.sub(_ITEM, query)
    return _WISHES.sub(lambda wishes: f"\n{_ITEM}" + wishes["items"].replace(";", f"\n{_ITEM}"), query)


def split_sentences(text: str) -> list[Sentence]:
    """Split a text, of which the items are marked, into sentences."""
    found = [one[0] for one in _SENTENCE.finditer(text) if one[0].strip().strip(_ITEM)]
    items = [one.lstrip().startswith(_ITEM) for one in found]
    return [
        Sentence(one.replace(_ITEM, ""), item, not item and items[at + 1 : at + 2] == [True])
        for at, (one, item) in enumerate(zip(found, items, strict=True))
    ]


def split_clauses(
    text: str, joiners: tuple[str, ...], reasons: tuple[str, ...], verbs: frozenset[str]
) -> Iterator[str]:
    """Split a sentence at marks, joining words, words that give a reason, and "so" before a verb."""
    return (piece for piece in _compile_splitter(joiners, reasons, verbs).split(text) if piece)


@lru_cache(maxsize=8)
def _compile_splitter(joiners: tuple[str, ...], reasons: tuple[str, ...], verbs: frozenset[str]) -> re.Pattern[str]:
    words = "".join(rf"|(?<![\w/])\b{re.escape(joiner)}\b(?![\w/])" for joiner in joiners)
    before = "".join(rf"|(?<=\s)(?={re.escape(reason)}\b)" for reason in reasons)
    requests = "|".join(map(re.escape, sorted(verbs)))
    so = rf"|\bso\b(?=\s+(?:please\s+)?(?:{requests})\b)" if verbs else ""
    return re.compile(_PAUSE + words + before + so, re.IGNORECASE)


def _select_in_turn(found: list[re.Match[str]], labels: list[str], first: str) -> list[re.Match[str]]:
    """Select the markers whose labels follow each other: 1, 2, 3 or a, b, c."""
    selected: list[re.Match[str]] = []
    due = first
    for one, label in zip(found, labels, strict=True):
        if label == due:
            selected.append(one)
            due = str(int(due) + 1) if due.isdecimal() else chr(ord(due) + 1)
    return selected
