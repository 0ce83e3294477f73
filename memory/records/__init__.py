"""Records that no file contains, and the journal of runs.

The records are facts and patterns, with their undo log, export and import.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .answers import (
        Citation,
        CitationState,
        StoredAnswer,
        build_confirmation,
        check_citations,
        cite_chunks,
        confirm_record,
        find_doubtful,
        find_record,
        is_adopted,
        is_confirmed,
        is_evidence,
        list_source_paths,
        read_citations,
        revoke_confirmation,
        store_answer,
    )
    from .consolidate import ConsolidationOptions, consolidate_records
    from .edits import forget_records, remember_record
    from .export import export_records, read_lines, reject_secret, write_export
    from .import_ import ImportResult, import_records
    from .import_lines import parse_lines
    from .journal import Journal
    from .records import StoredRecord, insert_records, read_records, to_json
    from .undo import undo_last

__all__ = [
    "Citation",
    "CitationState",
    "ConsolidationOptions",
    "ImportResult",
    "Journal",
    "StoredAnswer",
    "StoredRecord",
    "build_confirmation",
    "check_citations",
    "cite_chunks",
    "confirm_record",
    "consolidate_records",
    "export_records",
    "find_doubtful",
    "find_record",
    "forget_records",
    "import_records",
    "insert_records",
    "is_adopted",
    "is_confirmed",
    "is_evidence",
    "list_source_paths",
    "parse_lines",
    "read_citations",
    "read_lines",
    "read_records",
    "reject_secret",
    "remember_record",
    "revoke_confirmation",
    "store_answer",
    "to_json",
    "undo_last",
    "write_export",
]

__getattr__ = export_lazily(
    __name__,
    {
        "answers": [
            "Citation",
            "CitationState",
            "StoredAnswer",
            "build_confirmation",
            "check_citations",
            "cite_chunks",
            "confirm_record",
            "find_doubtful",
            "find_record",
            "is_adopted",
            "is_confirmed",
            "is_evidence",
            "list_source_paths",
            "read_citations",
            "revoke_confirmation",
            "store_answer",
        ],
        "consolidate": ["ConsolidationOptions", "consolidate_records"],
        "edits": ["forget_records", "remember_record"],
        "export": ["export_records", "read_lines", "reject_secret", "write_export"],
        "import_": ["ImportResult", "import_records"],
        "import_lines": ["parse_lines"],
        "journal": ["Journal"],
        "records": ["StoredRecord", "insert_records", "read_records", "to_json"],
        "undo": ["undo_last"],
    },
)
