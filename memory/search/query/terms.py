"""Terms of a query: words without stop words."""

from __future__ import annotations

from aurora.memory.text_index.tokenizer import expand_identifier, find_identifiers, stem_word

# Stop words of questions.
_STOP_WORD_TEXT = """
a about after all also am an and any are as at be because been before being but by can could did do does doing
done each either else ever every explain find for from get gets give given had has have having he her here him
his how i if in into is it its itself just let like made make makes many me more most much must my no nor not
now of off on once one only or other our out over own please same she should show so some still such tell than
that the their them then there these they this those through to too up us use used uses using very via was way
we were what when where whether which while who whom whose why will with within without would you your
"""
STOP_WORDS = frozenset(_STOP_WORD_TEXT.split())
_ASKING_VERBS = """
handle handled handles handling implement implementation implemented implements work working works happen happening
happens define defined defines definition support supported supports decide decides located
"""
ASKING_WORDS = frozenset(map(stem_word, _ASKING_VERBS.split()))
"""Stems of words that say what is asked, and not of what."""
_OTHER_ASKING_WORDS = frozenset(["describe", "me", "mean", "meaning", "means", "purpose", "responsible", "role"])
"""Further ones, which may also be the subject."""


def extract_words(text: str) -> list[str]:
    """Extract words in lower case, identifiers with their parts, in order, with repetitions."""
    return [word for identifier in find_identifiers(text) for word in expand_identifier(identifier)]


def is_specific(word: str) -> bool:
    """Return True for a word that is no stop word and no single letter."""
    return word not in STOP_WORDS and (len(word) > 1 or not word.isascii())


def is_asking_word(word: str) -> bool:
    """Return True for a word that says what is asked, and not of what."""
    return word.lower() in _OTHER_ASKING_WORDS or stem_word(word.lower()) in ASKING_WORDS
