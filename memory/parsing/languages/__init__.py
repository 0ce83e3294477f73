"""languages."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .registry import LANGUAGE_RULES
    from .rules import CONSTANT, CONTAINERS, SCOPES, Finder, FoundDefinition, Rules, read_field, read_text
    from .without_grammar import LineDefinition, find_definitions

__all__ = [
    "CONSTANT",
    "CONTAINERS",
    "LANGUAGE_RULES",
    "SCOPES",
    "Finder",
    "FoundDefinition",
    "LineDefinition",
    "Rules",
    "find_definitions",
    "read_field",
    "read_text",
]

__getattr__ = export_lazily(
    __name__,
    {
        "registry": ["LANGUAGE_RULES"],
        "rules": ["CONSTANT", "CONTAINERS", "Finder", "FoundDefinition", "Rules", "SCOPES", "read_field", "read_text"],
        "without_grammar": ["LineDefinition", "find_definitions"],
    },
)
