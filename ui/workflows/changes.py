"""Differences of a workflow from the shipped one of its name, or from the shipped one that it extends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter import Catalog, diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.diff import Change
    from aurora.tools.core import Project

_MAX_CHANGES = 300


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes in behaviour from a shipped workflow.

    Attributes:
        shipped: the name of the shipped workflow.
        changes: at most 300 of them.
    """

    shipped: str
    changes: Sequence[Change]


def compare_with_shipped(project: Project, definition: Definition) -> Comparison | None:
    """Compare a workflow with the shipped one of its name.

    Without one, compare it with the nearest shipped one that it extends.

    Returns:
        None when there is none, or this is a shipped one.
    """
    catalog = Catalog(None, project.tools)
    name = None if definition.source == "shipped" else _find_shipped(catalog, definition)
    if name is None:
        return None
    return Comparison(name, diff.compare_definitions(catalog.open(name), definition).changes[:_MAX_CHANGES])


def _find_shipped(catalog: Catalog, definition: Definition) -> str | None:
    """Find the name of the shipped workflow to compare with."""
    names = catalog.list_names()
    if definition.workflow.name in names:
        return definition.workflow.name
    bases = definition.files[1 : definition.bases + 1]
    return next((base.stem for base in bases if catalog.is_shipped(base) and base.stem in names), None)
