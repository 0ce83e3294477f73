"""Worker processes that parse files, or read what another account made."""
