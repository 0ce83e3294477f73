"""Salvage of readable rows from a damaged database."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .replace import replace_damaged
    from .transfer import transfer_rows

__all__ = [
    "replace_damaged",
    "transfer_rows",
]

__getattr__ = export_lazily(
    __name__,
    {
        "replace": ["replace_damaged"],
        "transfer": ["transfer_rows"],
    },
)
