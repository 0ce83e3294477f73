"""`changes.list`: which files are to be looked at: those that were named, else those that git says have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core.declaration import Example, Strict, Tool
from aurora.tools.files.containment import inside
from aurora.tools.files.git import worktree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.core.context import Context
    from aurora.tools.files.git import Worktree


class Params(Strict):
    """All settings of `changes.list`; see the comments in the workflow."""

    most: int = Field(ge=1, le=500)
    skip: tuple[str, ...]


class Wanted(Strict):
    """Which files; without any, those that differ from the base."""

    files: tuple[str, ...] = Field(default=(), max_length=500, description="These files, and no others.")
    base: str = Field(default="", max_length=200, description="A branch or commit; else the last commit.")


class Changed(Strict):
    """One file; `named` was asked for and need not differ. Lines are null where git counts none."""

    path: str
    status: Literal["added", "changed", "deleted", "named"]
    added: int | None
    removed: int | None


class Changes(Strict):
    """The files, those with the most changed lines first.

    Attributes:
        total: how many there are; `skipped` of them are left out as generated, `left_out` for want of room.
        head: the commit that is checked out, to compare with later; empty when git does not keep the project.
        note: what the reader must know; may be empty.
    """

    files: tuple[Changed, ...]
    total: int
    skipped: int
    left_out: int
    head: str
    note: str


def changes(given: Wanted, context: Context) -> Changes:
    """List them.

    Raises:
        Fault: NOT_FOUND when git knows no such base, or there is no such file; FORBIDDEN for one outside the project.
    """
    params: Params = context.params
    tree = worktree(context.root)
    differing = _differing(tree, given.base)
    if given.files:
        paths = [inside(context.root, path).relative_to(context.root).as_posix() for path in given.files]
        known = {one.path: one for one in differing}
        found = [known.get(path) or _named(path) for path in dict.fromkeys(paths)]
        kept = found
    else:
        found = differing
        kept = [one for one in found if not _skipped(one.path, params.skip)]
        kept.sort(key=lambda one: (-(one.added or 0) - (one.removed or 0), one.path))
    return Changes(
        files=tuple(kept[: params.most]),
        total=len(found),
        skipped=len(found) - len(kept),
        left_out=max(0, len(kept) - params.most),
        head=tree.head if tree else "",
        note=_note(tree, given, found),
    )


def _differing(tree: Worktree | None, base: str) -> list[Changed]:
    if tree is None:
        return []
    found = tree.changes(tree.base(base))
    return [Changed(path=one.path, status=one.status, added=one.added, removed=one.removed) for one in found]


def _named(path: str) -> Changed:
    return Changed(path=path, status="named", added=None, removed=None)


def _skipped(path: str, patterns: Iterable[str]) -> bool:
    from pathspec import PathSpec  # noqa: PLC0415 - 20 ms that a workflow without changes need not pay

    return PathSpec.from_lines("gitignore", patterns).match_file(path)


def _note(tree: Worktree | None, given: Wanted, found: list[Changed]) -> str:
    if tree is None and not given.files:
        return "Git does not keep this project, so nobody can say what has changed: name the files."
    if not found:
        return f"Nothing differs from {given.base or 'the last commit'}."
    return ""


TOOL = Tool(
    name="changes.list",
    title="List changes",
    description=(
        "The files of the project that differ from the last commit or another base, with their changed lines, the "
        "most changed first; or the files that were named. What the settings call generated is left out."
    ),
    input=Wanted,
    output=Changes,
    run=changes,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
    examples=(Example("what is not committed yet", {}, {"most": 60, "skip": ["*.lock"]}),),
    params=Params,
)
