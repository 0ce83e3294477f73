"""MCP server: the tools, workflows and runs of a project, offered to an assistant."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .access import SCOPES, Caller, Scope, set_caller
    from .elicitation import StateSigner
    from .endpoint import ProjectEndpoint
    from .protocol_server import format_early_answers
    from .server import serve_project

__all__ = [
    "SCOPES",
    "Caller",
    "ProjectEndpoint",
    "Scope",
    "StateSigner",
    "format_early_answers",
    "serve_project",
    "set_caller",
]

__getattr__ = export_lazily(
    __name__,
    {
        "access": ["SCOPES", "Caller", "Scope", "set_caller"],
        "elicitation": ["StateSigner"],
        "endpoint": ["ProjectEndpoint"],
        "protocol_server": ["format_early_answers"],
        "server": ["serve_project"],
    },
)
