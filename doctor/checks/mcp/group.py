"""Group of the checks that an assistant can call Aurora."""

from __future__ import annotations

from aurora.doctor.check import Check, Group

from .config import check_config
from .hooks import check_hooks
from .http import check_http
from .imports import check_database, check_phases, check_tools
from .references import check_references
from .server import check_handshake, check_stateless

_SERVER_TIMEOUT = 20.0
"""Seconds; longer than the timeout of the server itself."""

GROUP = Group(
    "mcp",
    "MCP Integration Checks",
    (
        Check("mcp.config", "the assistants' files are valid", check_config),
        Check("mcp.tools", "aurora_query, aurora_search and aurora_get can be loaded", check_tools),
        Check("mcp.phases", "the phases can be loaded", check_phases),
        Check("mcp.server", "the server starts", check_handshake, seconds=_SERVER_TIMEOUT),
        Check(
            "mcp.stateless",
            "the server answers without a handshake",
            check_stateless,
            seconds=_SERVER_TIMEOUT,
        ),
        Check("mcp.http", "the servers of entries over HTTP answer", check_http, seconds=_SERVER_TIMEOUT),
        Check("mcp.database", "the server and the command line open the same memory", check_database),
        Check(
            "mcp.references",
            "the assistants' files about Aurora are up to date",
            check_references,
        ),
        Check("mcp.hooks", "hooks of assistants start in time", check_hooks, seconds=_SERVER_TIMEOUT),
    ),
)
