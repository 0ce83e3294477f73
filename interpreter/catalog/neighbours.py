"""The workflows that the phases of a file can run: those that are used with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from aurora.interpreter.language.definition import Definition, LoadResult
    from aurora.interpreter.problems import Problem

    from .paths import WorkflowPaths


@dataclass(frozen=True)
class Neighbours:
    """The workflows of some folders by name, for the checks of a file.

    Attributes:
        paths: the folders.
        read: reads a file of theirs.
        find_errors: checks what was read.
    """

    paths: WorkflowPaths
    read: Callable[[Path], LoadResult]
    find_errors: Callable[[LoadResult], tuple[Problem, ...]]
    _loadings: dict[str, LoadResult | None] = field(default_factory=dict)
    _errors: dict[str, Problem | None] = field(default_factory=dict)

    def list_names(self) -> Sequence[str]:
        """List the names of all workflows, including broken ones."""
        return sorted(self.paths.map_names())

    def find_definition(self, name: str) -> Definition | None:
        """Return the workflow of this name, unchecked; None if there is none, or if its file is broken."""
        loading = self._read(name)
        return loading.definition if loading is not None else None

    def find_error(self, name: str) -> Problem | None:
        """Find the first error of the workflow of this name, which runs itself nowhere."""
        if name not in self._errors:
            loading = self._read(name)
            self._errors[name] = next(iter(self.find_errors(loading)), None) if loading is not None else None
        return self._errors[name]

    def _read(self, name: str) -> LoadResult | None:
        if name not in self._loadings:
            path = self.paths.map_names().get(name)
            self._loadings[name] = self.read(path) if path is not None else None
        return self._loadings[name]
