"""Records that no file contains, and the journal of runs.

The records are facts and patterns, with their undo log, export and import.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .consolidate import ConsolidationOptions, consolidate_records
    from .forget import forget_records
    from .journal import Journal
    from .records import StoredRecord
    from .remember import remember_record
    from .undo import undo_last

__all__ = [
    "ConsolidationOptions",
    "Journal",
    "StoredRecord",
    "consolidate_records",
    "forget_records",
    "remember_record",
    "undo_last",
]

__getattr__ = export_lazily(
    __name__,
    {
        "consolidate": ["ConsolidationOptions", "consolidate_records"],
        "forget": ["forget_records"],
        "journal": ["Journal"],
        "records": ["StoredRecord"],
        "remember": ["remember_record"],
        "undo": ["undo_last"],
    },
)
