"""salvage."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .transfer import transfer_rows

__all__ = ["transfer_rows"]

__getattr__ = export_lazily(
    __name__,
    {
        "transfer": ["transfer_rows"],
    },
)
