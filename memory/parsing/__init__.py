"""Parsing with tree-sitter: syntax trees, and the outline of a file."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .grammar import list_code_tokens, load_grammar, parse_source
    from .macros import add_macro_names, parse_macro_bodies
    from .outline import LONG_LINES, Definition, Outline, build_outline, get_last_row

__all__ = [
    "LONG_LINES",
    "Definition",
    "Outline",
    "add_macro_names",
    "build_outline",
    "get_last_row",
    "list_code_tokens",
    "load_grammar",
    "parse_macro_bodies",
    "parse_source",
]

__getattr__ = export_lazily(
    __name__,
    {
        "grammar": ["list_code_tokens", "load_grammar", "parse_source"],
        "macros": ["add_macro_names", "parse_macro_bodies"],
        "outline": ["Definition", "LONG_LINES", "Outline", "build_outline", "get_last_row"],
    },
)
