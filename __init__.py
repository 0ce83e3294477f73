"""Aurora makes a coding assistant think in the open: YAML workflows, one phase per call, over MCP."""

__all__ = ["__version__"]

__version__ = "0.1.0"
