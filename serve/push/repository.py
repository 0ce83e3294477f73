"""Repository without objects around a pushed tree: its commit, and the trees that share its records.

A pushed tree is the main worktree, and each person's own is a linked one. So each has an index of its own, and all have
the facts and the runs of the project, by the same rules as in a clone.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from aurora.faults import write_atomically
from aurora.memory.files import COMPANION_SUFFIXES, DATA_FOLDER, VIEWS_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from .manifest import Manifest

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n"


def prepare_repository(base: Path, manifest: Manifest) -> None:
    """Write the repository of the base, which is at the commit of the manifest.

    Raises:
        OSError: it cannot be written.
    """
    git = base / ".git"
    for name in ("objects", "refs/heads", "worktrees"):
        (git / name).mkdir(parents=True, exist_ok=True)
    write_atomically(git / "config", _CONFIG)
    if not manifest.commit:
        write_atomically(git / "HEAD", b"ref: refs/heads/main\n")
    elif not manifest.branch:
        write_atomically(git / "HEAD", f"{manifest.commit}\n".encode())
    else:
        shutil.rmtree(git / "refs" / "heads")  # else a branch "a" is in the way of "a/b"
        write_atomically(git / "refs" / "heads" / manifest.branch, f"{manifest.commit}\n".encode())
        write_atomically(git / "HEAD", f"ref: refs/heads/{manifest.branch}\n".encode())


def prepare_worktree(base: Path, tree: Path, manifest: Manifest) -> None:
    """Write the pointers between the base and a linked worktree, whose folder has a unique name.

    Raises:
        OSError: they cannot be written.
    """
    git = base / ".git" / "worktrees" / tree.name
    head = manifest.commit or "ref: refs/heads/none"
    write_atomically(git / "HEAD", f"{head}\n".encode())
    write_atomically(git / "commondir", b"../..\n")
    write_atomically(git / "gitdir", f"{tree / '.git'}\n".encode())
    write_atomically(tree / ".git", f"gitdir: {git}\n".encode())


def remove_worktree(base: Path, tree: Path) -> None:
    """Remove a linked worktree, with its index."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.rmtree(base / ".git" / "worktrees" / tree.name, ignore_errors=True)
    view = base / DATA_FOLDER / VIEWS_FOLDER / f"{tree.name}.db"
    for path in (view, *(view.with_name(view.name + ending) for ending in COMPANION_SUFFIXES)):
        path.unlink(missing_ok=True)
