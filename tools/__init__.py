"""Tools: declarations, the registry, the runtime and the MCP server.

There is one module for each tool or family.
"""

__all__: list[str] = []
