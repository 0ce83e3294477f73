"""The workflows that the phases of a file can run: those that are used with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from aurora.interpreter.language import Definition, LoadResult

    from .paths import WorkflowPaths


@dataclass(frozen=True)
class Neighbours:
    """The workflows of some folders by name, for the checks of a file.

    Attributes:
        paths: the folders.
        read: reads a file of theirs.
    """

    paths: WorkflowPaths
    read: Callable[[Path], LoadResult]
    _found: dict[str, Definition | None] = field(default_factory=dict)

    def list_names(self) -> Sequence[str]:
        """List the names of all workflows, including broken ones."""
        return sorted(self.paths.map_names())

    def find_definition(self, name: str) -> Definition | None:
        """Return the workflow of this name, unchecked; None if there is none, or if its file is broken."""
        if name not in self._found:
            path = self.paths.map_names().get(name)
            self._found[name] = self.read(path).definition if path is not None else None
        return self._found[name]
