"""What a tool is, the toolbox, one module a tool or family, and the MCP server.

The room's modules are imported by name (`tools.dispatch`, `tools.project` …): nothing is loaded for its own sake, for
a command must start in the time that it takes to say what it does.
"""

__all__: list[str] = []
