"""`evidence.check`: whether the files that somebody speaks of are there, and whether they were changed as he says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Fault
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.files import open_worktree, resolve_inside

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Context


class EvidenceInput(StrictModel):
    """What is claimed."""

    files: tuple[str, ...] = Field(default=(), max_length=200, description="Files that are said to be there.")
    changed: tuple[str, ...] = Field(default=(), max_length=200, description="Files that are said to be changed.")
    base: str = Field(default="", max_length=200, description="Changed since this revision; else the last commit.")


class Evidence(StrictModel):
    """What the project itself shows.

    Attributes:
        missing: of `files`, those that are not in the project.
        unchanged: of `changed`, those that are as they were at the base; empty where git cannot tell.
        versioned: whether git keeps the project, so that a change can be told.
        head: the commit that is checked out; empty when not versioned.
        holds: nothing is missing, nothing is unchanged.
    """

    missing: tuple[str, ...]
    unchanged: tuple[str, ...]
    versioned: bool
    head: str
    holds: bool


def check_evidence(given: EvidenceInput, context: Context) -> Evidence:
    """Look.

    Raises:
        Fault: NOT_FOUND when git knows no such base.
    """
    tree = open_worktree(context.root)
    missing = [path for path in dict.fromkeys(given.files) if _find_file(context.root, path) is None]
    unchanged: list[str] = []
    if tree is not None and given.changed:
        differing = {one.path for one in tree.list_changes(tree.resolve_base(given.base))}
        unchanged = [path for path in dict.fromkeys(given.changed) if _to_git_path(context.root, path) not in differing]
    elif tree is None:
        missing += [path for path in given.changed if path not in missing and _find_file(context.root, path) is None]
    return Evidence(
        missing=tuple(missing),
        unchanged=tuple(unchanged),
        versioned=tree is not None,
        head=tree.head if tree else "",
        holds=not missing and not unchanged,
    )


def _find_file(root: Path, path: str) -> Path | None:
    """The file, when it is one of the project's."""
    try:
        found = resolve_inside(root, path)
    except Fault:
        return None  # elsewhere, unreadable or no path at all: for this question it is not there
    return found if found.is_file() else None


def _to_git_path(root: Path, path: str) -> str:
    """The path as git writes it; a deleted file has no other than the one that was given."""
    found = _find_file(root, path)
    return found.relative_to(root).as_posix() if found else path.removeprefix("./")


TOOL = Tool(
    name="evidence.check",
    title="Check evidence",
    description=(
        "Whether the files that are spoken of exist in the project, and whether those that are said to be changed "
        "differ from the last commit or another base. It reads file names and git's own records, and no contents."
    ),
    input=EvidenceInput,
    output=Evidence,
    run=check_evidence,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
    examples=(Example("a file that is there", {"files": ["README.md"]}),),
)
