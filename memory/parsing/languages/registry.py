"""The languages with a grammar; a language is imported when it is first needed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .language import Language

LANGUAGES: Mapping[str, str] = {
    "c": "c.C",
    "cpp": "c.CPP",
    "csharp": "csharp.CSHARP",
    "elixir": "elixir.ELIXIR",
    "go": "go.GO",
    "haskell": "haskell.HASKELL",
    "java": "java.JAVA",
    "javascript": "javascript.JAVASCRIPT",
    "kotlin": "kotlin.KOTLIN",
    "lua": "lua.LUA",
    "php": "php.PHP",
    "python": "python.PYTHON",
    "ruby": "ruby.RUBY",
    "rust": "rust.RUST",
    "scala": "scala.SCALA",
    "shell": "shell.SHELL",
    "swift": "swift.SWIFT",
    "tsx": "javascript.TSX",
    "typescript": "javascript.TYPESCRIPT",
    "zig": "zig.ZIG",
}
"""The name of each language, and the module and constant that declare it."""


@cache
def load_language(name: str) -> Language:
    """Import a language.

    Raises:
        KeyError: when no grammar of that name is registered.
    """
    module, _, constant = LANGUAGES[name].partition(".")
    language: Language = getattr(import_module(f".{module}", __package__), constant)
    return language


@cache
def get_family(name: str) -> str:
    """Return the family of a language; a language without a grammar is its own."""
    return load_language(name).family if name in LANGUAGES else name
