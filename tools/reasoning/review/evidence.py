"""`evidence.check`: check of claims that files exist and were changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Fault
from aurora.faults.paths import resolve_inside
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.files import open_worktree

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Context


class EvidenceInput(StrictModel):
    """Claim about files."""

    files: tuple[str, ...] = Field(default=(), max_length=200, description="Files that are claimed to exist.")
    changed: tuple[str, ...] = Field(default=(), max_length=200, description="Files claimed to be changed.")
    base: str = Field(
        default="", max_length=200, description="Changed since this revision; by default the last commit."
    )


class Evidence(StrictModel):
    """Evidence for or against a claim.

    Attributes:
        missing: those of `files` that are not in the project.
        unchanged: those of `changed` that are the same as at the base; empty without git.
        versioned: True when the project is in git, so that changes are known.
        head: commit that is checked out; empty without git.
        holds: True when nothing is missing and nothing is unchanged.
    """

    missing: tuple[str, ...]
    unchanged: tuple[str, ...]
    versioned: bool
    head: str
    holds: bool


def check_evidence(given: EvidenceInput, context: Context) -> Evidence:
    """Check a claim against the project and git.

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
    """Find a file of the project; return None for any other path."""
    try:
        found = resolve_inside(root, path)
    except Fault:
        return None  # a path outside the project counts as missing
    return found if found.is_file() else None


def _to_git_path(root: Path, path: str) -> str:
    """Convert a path to git's form; the path of a deleted file stays as it is."""
    found = _find_file(root, path)
    return found.relative_to(root).as_posix() if found else path.removeprefix("./")


TOOL = Tool(
    name="evidence.check",
    title="Check evidence",
    description=(
        "Check whether claimed files exist in the project, and whether claimed changes differ from the last commit or "
        "another base. It reads file names and git's records, but no contents."
    ),
    input=EvidenceInput,
    output=Evidence,
    run=check_evidence,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
    phases=True,
    examples=(Example("an existing file", {"files": ["README.md"]}),),
)
