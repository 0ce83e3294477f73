"""Documents generated from the commands and the tools."""
