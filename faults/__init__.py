"""Faults with nine error codes, cancellation, and suggestions for wrong names."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .atomic_write import commit_file, sync_folder, write_atomically
    from .cancellation import Cancelled, CancelScope, check_cancelled, guard_commit, ignore_changes
    from .fault import Code, Fault
    from .suggest import did_you_mean, find_nearest, find_unambiguous, list_names, quote_names

__all__ = [
    "CancelScope",
    "Cancelled",
    "Code",
    "Fault",
    "check_cancelled",
    "commit_file",
    "did_you_mean",
    "find_nearest",
    "find_unambiguous",
    "guard_commit",
    "ignore_changes",
    "list_names",
    "quote_names",
    "sync_folder",
    "write_atomically",
]

__getattr__ = export_lazily(
    __name__,
    {
        "atomic_write": ["commit_file", "sync_folder", "write_atomically"],
        "cancellation": ["CancelScope", "Cancelled", "check_cancelled", "guard_commit", "ignore_changes"],
        "fault": ["Code", "Fault"],
        "suggest": ["did_you_mean", "find_nearest", "find_unambiguous", "list_names", "quote_names"],
    },
)
