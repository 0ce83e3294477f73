"""What is to be done to a person's files: frozen values, to be shown before anything is written."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, before and after; None where there is none.

    Attributes:
        path: where it is, links followed.
        shown: what a person calls it: from the project's root, or `~/…`.
        why: what the change is for, one reason a host.
    """

    path: Path
    display_path: str
    before: bytes | None
    after: bytes | None
    reasons: tuple[str, ...]

    @property
    def action(self) -> str:
        """`create`, `edit` or `delete`."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "edit"

    def to_diff(self) -> str:
        """The change as `diff -u` shows it."""
        before, after = (_split_lines(data) for data in (self.before, self.after))
        old = self.display_path if self.before is not None else "/dev/null"
        new = self.display_path if self.after is not None else "/dev/null"
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(before, after, old, new, n=2)
        )


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """What could not be done or is not right, and the way out; `where` is `path`, `path:line:column`, or empty."""

    host: str
    where: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """The changes, in the order in which they are made, what stands in the way, and what is as it should be."""

    changes: tuple[FileChange, ...]
    problems: tuple[ConfigProblem, ...]
    unchanged: tuple[str, ...] = ()


def _split_lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
