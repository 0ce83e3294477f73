"""MCP server: the tools, workflows and runs of a project, offered to an assistant."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .server import serve_project
    from .session import run_server

__all__ = ["run_server", "serve_project"]

__getattr__ = export_lazily(
    __name__,
    {
        "server": ["serve_project"],
        "session": ["run_server"],
    },
)
