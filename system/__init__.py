"""Files, paths, programs, environment variables, git, and the scan for secrets."""
