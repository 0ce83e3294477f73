"""Argument of other systems that changes nothing here."""

from __future__ import annotations

ONE_MEMORY = {"triad": "one memory serves all workflows of a project"}
"""Argument of systems with a memory for each workflow, and why it changes nothing here."""
