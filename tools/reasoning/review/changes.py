"""`changes.list`: which files are to be looked at: those that were named, else those that git says have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.files import open_worktree, resolve_inside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.core import Context
    from aurora.tools.files import Worktree


class Params(StrictModel):
    """All settings of `changes.list`; see the comments in the workflow."""

    most: int = Field(ge=1, le=500)
    skip: tuple[str, ...]


class ChangesInput(StrictModel):
    """Which files; without any, those that differ from the base."""

    files: tuple[str, ...] = Field(default=(), max_length=500, description="These files, and no others.")
    base: str = Field(default="", max_length=200, description="A branch or commit; else the last commit.")


class ChangedFile(StrictModel):
    """One file; `named` was asked for and need not differ. Lines are null where git counts none."""

    path: str
    status: Literal["added", "changed", "deleted", "named"]
    added: int | None
    removed: int | None


class Changes(StrictModel):
    """The files, those with the most changed lines first.

    Attributes:
        total: how many there are; `skipped` of them are left out as generated, `left_out` for want of room.
        head: the commit that is checked out, to compare with later; empty when git does not keep the project.
        note: what the reader must know; may be empty.
    """

    files: tuple[ChangedFile, ...]
    total: int
    skipped: int
    left_out: int
    head: str
    note: str


def list_changes(given: ChangesInput, context: Context) -> Changes:
    """List them.

    Raises:
        Fault: NOT_FOUND when git knows no such base, or there is no such file; FORBIDDEN for one outside the project.
    """
    params: Params = context.params
    tree = open_worktree(context.root)
    differing = _list_differing(tree, given.base)
    if given.files:
        paths = [resolve_inside(context.root, path).relative_to(context.root).as_posix() for path in given.files]
        known = {one.path: one for one in differing}
        found = [known.get(path) or _to_named_file(path) for path in dict.fromkeys(paths)]
        kept = found
    else:
        found = differing
        kept = [one for one in found if not _is_skipped(one.path, params.skip)]
        kept.sort(key=lambda one: (-(one.added or 0) - (one.removed or 0), one.path))
    return Changes(
        files=tuple(kept[: params.most]),
        total=len(found),
        skipped=len(found) - len(kept),
        left_out=max(0, len(kept) - params.most),
        head=tree.head if tree else "",
        note=_compose_note(tree, given, found),
    )


def _list_differing(tree: Worktree | None, base: str) -> list[ChangedFile]:
    if tree is None:
        return []
    found = tree.list_changes(tree.resolve_base(base))
    return [ChangedFile(path=one.path, status=one.status, added=one.added, removed=one.removed) for one in found]


def _to_named_file(path: str) -> ChangedFile:
    return ChangedFile(path=path, status="named", added=None, removed=None)


def _is_skipped(path: str, patterns: Iterable[str]) -> bool:
    from pathspec import PathSpec  # noqa: PLC0415 - 20 ms that a workflow without changes need not pay

    return PathSpec.from_lines("gitignore", patterns).match_file(path)


def _compose_note(tree: Worktree | None, given: ChangesInput, found: list[ChangedFile]) -> str:
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
    input=ChangesInput,
    output=Changes,
    run=list_changes,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
    examples=(Example("what is not committed yet", {}, {"most": 60, "skip": ["*.lock"]}),),
    params=Params,
)
