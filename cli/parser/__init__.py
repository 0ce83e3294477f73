"""Command line parser: the commands of the tools, with their options and help."""
