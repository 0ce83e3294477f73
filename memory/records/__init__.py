"""Records that no file contains, and the journal of runs.

The records are facts and patterns, with their undo log, export and import.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .answers import StoredAnswer, store_answer
    from .citations import (
        Citation,
        CitationState,
        check_citations,
        cite_chunks,
        find_doubtful,
        is_adopted,
        is_confirmed,
        is_evidence,
        list_source_paths,
        read_citations,
    )
    from .confirm import build_confirmation, confirm_record, find_record, revoke_confirmation
    from .consolidate import ConsolidationOptions, consolidate_records
    from .forget import forget_records
    from .journal import Journal
    from .records import StoredRecord, insert_records, read_records, to_json
    from .remember import remember_record
    from .undo import undo_last

__all__ = [
    "Citation",
    "CitationState",
    "ConsolidationOptions",
    "Journal",
    "StoredAnswer",
    "StoredRecord",
    "build_confirmation",
    "check_citations",
    "cite_chunks",
    "confirm_record",
    "consolidate_records",
    "find_doubtful",
    "find_record",
    "forget_records",
    "insert_records",
    "is_adopted",
    "is_confirmed",
    "is_evidence",
    "list_source_paths",
    "read_citations",
    "read_records",
    "remember_record",
    "revoke_confirmation",
    "store_answer",
    "to_json",
    "undo_last",
]

__getattr__ = export_lazily(
    __name__,
    {
        "answers": ["StoredAnswer", "store_answer"],
        "citations": [
            "Citation",
            "CitationState",
            "check_citations",
            "cite_chunks",
            "find_doubtful",
            "is_adopted",
            "is_confirmed",
            "is_evidence",
            "list_source_paths",
            "read_citations",
        ],
        "confirm": ["build_confirmation", "confirm_record", "find_record", "revoke_confirmation"],
        "consolidate": ["ConsolidationOptions", "consolidate_records"],
        "forget": ["forget_records"],
        "journal": ["Journal"],
        "records": ["StoredRecord", "insert_records", "read_records", "to_json"],
        "remember": ["remember_record"],
        "undo": ["undo_last"],
    },
)
