"""Indexing of a git revision: its files are exported to an empty folder, without a checkout."""

from __future__ import annotations

import io
import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.database import open_store

from .run import index_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.storage import Store

_TIMEOUT_SECONDS = 60.0
_MAX_SHOWN = 200
_FILE_MODES = (b"100644", b"100755")
_SUBMODULE_MODE = b"160000"


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
            UPSTREAM_ERROR when git is not installed.
    """
    if not revision.isprintable() or revision[:1] in {"", "-"}:
        raise _make_unknown_fault(revision, "")
    commit = _run_git(root, revision, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    _write_tree(root, commit.decode().strip(), to.resolve())
    return commit.decode().strip()


def _write_tree(root: Path, commit: str, to: Path) -> None:
    """Write the files of a commit, and of the submodules that are checked out.

    `git archive` would omit the files that `.gitattributes` excludes from releases, often all tests.
    """
    blobs: list[bytes] = []
    targets: list[Path] = []
    for entry in _run_git(root, commit, "ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
        attributes, _, name = entry.partition(b"\t")
        mode, _, blob = attributes.split()
        path = os.fsdecode(name)
        target = (to / path).resolve()
        if not target.is_relative_to(to):
            continue
        if mode == _SUBMODULE_MODE and (root / path / ".git").exists():
            _write_tree(root / path, blob.decode(), target)
        elif mode in _FILE_MODES:
            blobs.append(blob)
            targets.append(target)
    contents = io.BytesIO(_run_git(root, commit, "cat-file", "--batch", given=b"\n".join(blobs)))
    for target in targets:
        _name, kind, *size = contents.readline().split()
        if kind != b"missing":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents.read(int(size[0]) + 1)[:-1])


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
        index_tree(store, tree)
        yield commit, store
    finally:
        store.close()


def _run_git(root: Path, revision: str, *words: str, given: bytes = b"") -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments; a revision that begins like an option is rejected before
            ["git", "-C", str(root), *words],  # noqa: S607 - the user's own git
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            env={**os.environ, "LC_ALL": "C"},  # its error messages are parsed
            check=False,
            input=given,
        )
    except FileNotFoundError as error:
        raise Fault(
            Code.UPSTREAM_ERROR, "git is not installed", help="install git, or compare with a memory.db"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise Fault(
            Code.TIMEOUT, f"git took more than {_TIMEOUT_SECONDS:.0f} s", help="compare with a memory.db instead"
        ) from error
    if done.returncode and b"not a git repository" in done.stderr:
        raise Fault(
            Code.NOT_FOUND,
            f'this project is not a git repository: it has no revision "{revision[:_MAX_SHOWN]}"',
            help="compare with an earlier memory.db instead: `aur mem backups` lists the backups",
            details={"revision": revision[:_MAX_SHOWN]},
        )
    if done.returncode:
        raise _make_unknown_fault(revision, done.stderr.decode("utf-8", "replace").strip()[:_MAX_SHOWN])
    return done.stdout


def _make_unknown_fault(revision: str, output: str) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'no such revision: "{revision[:_MAX_SHOWN]}"' + (f" ({output})" if output else ""),
        help='name a commit, branch or tag as git does, such as "HEAD~1", or the path of an earlier memory.db',
        details={"revision": revision[:_MAX_SHOWN]},
    )
