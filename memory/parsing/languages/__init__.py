"""The programming languages: one file declares each; `registry.py` lists them."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .language import (
        CONSTANT,
        CONTAINERS,
        SCOPES,
        Finder,
        FoundDefinition,
        Grammar,
        Language,
        ModuleRules,
        OutlineRules,
        ScopeRules,
    )
    from .modules import FOLDER_STEMS, get_module_stem
    from .nodes import read_field, read_text
    from .registry import LANGUAGES, get_family, load_language
    from .without_grammar import LineDefinition, find_definitions

__all__ = [
    "CONSTANT",
    "CONTAINERS",
    "FOLDER_STEMS",
    "LANGUAGES",
    "SCOPES",
    "Finder",
    "FoundDefinition",
    "Grammar",
    "Language",
    "LineDefinition",
    "ModuleRules",
    "OutlineRules",
    "ScopeRules",
    "find_definitions",
    "get_family",
    "get_module_stem",
    "load_language",
    "read_field",
    "read_text",
]

__getattr__ = export_lazily(
    __name__,
    {
        "language": [
            "CONSTANT",
            "CONTAINERS",
            "SCOPES",
            "Finder",
            "FoundDefinition",
            "Grammar",
            "Language",
            "ModuleRules",
            "OutlineRules",
            "ScopeRules",
        ],
        "modules": ["FOLDER_STEMS", "get_module_stem"],
        "nodes": ["read_field", "read_text"],
        "registry": ["LANGUAGES", "get_family", "load_language"],
        "without_grammar": ["LineDefinition", "find_definitions"],
    },
)
