"""Differences of a workflow from the shipped one of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter import Catalog, diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.diff import Change
    from aurora.tools.core import Project

_MAX_CHANGES = 300


def compare_with_shipped(project: Project, definition: Definition) -> Sequence[Change] | None:
    """List the changes in behaviour; None when no shipped workflow has this name, or this is the shipped one."""
    catalog = Catalog(None, project.tools)
    name = definition.workflow.name
    if definition.source == "shipped" or name not in catalog.list_names():
        return None
    return diff.compare_definitions(catalog.open(name), definition).changes[:_MAX_CHANGES]
