"""Minimal MCP server over stdio, as a baseline.

It is the SDK's low-level server with three tools that do no work.
"""

from __future__ import annotations

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


async def _tools(_context: object, _params: object) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[types.Tool(name=f"tool_{number}", description="Nothing.", input_schema=SCHEMA) for number in range(3)]
    )


async def _serve() -> None:
    server: Server[None] = Server("bare", on_list_tools=_tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
