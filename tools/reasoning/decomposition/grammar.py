"""Clauses of English questions, and forms of one word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from aurora.tools.text import stem_words, tokenize_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_MIN_PREFIX = 4
"""Letters that two forms of a word have in common at least, as "grow" and "growth"."""

_MIN_CONTAINED = 5
"""Letters of a word within another one, as "healthy" in "unhealthy"."""

_SAME_PREFIX = 0.75
"""Share of the longer word that two forms have in common, as "atomically" and "atomicity"."""

_IRREGULAR = {
    "bound": "bind",
    "broken": "break",
    "built": "build",
    "caught": "catch",
    "chosen": "choose",
    "drawn": "draw",
    "driven": "drive",
    "fell": "fall",
    "found": "find",
    "given": "give",
    "held": "hold",
    "hidden": "hide",
    "kept": "keep",
    "lost": "lose",
    "made": "make",
    "meant": "mean",
    "paid": "pay",
    "ran": "run",
    "sent": "send",
    "shown": "show",
    "taken": "take",
    "thrown": "throw",
    "threw": "throw",
    "woken": "wake",
    "written": "write",
}
"""Irregular forms of verbs that questions about code have."""


def has_form(term: str, others: Collection[str]) -> bool:
    """Return whether a stem or another form of it is among others, as "sent" and "send"."""
    if term in others:
        return True
    plain = _IRREGULAR.get(term, term)
    return any(_is_form(plain, _IRREGULAR.get(other, other)) for other in others)


def is_covered(term: str, covered: Collection[str]) -> bool:
    """Return whether a term, each part of a name, or another form of a word is covered."""
    return term in covered or stem_words(term) <= {*covered} or has_form(term, covered)


def _is_form(one: str, other: str) -> bool:
    """Return whether two stems have one origin.

    One begins or contains the other, or most of their first letters are the same.
    """
    short, long = sorted((one, other), key=len)
    if len(short) < _MIN_PREFIX:
        return short == long
    is_main = len(short) >= _MIN_CONTAINED and 2 * len(short) >= len(long)  # not "client" in "wsclienterror"
    if long.startswith(short) or (is_main and short in long):
        return True
    least = max(_MIN_PREFIX, ceil(_SAME_PREFIX * len(long)))
    return len(short) >= least and short[:least] == long[:least]


_REFUSAL = re.compile(
    r"\b(?:don't|do not|doesn't|does not|needn't|need not)\s+(?:want|need|have to|wish)\b", re.IGNORECASE
)

_MAX_HEADING = 3
"""Words of a title before a colon."""

_LEAD = frozenset(
    {
        *("and", "but", "so", "also", "then", "please", "first", "second", "third", "finally", "secondly", "ok"),
        *("afterwards", "lastly", "pls", "plz", "additionally", "besides", "or", "thirdly", "firstly", "furthermore"),
    }
)
"""Words before a clause that do not change what it is."""

_INVERTED = frozenset(
    {"is", "are", "was", "were", "do", "does", "did", "can", "could", "would", "should", "will", "has"}
)
"""Auxiliaries that begin a question."""

_PRONOUNS = frozenset(
    {
        *("i", "we", "you", "he", "she", "it", "they", "there", "that", "this", "these", "those", "who", "my", "our"),
        *("i'm", "i've", "we're", "we've", "it's", "there's", "that's", "they're"),
    }
)
"""Words that begin a statement within a sentence; an article there begins an item of a list."""

_POLITE = frozenset(
    {*_LEAD, "just", "now", "next", "kindly", "let", "let's", "us", "can", "could", "would", "you", "to"}
)
"""Words before the verb of a request."""

_BEFORE_QUESTIONS = frozenset({"in", "on", "to", "under", "through", "within", "and"})
"""Prepositions that begin no statement of work, and so are none of the tool's setting."""

_EXAMPLE = re.compile(r"\s*(?:e\.g\.|i\.e\.|for (?:example|instance)\b|such as\b)", re.IGNORECASE)

_RELATIVE = re.compile(r"\s*(?:which|who) (?:is|are|was|were|has|have|had|means|makes)\b", re.IGNORECASE)

_RELATIVE_OBJECT = re.compile(r"\s*which (?:our|we|the|they|my|i|it|you|he|she|your|their)\b", re.IGNORECASE)

_POSSESSIVES = frozenset({"ours", "mine", "theirs", "his", "hers", "yours", "our", "your", "their", "its"})

_COURTESY = frozenset(
    {"sorry", "thanks", "thank", "you", "cheers", "please", "pls", "advance", "in", "regards", "best"}
)

_CONTRACTED = frozenset({"what", "how", "where", "why", "who", "when"})

_SUMMARIES = frozenset({"feature", "request", "bug", "issue", "problem", "question", "summary", "title", "context"})
"""Words of a heading whose sentence is told in detail after it."""

_BACK = re.compile(
    r"\b(?:do|does|did|done|doing)\s+(?:that|this|so)\b(?=\s*(?:$|[,.;?!]|as well|too|again|yet|for|in|on|with))",
    re.IGNORECASE,
)

_NEGATIONS = frozenset({"no", "not", "never", "nothing", "without"})

_MODIFIERS = frozenset({"like", "unlike", "than", "such", "whatever", "whichever", "however", "wherever", "whoever"})

_REASONS = frozenset({"because", "since", "although"})

_DEMAND = re.compile(
    r"\b(?:ha(?:s|ve) to|ought to|(?:would|will) (?:help|be (?:great|nice|good|helpful))|mustn't|nothing may)\b",
    re.IGNORECASE,
)

_WISH = re.compile(r"\b((?:i|we)'d|would) (?:also|really) like\b", re.IGNORECASE)

_PERMISSION = re.compile(r"\b(?:is|are) (?:ok|okay|fine|enough|optional|welcome)\b", re.IGNORECASE)

_INDIRECT = re.compile(
    r"\b(?:wonder\w*|understand|know|sure|clear|curious|explain|figure out|find out)\s+"
    r"(?:how|why|where|when|which|what|who|whether|if)\b",
    re.IGNORECASE,
)

_OBJECTS = frozenset({"it", "them", "the", "a", "an", "this", "these", "its", "their", "each", "every", "all"})
"""Words after a verb that begins a request, as in "remember it"."""

_GREETINGS = frozenset({"hello", "hi", "hey", "dear", "thanks", "thank"})

_NO_VERB = re.compile(
    r"[\W\d]|.*(?:ly|ing|ed|day|times)$|(?:found|got|saw|had|often|maybe|perhaps|again|here|even|half|both|same|only|once|"
    r"under|over|behind|against|near|inside|outside|despite|within|through|across|around|among|beyond|upon|via|per|plus|"
    r"besides|except|until|till|during|about)$"
)
"""Word that begins no request although an article follows, as "yesterday the server stopped"."""

_MAX_FRAGMENT = 12

_STATED = _PRONOUNS | _INVERTED | {"have", "had", "be", "been", "may", "might", "must", "never", "not", "no"}
"""Words of a sentence with a verb, or of one that asks for nothing."""

_CONTINUED = frozenset({"and", "plus", "also", "same", "likewise", "ditto"})
"""Words that begin a sentence which continues the request before it: "And a test that fails before the fix."."""


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
        prepositions: words before a question word, as in "for which".
        reasons: words that begin a clause which only says why or what for.
        things: things that a query may ask to be delivered, such as tests.
        ignore: words that are no terms.
    """

    joiners: tuple[str, ...]
    questions: frozenset[str] = frozenset()
    auxiliaries: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    contexts: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    things: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()


def begins_question(text: str, words: ClauseWords) -> bool:
    """Return whether a part begins with a question word, also after a preposition."""
    said = _drop_lead(text)
    if not said:
        return False
    asked = words.questions - words.contexts
    has_word = said[0] in asked or (said[1:] and said[1] in asked and said[0] in words.prepositions | _BEFORE_QUESTIONS)
    is_when = said[0] in words.questions and said[1:2] != () and (said[1] in words.auxiliaries or said[1] == "to")
    return bool(has_word or is_when)


def begins_relative(text: str) -> bool:
    """Return whether a part that asks no question begins with a relative clause: "which is fair enough"."""
    return _RELATIVE.match(text) is not None


def begins_relative_object(text: str) -> bool:
    """Return whether a part begins with a relative clause in any sentence: "which our team forbids"."""
    return _RELATIVE_OBJECT.match(text) is not None


def is_inverted(text: str) -> bool:
    """Return whether a part begins with an auxiliary, as a question does: "is it the same"."""
    said = _drop_lead(text)
    return len(said) > 1 and said[0] in _INVERTED


def demands(text: str, words: ClauseWords) -> bool:
    """Return whether a part says that something is wanted."""
    return not words.asks.isdisjoint(tokenize_text(text).words) or _DEMAND.search(text) is not None


def is_thing(text: str, words: ClauseWords) -> bool:
    """Return whether a part only names a thing to deliver: "Tests", "docs in the README"."""
    said = _drop_lead(text)
    is_whole = len(said) == 1 or (len(said) > 1 and (said[1] in words.prepositions or said[1] in {"in", "next", "on"}))
    return is_whole and said[0] in words.things


def _split_contractions(words: Sequence[str]) -> tuple[str, ...]:
    """Split "what's" into a question word and its auxiliary."""
    said: list[str] = []
    for word in words:
        first, mark, _ = word.partition("'")
        said += [first, "is"] if mark and first in _CONTRACTED else [word]
    return tuple(said)


def _drop_lead(text: str) -> tuple[str, ...]:
    """Return the words of a part without those that only lead to it."""
    said = _split_contractions(tokenize_text(text).words)
    while said and said[0] in _LEAD:
        said = said[1:]
    return tuple(said)


def is_heading(part: str, sentence: str, words: ClauseWords) -> bool:
    """Return whether a part is a title before a colon, such as "Security review: …" or "Refactor: …"."""
    said = tokenize_text(part).words
    is_title = len(said) == 1 or not begins_request(part, words)
    is_short = len(said) <= _MAX_HEADING and words.questions.isdisjoint(said) and is_title
    return is_short and sentence.lstrip().startswith(f"{part}: ")


def begins_clause(text: str, words: ClauseWords) -> bool:
    """Return whether a part begins a clause: a question word, a request, or a word with its object."""
    said = _split_contractions(tokenize_text(text).words)
    if any(word in words.questions for word in said[:2]) or begins_request(text, words):
        return True
    return len(said) > 1 and said[0] not in words.ignore and said[1] in _OBJECTS


def begins_request(text: str, words: ClauseWords) -> bool:
    """Return whether a part begins with a verb: a known one, or any word before an object."""
    said = [word for word in tokenize_text(text).words if word not in _POLITE]
    if not said or said[0] in words.verbs:
        return bool(said)
    known = (words.ignore, words.subjects, words.contexts, words.questions, words.prepositions, _GREETINGS)
    is_verb = not any(said[0] in some for some in known) and _NO_VERB.match(said[0]) is None
    return is_verb and said[1:2] != [] and said[1] in _OBJECTS


def asks_indirectly(text: str) -> bool:
    """Return whether a part has an indirect question: "I wonder why …"."""
    return _INDIRECT.search(text) is not None


def summarizes(heading: str) -> bool:
    """Return whether what follows a heading is told in detail later: "Feature request: …"."""
    return not _SUMMARIES.isdisjoint(tokenize_text(heading).words)


def continues(text: str) -> bool:
    """Return whether a sentence begins with "and" and no subject: "And a test that fails before"."""
    said = tokenize_text(text).words
    return said[:1] != () and said[0] in _CONTINUED and _PRONOUNS.isdisjoint(said[1:2])


def narrates(text: str, words: ClauseWords) -> bool:
    """Return whether a part tells what the person does: "I edit a docstring", not "I need a test"."""
    said = tokenize_text(text).words
    return said[:1] != () and said[0] in {"i", "we"} and not demands(text, words) and not asks_indirectly(text)


def names_things(text: str, words: ClauseWords) -> bool:
    """Return whether a sentence has no verb and names a thing to deliver: "Unit tests too"."""
    said = tokenize_text(text).words
    return len(said) <= _MAX_FRAGMENT and not words.things.isdisjoint(said) and _STATED.isdisjoint(said)


def normalize_wishes(text: str) -> str:
    """Write "I'd also like" as "I'd like", so that it is not split."""
    return _WISH.sub(r"\1 like", text)


def begins_condition(text: str, words: ClauseWords) -> bool:
    """Return whether a part only says when something happens, and does not ask when."""
    said = tokenize_text(text).words
    return said[:1] != () and said[0] in words.contexts and not (said[1:2] and said[1] in words.auxiliaries)


def is_aside(text: str, words: ClauseWords) -> bool:
    """Return whether a part is no work of its own.

    It is courtesy or an example, has its meaning from another one ("fix that as well"), gives a reason, states
    something without a demand, or says what is not wanted.
    """
    said = _drop_lead(text)
    if _COURTESY.issuperset(said) or _EXAMPLE.match(text):
        return True
    is_asked = demands(text, words) or asks_indirectly(text)
    is_stated = said[0] in _PRONOUNS | _NEGATIONS | _MODIFIERS and not is_asked and not begins_question(text, words)
    is_told = _gives_reason(text, said, words) or is_stated or refers_back(text, words)
    return is_told or bool(_REFUSAL.search(text) or _PERMISSION.search(text))


def _gives_reason(text: str, said: Sequence[str], words: ClauseWords) -> bool:
    """Return whether a part says why: "because we have scripts", "as ours takes 8 seconds"."""
    is_as = said[0] == "as" and not _PRONOUNS.union(_POSSESSIVES).isdisjoint(said[1:2])
    return is_as or said[0] in _REASONS or (bool(words.reasons) and text.lower().startswith(words.reasons))


def refers_back(text: str, words: ClauseWords) -> bool:
    """Return whether a part has its meaning from the one before: "fix that as well"."""
    said = _drop_lead(text)
    is_pointer = len(said) > 1 and begins_request(text, words) and all(word in words.ignore for word in said[1:])
    return is_pointer or _BACK.search(text) is not None
