"""The programming languages: one file declares each; `registry.py` lists them."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .language import (
        CONSTANT,
        CONTAINERS,
        FOLDER_STEMS,
        SCOPES,
        Finder,
        FoundDefinition,
        Grammar,
        Language,
        ModuleRules,
        OutlineRules,
        ScopeRules,
        get_module_stem,
        read_field,
        read_text,
    )
    from .registry import LANGUAGES, get_family, load_language

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
    "ModuleRules",
    "OutlineRules",
    "ScopeRules",
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
            "FOLDER_STEMS",
            "SCOPES",
            "Finder",
            "FoundDefinition",
            "Grammar",
            "Language",
            "ModuleRules",
            "OutlineRules",
            "ScopeRules",
            "get_module_stem",
            "read_field",
            "read_text",
        ],
        "registry": ["LANGUAGES", "get_family", "load_language"],
    },
)
