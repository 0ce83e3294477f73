"""Indexing of a git revision: its files are exported to an empty folder, without a checkout."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.memory.database import open_store
from aurora.system.git.export import export_files
from aurora.system.git.repository import find_repository
from aurora.system.git.session import open_session

from .run import index_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.storage.store import Store

_MAX_SHOWN = 200


def export_revision(root: Path, revision: str, to: Path) -> str:
    """Write the files of a revision below `to`, without links and paths that lead out of it.

    Args:
        root: the project's folder, or one inside the repository: only files below it are exported.
        revision: as git names it: `HEAD~3`, a branch, a tag, a hash.
        to: an empty folder.

    Returns:
        The full hash of the commit.

    Raises:
        Fault: NOT_FOUND when this is no repository or has no such revision; TIMEOUT when git takes too long;
            UPSTREAM_ERROR when git is not installed; FORBIDDEN when `.git` leads to another folder's repository.
    """
    repository = find_repository(root.resolve())
    if repository is None:
        raise Fault(
            Code.NOT_FOUND,
            f'this project is not a git repository: it has no revision "{revision[:_MAX_SHOWN]}"',
            help="compare with an earlier memory.db instead: `aur mem backups` lists the backups",
            details={"revision": revision[:_MAX_SHOWN]},
        )
    # A dash would make git read it as an option.
    if not revision.isprintable() or revision[:1] in {"", "-"}:
        raise _make_unknown_fault(revision)
    with open_session(repository) as git:
        name = f"{revision}^{{commit}}"
        commit = git.read_line("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        if not commit:
            raise _make_unknown_fault(revision)
        export_files(git, commit, to)
    return commit


@contextmanager
def index_revision(root: Path, revision: str, folder: Path) -> Iterator[tuple[str, Store]]:
    """Index a revision, and yield the commit's hash and the store, which is closed afterwards.

    Raises:
        Fault: as `export_revision` does.
    """
    tree = folder / "tree"
    tree.mkdir()
    commit = export_revision(root, revision, tree)
    store = open_store(folder / "memory.db")
    try:
        index_tree(store, tree, purpose="commit")
        yield commit, store
    finally:
        store.close()


def _make_unknown_fault(revision: str) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'no such revision: "{revision[:_MAX_SHOWN]}"',
        help='name a commit, branch or tag as git does, such as "HEAD~1", or the path of an earlier memory.db',
        details={"revision": revision[:_MAX_SHOWN]},
    )
