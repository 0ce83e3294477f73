"""extract."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .documents import extract_document_facts
    from .extract import extract_facts, make_file_definition
    from .imports import IMPORT_READERS
    from .modules import SCRIPT_LANGUAGES, is_in_package, is_module_at

__all__ = [
    "IMPORT_READERS",
    "SCRIPT_LANGUAGES",
    "extract_document_facts",
    "extract_facts",
    "is_in_package",
    "is_module_at",
    "make_file_definition",
]

__getattr__ = export_lazily(
    __name__,
    {
        "documents": ["extract_document_facts"],
        "extract": ["extract_facts", "make_file_definition"],
        "imports": ["IMPORT_READERS"],
        "modules": ["SCRIPT_LANGUAGES", "is_in_package", "is_module_at"],
    },
)
