"""Questions for a definition: `where is the Flask class defined`, `definition of jsonify`."""

from __future__ import annotations

import re

from .terms import is_specific

_KINDS = "class function method struct type trait interface enum macro constant variable module decorator property"
_KIND = rf"(?:{_KINDS.replace(' ', '|')})"
_NAME = r"([^\W\d]\w*)"
_FORMS = re.compile(
    rf"\b{_NAME}(?=\s+{_KIND}\b)|\b{_KIND}\s+{_NAME}|\bwhere\s+(?:is|are)\s+(?:the\s+)?{_NAME}\b"
    rf"|\b(?:definition|declaration|implementation)\s+of\s+(?:the\s+)?{_NAME}"
    rf"|\b(?:defines|declares|implements)\s+(?:the\s+)?{_NAME}",
    re.IGNORECASE,
)
_OTHER_WORDS = """
defined defines definition declared declares declaration implemented implements implementation located file source code
"""
DEFINITION_WORDS = frozenset([*_KINDS.split(), *_OTHER_WORDS.split()])
"""Words that ask for a definition, and are not of its name."""


def extract_defined_names(text: str) -> tuple[str, ...]:
    """Extract the names whose definition a question asks for, as far as its form tells."""
    names = [name for groups in _FORMS.findall(text) for name in groups]
    return tuple(dict.fromkeys(filter(_is_name, names)))


def _is_name(word: str) -> bool:
    return bool(word) and is_specific(word.lower()) and word.lower() not in DEFINITION_WORDS
