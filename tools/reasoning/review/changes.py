"""`changes.list`: files to review: the named ones, by default those changed in git."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora import hosts
from aurora.memory.files import DATA_FOLDER, parse_ignore_pattern
from aurora.system.paths.resolve import resolve_inside
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.files import open_worktree

from .hunks import MAX_SHOWN_LINES, format_hunks, read_hunks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.core import Context
    from aurora.tools.files import Worktree


class Params(StrictModel):
    """All settings of `changes.list`; see the comments in the workflow.

    Attributes:
        most: the most files; skip: patterns of generated ones.
        shown: the number of files whose changed lines are returned, each with at most `hunk_chars` characters.
    """

    most: int = Field(ge=1, le=500)
    skip: tuple[str, ...]
    shown: int = Field(default=0, ge=0, le=100)
    hunk_chars: int = Field(default=6_000, ge=200, le=12_000)


class ChangesInput(StrictModel):
    """Files to list; by default those that differ from the base."""

    files: tuple[str, ...] = Field(default=(), max_length=500, description="Only these files.")
    base: str = Field(
        default="",
        max_length=200,
        description="A branch or commit; by default the last commit, and then untracked files too.",
    )


class ChangedFile(StrictModel):
    """File; a `named` one need not differ. Line counts are null where git has none."""

    path: str
    status: Literal["added", "changed", "deleted", "named"]
    added: int | None
    removed: int | None


class Changes(StrictModel):
    """Files, those with the most changed lines first.

    Attributes:
        hunks: the changed lines of the first files, in their order, with the numbers of the new file; empty for a file
            without changed text, and for all if more files changed than are shown.
        total: number of files without Aurora's own; `skipped` of them are generated, `left_out` exceed the limit.
        head: commit that is checked out, to compare with later; empty without git.
        note: remark for the reader; may be empty.
    """

    files: tuple[ChangedFile, ...]
    hunks: tuple[str, ...]
    total: int
    skipped: int
    left_out: int
    head: str
    note: str


def list_changes(given: ChangesInput, context: Context) -> Changes:
    """List the files to review.

    Raises:
        Fault: NOT_FOUND when git knows no such base, or there is no such file; FORBIDDEN for one outside the project.
    """
    params: Params = context.params
    tree = open_worktree(context.root)
    differing = _list_differing(tree, given.base)
    untracked = 0
    if given.files:
        paths = [resolve_inside(context.root, path).relative_to(context.root).as_posix() for path in given.files]
        differing_by_path = {file.path: file for file in differing}
        found = [differing_by_path.get(path) or _to_named_file(path) for path in dict.fromkeys(paths)]
        kept = found
    else:
        found, untracked = _select_reviewed(tree, given.base, differing) if tree else ([], 0)
        generated = PathPatterns(params.skip)
        kept = [file for file in found if not generated.match_file(file.path)]
        kept.sort(key=lambda file: (-(file.added or 0) - (file.removed or 0), file.path))
    return Changes(
        files=tuple(kept[: params.most]),
        hunks=_format_changes(tree, given.base, kept, params) if tree and len(kept) <= params.shown else (),
        total=len(found),
        skipped=len(found) - len(kept),
        left_out=max(0, len(kept) - params.most),
        head=tree.head if tree else "",
        note=_compose_note(tree, given, found, untracked),
    )


def _format_changes(tree: Worktree, base: str, files: list[ChangedFile], params: Params) -> tuple[str, ...]:
    readable = [
        file.path
        for file in files
        if file.added is not None and file.removed is not None and file.added + file.removed <= MAX_SHOWN_LINES
    ]
    hunks = read_hunks(tree, tree.resolve_base(base), readable)
    return tuple(format_hunks(file.path, hunks.get(file.path, ()), params.hunk_chars) for file in files)


def _list_differing(tree: Worktree | None, base: str) -> list[ChangedFile]:
    if tree is None:
        return []
    found = tree.list_changes(tree.resolve_base(base))
    return [ChangedFile(path=one.path, status=one.status, added=one.added, removed=one.removed) for one in found]


def _select_reviewed(tree: Worktree, base: str, differing: list[ChangedFile]) -> tuple[list[ChangedFile], int]:
    """Leave out Aurora's own files and, with a base, untracked ones, which are counted.

    A branch is what is committed or tracked: a file that only lies there is not part of it.
    """
    revision = tree.resolve_base(base)
    own = hosts.list_own_changes(
        tree.root, hosts.UserPaths.from_environment(), hosts.HOSTS, lambda path: tree.read_committed(path, revision)
    )
    found = [file for file in differing if file.path not in own and not file.path.startswith(f"{DATA_FOLDER}/")]
    untracked = set(tree.list_untracked()) if base else set()
    kept = [file for file in found if file.path not in untracked]
    return kept, len(found) - len(kept)


def _to_named_file(path: str) -> ChangedFile:
    return ChangedFile(path=path, status="named", added=None, removed=None)


def _compose_note(tree: Worktree | None, given: ChangesInput, found: list[ChangedFile], untracked: int) -> str:
    if tree is None and not given.files:
        return "This project is not in git, so its changes are unknown: name the files."
    notes = [] if found else [f"Nothing differs from {given.base or 'the last commit'}."]
    if untracked:
        notes.append(
            f"{untracked} untracked file{'s' * (untracked > 1)} left out: with a base, only what git tracks counts."
        )
    return " ".join(notes)


class PathPatterns:
    """Patterns of which the last one that fits a path decides; one that begins with `!` excludes it."""

    def __init__(self, lines: Iterable[str]) -> None:
        parsed = (parse_ignore_pattern(line) for line in lines)
        self._patterns = [pattern for pattern in parsed if pattern is not None]

    def match_file(self, path: str) -> bool:
        """Check a path, relative to the project; a pattern may fit the file or a folder around it."""
        fitting = (pattern.ignores for pattern in reversed(self._patterns) if pattern.covers_file(path))
        return next(fitting, False)


TOOL = Tool(
    name="changes.list",
    title="List changes",
    description=(
        "List the files of the project that differ from the last commit or another base, with their changed lines, "
        "the most changed first; or the named files. Aurora's own files and those that the settings call generated "
        "are left out; with a base, untracked ones too."
    ),
    input=ChangesInput,
    output=Changes,
    run=list_changes,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
    phases=True,
    examples=(Example("uncommitted files", {}, {"most": 60, "skip": ["*.lock"]}),),
    params=Params,
)
