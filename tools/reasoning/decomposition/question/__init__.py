"""Question of a decomposition: its parts, what it asks for, and the quotes taken from it."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .forms import has_form, is_covered
    from .grammar import ClauseWords
    from .parts import Part
    from .question import CommonWords, Question, match_quote, parse_question

__all__ = [
    "ClauseWords",
    "CommonWords",
    "Part",
    "Question",
    "has_form",
    "is_covered",
    "match_quote",
    "parse_question",
]

__getattr__ = export_lazily(
    __name__,
    {
        "forms": ["has_form", "is_covered"],
        "grammar": ["ClauseWords"],
        "parts": ["Part"],
        "question": ["CommonWords", "Question", "match_quote", "parse_question"],
    },
)
