"""Tools from installed distributions: their entry points, and the checks before one is loaded."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .entries import ExtensionEntry, list_entries
    from .load import find_extension, list_extensions

__all__ = ["ExtensionEntry", "find_extension", "list_entries", "list_extensions"]

__getattr__ = export_lazily(
    __name__,
    {
        "entries": ["ExtensionEntry", "list_entries"],
        "load": ["find_extension", "list_extensions"],
    },
)
