"""Query parser: terms, identifiers, required phrases, locations; any text is valid."""

from __future__ import annotations

import re
from typing import NamedTuple

from aurora.memory.text_index.tokenizer import expand_identifier, find_identifiers, stem_word

MAX_LENGTH = 2000
"""Characters of a query that are read; a pasted page is clear by then."""
MAX_TRACE_LENGTH = 20_000
"""Characters that are searched for locations: the end of a traceback is the most specific part."""
MAX_TERMS = 32

_PHRASE = re.compile(r'"([^"\n]{2,200})"')
_BACKTICKED = re.compile(r"`([^`\n]{1,200})`")
# dotted or scoped names, calls, snake_case, camelCase, ALL_CAPS with an underscore
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*(?:\(\))?")
_CODE_LIKE = re.compile(r"_|\.|::|#|\(\)|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SCOPES = re.compile(r"::|#")
# web/app.py:12, app.rb:12:in, File "web/app.py", line 12, app.ts(12,5), app.cs:line 12
_LOCATION = re.compile(r"([\w.@+~/\\-]+\.\w+)(?::|\", line |:line |\()(\d{1,7})\b")
_TESTING = re.compile(r"\b(?:tests?|testing|tested|pytest|unittest|specs?|fixtures?|mock(?:s|ed)?)\b", re.IGNORECASE)

# Stop words of questions.
_STOP_WORD_TEXT = """
a about after all also am an and any are as at be because been before being but by can could did do does doing
done each either else ever every explain find for from get gets give given had has have having he her here him
his how i if in into is it its itself just let like made make makes many me more most much must my no nor not
now of off on once one only or other our out over own please same she should show so some still such tell than
that the their them then there these they this those through to too up us use used uses using very via was way
we were what when where whether which while who whom whose why will with within without would you your
"""
_STOP_WORDS = frozenset(_STOP_WORD_TEXT.split())


class Query(NamedTuple):
    """Parsed query.

    Attributes:
        text: the text to embed.
        terms: distinct words in lower case, identifiers with their parts.
        words: the same stemmed, as in the index, distinct.
        spelt: identifiers that look like code, or are the whole query, unchanged.
        names: the same in lower case: `read_line`, `file.readline`.
        phrases: required phrases, in lower case.
        only_phrases: True when the query consists of phrases only.
        places: locations as in compiler messages and tracebacks: each path and its suffixes, and the line.
        about_tests: True when the query mentions tests, so that test files have no penalty.
        only_names: True when the query consists of names only.
    """

    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    spelt: tuple[str, ...]
    names: tuple[str, ...]
    phrases: tuple[str, ...]
    only_phrases: bool
    places: tuple[tuple[str, int], ...]
    about_tests: bool
    only_names: bool


def parse_query(text: str) -> Query:
    """Parse a query; only double quotes and backticks are syntax."""
    text = text[:MAX_TRACE_LENGTH].encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    places, text = _extract_locations(text), text[:MAX_LENGTH]
    phrases = tuple(dict.fromkeys(found.lower().strip() for found in _PHRASE.findall(text) if found.strip()))
    terms, spelt = _extract_terms(text), _extract_names(text)
    names = tuple(dict.fromkeys(name.casefold() for name in spelt))
    of_names = {word for name in names for part in find_identifiers(name) for word in expand_identifier(part)}
    return Query(
        text=text.strip(),
        terms=terms,
        words=tuple(dict.fromkeys(map(stem_word, terms))),
        spelt=spelt,
        names=names,
        phrases=phrases,
        only_phrases=_STOP_WORDS.issuperset(_extract_terms(_PHRASE.sub(" ", text))),
        places=places,
        about_tests=bool(_TESTING.search(text)),
        only_names=bool(names) and of_names.issuperset(terms),
    )


def _extract_terms(text: str) -> tuple[str, ...]:
    words = [word for identifier in find_identifiers(text) for word in expand_identifier(identifier)]
    specific = [word for word in words if word not in _STOP_WORDS and (len(word) > 1 or not word.isascii())]
    return tuple(dict.fromkeys(specific or words))[:MAX_TERMS]


def _extract_names(text: str) -> tuple[str, ...]:
    quoted = [name for quotation in _BACKTICKED.findall(text) for name in _NAME.findall(quotation)]
    candidates = _NAME.findall(text)
    alone = candidates if len(text.split()) == 1 else []
    names = [*quoted, *alone, *filter(_CODE_LIKE.search, candidates)]
    plain = (_SCOPES.sub(".", name).removesuffix("()") for name in names)
    return tuple(dict.fromkeys(plain))[:MAX_TERMS]


def _extract_locations(text: str) -> tuple[tuple[str, int], ...]:
    locations: dict[tuple[str, int], None] = {}
    for path, line in _LOCATION.findall(text)[-MAX_TERMS:]:
        parts = path.replace("\\", "/").split("/")
        for start in range(len(parts)):
            if suffix := "/".join(parts[start:]):
                locations[suffix, int(line)] = None
    return tuple(locations)
