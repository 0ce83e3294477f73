"""Workflow runs at the terminal, with a person or a file of answers as the host."""
