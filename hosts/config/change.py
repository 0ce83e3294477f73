"""Planned changes to configuration files, as frozen values."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileChange:
    """Content of one file before and after the change; None if absent.

    Attributes:
        path: the real path, links followed.
        shown: the path relative to the project, or as `~/…`.
        why: the reason for the change, one per host.
    """

    path: Path
    display_path: str
    before: bytes | None
    after: bytes | None
    reasons: tuple[str, ...]

    @property
    def action(self) -> str:
        """Return `create`, `edit` or `delete`."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "edit"

    def to_diff(self) -> str:
        """Return the change as a unified diff."""
        before, after = (_split_lines(data) for data in (self.before, self.after))
        old = self.display_path if self.before is not None else "/dev/null"
        new = self.display_path if self.after is not None else "/dev/null"
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(before, after, old, new, n=2)
        )


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Problem that blocks a change, with its fix.

    `where` is `path`, `path:line:column`, or empty.
    """

    host: str
    where: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """Planned changes of files.

    Attributes:
        changes: in the order of writing.
        problems: what blocks other changes.
        unchanged: files that are already up to date.
        shared: on removal, files that stay, and the titles of the hosts that still read them.
    """

    changes: tuple[FileChange, ...]
    problems: tuple[ConfigProblem, ...]
    unchanged: tuple[str, ...] = ()
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


def _split_lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
