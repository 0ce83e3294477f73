"""Views: the databases of linked worktrees, next to the shared database of their repository."""
