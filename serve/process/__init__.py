"""Processes of a server: one, or a parent with workers."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .one_project import serve_one_project
    from .serve import serve_projects

__all__ = ["serve_one_project", "serve_projects"]

__getattr__ = export_lazily(
    __name__,
    {
        "one_project": ["serve_one_project"],
        "serve": ["serve_projects"],
    },
)
