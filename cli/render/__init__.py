"""Terminal views of the tools' outputs."""
