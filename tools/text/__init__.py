"""Text utilities of the tools: tokenizing, stemming, pages and summaries."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .pages import count_json_chars, cut_page
    from .places import hide_server_paths, shorten_places
    from .stems import QUOTED_NAME, Terms, extract_terms, list_terms, normalize_name, stem_word, stem_words
    from .summary import clip_value, summarize_fields
    from .words import TokenizedText, tokenize_text

__all__ = [
    "QUOTED_NAME",
    "Terms",
    "TokenizedText",
    "clip_value",
    "count_json_chars",
    "cut_page",
    "extract_terms",
    "hide_server_paths",
    "list_terms",
    "normalize_name",
    "shorten_places",
    "stem_word",
    "stem_words",
    "summarize_fields",
    "tokenize_text",
]

__getattr__ = export_lazily(
    __name__,
    {
        "pages": ["count_json_chars", "cut_page"],
        "places": ["hide_server_paths", "shorten_places"],
        "stems": ["QUOTED_NAME", "Terms", "extract_terms", "list_terms", "normalize_name", "stem_word", "stem_words"],
        "summary": ["clip_value", "summarize_fields"],
        "words": ["TokenizedText", "tokenize_text"],
    },
)
