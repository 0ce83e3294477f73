"""Questions for a definition: `where is the Flask class defined`, `definition of jsonify`."""

from __future__ import annotations

import re

from .terms import is_asking_word, is_specific

_KINDS = "class function method struct type trait interface enum macro constant variable module decorator property"
_KIND_WORDS = frozenset(_KINDS.split())
_KIND = rf"(?:{_KINDS.replace(' ', '|')})"
_NAME = r"([^\W\d]\w*)"
_FORMS = re.compile(
    rf"\b{_NAME}(?=\s+{_KIND}\b)|\b{_KIND}\s+{_NAME}|\bwhere\s+(?:is|are)\s+(?:the\s+)?{_NAME}\b"
    rf"|\b(?:definition|declaration|implementation)\s+of\s+(?:the\s+)?{_NAME}"
    rf"|\b(?:defines|declares|implements)\s+(?:the\s+)?{_NAME}",
    re.IGNORECASE,
)
_WORD = re.compile(r"\b[^\W\d]\w*")
_OTHER_WORDS = """
defined defines definition declared declares declaration implemented implements implementation located file source code
"""
DEFINITION_WORDS = frozenset([*_KIND_WORDS, *_OTHER_WORDS.split()])
"""Words that ask for a definition, and are not of its name."""


def extract_defined_names(text: str) -> tuple[str, ...]:
    """Extract the names whose definition a question asks for, as far as its form tells."""
    names = [name for groups in _FORMS.findall(text) for name in groups]
    return tuple(dict.fromkeys(filter(_is_name, names)))


def extract_possible_name(text: str) -> str:
    """Extract the only word of a question that is not of its form: `Option` of `What is an Option?`.

    Returns:
        The word as it is spelt, which may be the name of a definition or an ordinary word; empty for another text.
    """
    words = (word for word in _WORD.findall(text) if is_specific(word.lower()))
    names = dict.fromkeys(word for word in words if word.lower() not in _KIND_WORDS and not is_asking_word(word))
    return next(iter(names)) if len(names) == 1 else ""


def _is_name(word: str) -> bool:
    return bool(word) and is_specific(word.lower()) and word.lower() not in DEFINITION_WORDS
