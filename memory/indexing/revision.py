"""The files of a git revision laid out in a folder of their own, so that they can be indexed without a checkout."""

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
    """Write the files of a revision below `to`; links and what would lie elsewhere are left out.

    Args:
        root: the project's folder, or one inside the repository: only what lies below it is taken.
        revision: as git names it: `HEAD~3`, a branch, a tag, a hash.
        to: an empty folder.

    Returns:
        The full hash of the commit.

    Raises:
        Fault: NOT_FOUND when this is no repository, or there is no such revision; TIMEOUT when git takes too long;
            UPSTREAM_ERROR when there is no git.
    """
    if not revision.isprintable() or revision[:1] in {"", "-"}:
        raise _make_unknown_fault(revision, "")
    commit = _run_git(root, revision, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    _write_tree(root, commit.decode().strip(), to.resolve())
    return commit.decode().strip()


def _write_tree(root: Path, commit: str, to: Path) -> None:
    """Write the files of a commit, and of the submodules that are checked out.

    Not by `git archive`: it leaves out what `.gitattributes` keeps out of releases, and that is often all tests.
    """
    blobs: list[bytes] = []
    targets: list[Path] = []
    for entry in _run_git(root, commit, "ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
        facts, _, name = entry.partition(b"\t")
        mode, _, blob = facts.split()
        path = os.fsdecode(name)
        target = (to / path).resolve()
        if not target.is_relative_to(to):
            continue
        if mode == _SUBMODULE_MODE and (root / path / ".git").exists():
            _write_tree(root / path, blob.decode(), target)
        elif mode in _FILE_MODES:
            blobs.append(blob)
            targets.append(target)
    held = io.BytesIO(_run_git(root, commit, "cat-file", "--batch", given=b"\n".join(blobs)))
    for target in targets:
        head = held.readline().split()  # its name, what it is, its size; or that it is missing
        if len(head) == 3:  # noqa: PLR2004 - as said
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(held.read(int(head[2]) + 1)[:-1])


@contextmanager
def index_revision(root: Path, revision: str, folder: Path) -> Iterator[tuple[str, Store]]:
    """The memory of a revision, for as long as it is needed: the commit's hash, and the store.

    Raises:
        Fault: as `lay_out` does.
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
        done = subprocess.run(  # noqa: S603 - fixed words; a revision that begins like an option was refused
            ["git", "-C", str(root), *words],  # noqa: S607 - the person's own git
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            env={**os.environ, "LC_ALL": "C"},  # what it complains of is read
            check=False,
            input=given,
        )
    except FileNotFoundError as error:
        raise Fault(Code.UPSTREAM_ERROR, "git is not installed", help="install git, or name a database") from error
    except subprocess.TimeoutExpired as error:
        raise Fault(
            Code.TIMEOUT, f"git took more than {_TIMEOUT_SECONDS:.0f} s", help="name a database instead"
        ) from error
    if done.returncode and b"not a git repository" in done.stderr:
        raise Fault(
            Code.NOT_FOUND,
            f'this project is no git repository, and has no revision "{revision[:_MAX_SHOWN]}"',
            help="compare with an earlier memory.db instead: `aur mem backups` lists those that were kept",
            details={"revision": revision[:_MAX_SHOWN]},
        )
    if done.returncode:
        raise _make_unknown_fault(revision, done.stderr.decode("utf-8", "replace").strip()[:_MAX_SHOWN])
    return done.stdout


def _make_unknown_fault(revision: str, said: str) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'there is no revision "{revision[:_MAX_SHOWN]}" here' + (f" ({said})" if said else ""),
        help='name a commit, a branch or a tag as git does, such as "HEAD~1", or an earlier memory.db as a file',
        details={"revision": revision[:_MAX_SHOWN]},
    )
