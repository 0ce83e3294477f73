"""`.aurora/.gitignore`: tracked after setup, hidden from git after removal."""

from __future__ import annotations

import os
from pathlib import Path

from aurora import hosts
from aurora.faults import Fault
from aurora.faults.paths import read_plain, write_inside
from aurora.memory.files import DATA_FOLDER, GITIGNORE_TEXT
from aurora.tools import files

from .model import ChangeRow

GITIGNORE_PATH = f"{DATA_FOLDER}/.gitignore"
SHOWN_REASON = "keeps the memory and the runs out of the repository"
_MAX_BYTES = 100_000
"""Bytes that are read of the file; Aurora's own has some 50."""
_HIDDEN_REASON = "hides the memory, the runs and this file from git"
_SELF_RULE = "!.gitignore\n"
_HIDDEN_GITIGNORE = GITIGNORE_TEXT.replace(_SELF_RULE, "")
"""The same rules, which ignore the file itself too; workflows stay visible to git."""


def plan_unhide(root: Path) -> tuple[ChangeRow, ...]:
    """Plan the change that makes git track the rules: create the file, or stop ignoring it."""
    current = _read_gitignore(root)
    if current is not None and current != _HIDDEN_GITIGNORE:
        return ()
    return (_to_row(current, GITIGNORE_TEXT, SHOWN_REASON),)


def plan_hide(root: Path) -> tuple[ChangeRow, ...]:
    """Plan the change that makes git ignore the file too; none when git tracks it already."""
    if _read_gitignore(root) != GITIGNORE_TEXT:
        return ()
    try:
        tree = files.open_worktree(root)
        if tree is None or tree.is_tracked(GITIGNORE_PATH):
            return ()
    except Fault:  # git is not installed, or cannot be used here: then it lists nothing
        return ()
    return (_to_row(GITIGNORE_TEXT, _HIDDEN_GITIGNORE, _HIDDEN_REASON),)


def unhide_gitignore(root: Path) -> None:
    """Make git see the rules again.

    Raises:
        OSError: when the file cannot be written.
    """
    if _read_gitignore(root) == _HIDDEN_GITIGNORE:
        _write_gitignore(root, GITIGNORE_TEXT)


def hide_gitignore(root: Path) -> tuple[ChangeRow, ...]:
    """Ignore the file itself where git would list it as new; return the change.

    Raises:
        OSError: when the file cannot be written.
    """
    change = plan_hide(root)
    if change:
        _write_gitignore(root, _HIDDEN_GITIGNORE)
    return change


def _read_gitignore(root: Path) -> str | None:
    path = root / GITIGNORE_PATH
    if not os.path.lexists(path):
        return None
    data = read_plain(path, _MAX_BYTES)  # a file that cannot be read, or is a link, is left as it is
    return "" if data is None else data.decode("utf-8", "replace")


def _write_gitignore(root: Path, text: str) -> None:
    write_inside(root, GITIGNORE_PATH, text.encode("utf-8"))


def _to_row(before: str | None, after: str, why: str) -> ChangeRow:
    old = None if before is None else before.encode("utf-8")
    change = hosts.FileChange(Path(GITIGNORE_PATH), GITIGNORE_PATH, old, after.encode("utf-8"), (why,))
    return ChangeRow.model_validate(
        {"path": GITIGNORE_PATH, "action": change.action, "why": (why,), "diff": change.to_diff()}
    )
