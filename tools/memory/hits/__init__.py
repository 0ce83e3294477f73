"""Hits of a search, kept up to date with the files, and steered by a run."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .fresh import refresh_files, search_fresh
    from .scope import SearchScope, search_scoped
    from .uses import record_line_uses, record_uses

__all__ = ["SearchScope", "record_line_uses", "record_uses", "refresh_files", "search_fresh", "search_scoped"]

__getattr__ = export_lazily(
    __name__,
    {
        "fresh": ["refresh_files", "search_fresh"],
        "scope": ["SearchScope", "search_scoped"],
        "uses": ["record_line_uses", "record_uses"],
    },
)
