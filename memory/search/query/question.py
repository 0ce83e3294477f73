"""Questions: terms, identifiers, required phrases; only double quotes and backticks are syntax."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.memory.files import find_asked_roles
from aurora.memory.text_index.tokenizer import expand_identifier, find_identifiers, stem_word

from .definitions import DEFINITION_WORDS, extract_defined_names, extract_possible_name
from .locations import extract_locations
from .model import Mentions, Query
from .terms import STOP_WORDS, extract_words, is_specific

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TERMS = 32

_PHRASE = re.compile(r'"([^"\n]{2,200})"')
_BACKTICKED = re.compile(r"`([^`\n]{1,200})`")
# dotted or scoped names, calls, snake_case, camelCase, ALL_CAPS with an underscore
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*(?:\(\))?")
_CODE_LIKE = re.compile(r"_|\.|::|#|\(\)|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SCOPES = re.compile(r"::|#")
_GUIDE = re.compile(
    r"\b(?:guides?|manuals?|recipes?|step by step|my|(?:can|could|do|may|must|shall|should) (?:i|we|you))\b",
    re.IGNORECASE,
)
"""What a person asks who wants to do something, and not to know how the code does it."""


def parse_question(text: str) -> Query:
    """Parse a question."""
    phrases = tuple(dict.fromkeys(found.lower().strip() for found in _PHRASE.findall(text) if found.strip()))
    terms = _extract_terms(text)
    spelt, only_names = _find_names(text, terms)
    names = tuple(dict.fromkeys(name.casefold() for name in spelt))
    wants_guide = _GUIDE.search(text) is not None
    return Query(
        kind="question",
        text=text.strip(),
        terms=terms,
        words=tuple(dict.fromkeys(map(stem_word, terms))),
        weights={},
        spelt=spelt,
        names=names,
        phrases=phrases,
        only_phrases=STOP_WORDS.issuperset(_extract_terms(_PHRASE.sub(" ", text))),
        places=extract_locations(text),
        mentions=Mentions(),
        asked_roles=find_asked_roles(text),
        only_names=only_names,
        possible_name="" if names or phrases or wants_guide else extract_possible_name(text),
        wants_guide=wants_guide,
    )


def _extract_terms(text: str) -> tuple[str, ...]:
    words = extract_words(text)
    return tuple(dict.fromkeys(filter(is_specific, words)))[:MAX_TERMS] or tuple(dict.fromkeys(words))[:MAX_TERMS]


def _find_names(text: str, terms: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """Find the names in a question; return whether it is about nothing else."""
    spelt, defined = _extract_names(text), extract_defined_names(text)
    if defined and _split_names((*spelt, *defined)).issuperset(set(terms) - DEFINITION_WORDS):
        return tuple(dict.fromkeys((*spelt, *defined))), True
    return spelt, bool(spelt) and _split_names(spelt).issuperset(terms)


def _extract_names(text: str) -> tuple[str, ...]:
    quoted = [name for quotation in _BACKTICKED.findall(text) for name in _NAME.findall(quotation)]
    candidates = _NAME.findall(text)
    alone = candidates if len(text.split()) == 1 else []
    names = [*quoted, *alone, *filter(_CODE_LIKE.search, candidates)]
    plain = (_SCOPES.sub(".", name).removesuffix("()") for name in names)
    return tuple(dict.fromkeys(plain))[:MAX_TERMS]


def _split_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in names for part in find_identifiers(name) for word in expand_identifier(part))
