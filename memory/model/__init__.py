"""Value types of the memory: chunks, symbols, graph, runs, reports."""
