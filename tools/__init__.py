"""Tools: declarations, the registry, the runtime, the MCP server, and one module for each tool or family."""

__all__: list[str] = []
