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
    from .export import export_records, read_lines, reject_secret, write_export
    from .forget import forget_records
    from .import_ import ImportResult, import_records
    from .import_lines import parse_lines
    from .journal import Journal
    from .records import StoredRecord, insert_records, read_records, to_json
    from .remember import remember_record
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
        "export": ["export_records", "read_lines", "reject_secret", "write_export"],
        "forget": ["forget_records"],
        "import_": ["ImportResult", "import_records"],
        "import_lines": ["parse_lines"],
        "journal": ["Journal"],
        "records": ["StoredRecord", "insert_records", "read_records", "to_json"],
        "remember": ["remember_record"],
        "undo": ["undo_last"],
    },
)
