"""Tokenizer: terms of code and prose."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .runs import find_runs
    from .tokens import (
        expand_identifier,
        extract_identifier_terms,
        extract_terms,
        find_identifiers,
        split_identifier,
        stem_word,
    )
    from .vocabulary import borrow_vocabulary

__all__ = [
    "borrow_vocabulary",
    "expand_identifier",
    "extract_identifier_terms",
    "extract_terms",
    "find_identifiers",
    "find_runs",
    "split_identifier",
    "stem_word",
]

__getattr__ = export_lazily(
    __name__,
    {
        "runs": ["find_runs"],
        "tokens": [
            "expand_identifier",
            "extract_identifier_terms",
            "extract_terms",
            "find_identifiers",
            "split_identifier",
            "stem_word",
        ],
        "vocabulary": ["borrow_vocabulary"],
    },
)
