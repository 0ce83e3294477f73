"""mcp."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .server import serve_project

__all__ = ["serve_project"]

__getattr__ = export_lazily(
    __name__,
    {
        "server": ["serve_project"],
    },
)
