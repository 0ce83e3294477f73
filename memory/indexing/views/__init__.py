"""Views: the databases of linked worktrees, next to the shared database of their repository."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .clone import start_clone
    from .listing import View, list_views, remove_unused_views
    from .start import start_view

__all__ = ["View", "list_views", "remove_unused_views", "start_clone", "start_view"]

__getattr__ = export_lazily(
    __name__,
    {
        "clone": ["start_clone"],
        "listing": ["View", "list_views", "remove_unused_views"],
        "start": ["start_view"],
    },
)
