"""The page on this machine.

Folders are the projects, a link opens a session once, and the server listens on loopback.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .folders import FolderSource
    from .serve import PageOptions, serve_page
    from .session import SessionGate

__all__ = ["FolderSource", "PageOptions", "SessionGate", "serve_page"]

__getattr__ = export_lazily(
    __name__,
    {
        "folders": ["FolderSource"],
        "serve": ["PageOptions", "serve_page"],
        "session": ["SessionGate"],
    },
)
