"""MCP server: the tools, workflows and runs of a project, offered to an assistant."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .access import SCOPES, Caller, Scope, set_caller
    from .question import StateSigner
    from .remote import ProjectEndpoint
    from .server import serve_project
    from .session import run_server
    from .startup import run_early_calls

__all__ = [
    "SCOPES",
    "Caller",
    "ProjectEndpoint",
    "Scope",
    "StateSigner",
    "run_early_calls",
    "run_server",
    "serve_project",
    "set_caller",
]

__getattr__ = export_lazily(
    __name__,
    {
        "access": ["SCOPES", "Caller", "Scope", "set_caller"],
        "question": ["StateSigner"],
        "remote": ["ProjectEndpoint"],
        "server": ["serve_project"],
        "session": ["run_server"],
        "startup": ["run_early_calls"],
    },
)
