"""Extraction of a file's definitions and references from its syntax tree."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .documents import extract_document_facts
    from .extract import extract_facts, make_file_definition

__all__ = ["extract_document_facts", "extract_facts", "make_file_definition"]

__getattr__ = export_lazily(
    __name__,
    {
        "documents": ["extract_document_facts"],
        "extract": ["extract_facts", "make_file_definition"],
    },
)
