"""Tools on records, chunks and search of the project's memory."""
