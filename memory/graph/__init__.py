"""The code graph: definitions and references of files, linked to each other."""
