"""MCP server: the tools, workflows and runs of a project, offered to an assistant."""
