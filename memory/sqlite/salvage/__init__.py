"""Salvage of readable rows from a damaged database."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .replace import copy_readable_rows, replace_damaged
    from .transfer import transfer_rows

__all__ = [
    "copy_readable_rows",
    "replace_damaged",
    "transfer_rows",
]

__getattr__ = export_lazily(
    __name__,
    {
        "replace": ["copy_readable_rows", "replace_damaged"],
        "transfer": ["transfer_rows"],
    },
)
