"""Client of pushes: sends a manifest, and the contents that the server lacks."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.faults import Code, Fault

from .collect import collect_tree, read_content
from .connection import PushConnection
from .packing import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from aurora.memory.model import SkippedFile

    from .collect import CollectedTree

    Progress = Callable[[float, float | None, str], None]

_BATCH_BYTES = 1 << 20
"""Packed bytes of contents after which a request is sent; one content may be larger."""
_BATCH_CONTENTS = 1_000
_ATTEMPTS = 3
"""Times that a push begins, when a file changes meanwhile or another push removes its contents."""
_POLL_SECONDS = 0.2


class PushTarget(NamedTuple):
    """Target of a push.

    Attributes:
        url: the address of the project.
        token: empty for none.
        token_name: the variable that had the token.
    """

    url: str
    token: str = ""
    token_name: str = ""


class PushResult(NamedTuple):
    """Result of a push.

    Attributes:
        is_base: True for the base that all see, False for the person's own view.
        commit: that is checked out; empty without git.
        files: number of files.
        sent: number of contents that the server lacked.
        sent_bytes: their size before they were packed.
        masked_lines: lines with a mask in place of a secret.
        left_out: the files that were not pushed.
    """

    is_base: bool
    commit: str
    files: int
    sent: int
    sent_bytes: int
    masked_lines: int
    left_out: Sequence[SkippedFile]


def push_project(root: Path, target: PushTarget, progress: Progress) -> PushResult:
    """Push the files of a project.

    Args:
        root: the project's folder, resolved.
        target: where to.
        progress: receives `(done, to do, message)`.

    Raises:
        Fault: those of the server, of reading the project, and of an address that is none.
    """
    with contextlib.closing(PushConnection(*target)) as connection:
        for attempt in range(_ATTEMPTS):
            tree = collect_tree(root, lambda done: progress(done, None, "reading files"))
            try:
                return _push_tree(connection, root, tree, progress)
            except Fault as fault:
                if fault.code is not Code.CONFLICT or attempt + 1 == _ATTEMPTS:
                    raise
    raise AssertionError("unreachable")


def _push_tree(connection: PushConnection, root: Path, tree: CollectedTree, progress: Progress) -> PushResult:
    begun = connection.post("begin", {"manifest": tree.manifest.pack()})
    missing = [sha256 for sha256 in begun.get("missing", ()) if sha256 in tree.sources]
    sent, sent_bytes = 0, 0
    for batch, size in _build_batches(root, tree, missing):
        connection.post("contents", {"push": tree.manifest.id, "contents": batch})
        sent, sent_bytes = sent + len(batch), sent_bytes + size
        progress(sent, len(missing), "sending files")
    done = _finish(connection, tree.manifest.id, progress)
    return PushResult(
        done.get("is_base") is True,
        tree.manifest.commit,
        len(tree.manifest.files),
        sent,
        sent_bytes,
        tree.masked_lines,
        tree.left_out,
    )


def _build_batches(root: Path, tree: CollectedTree, missing: Sequence[str]) -> Iterator[tuple[dict[str, str], int]]:
    """Yield packed contents by hash, and their size before."""
    batch: dict[str, str] = {}
    packed_bytes = size = 0
    for sha256 in missing:
        data = read_content(tree.sources[sha256], root, sha256)
        text = pack(data)
        if batch and (packed_bytes + len(text) > _BATCH_BYTES or len(batch) >= _BATCH_CONTENTS):
            yield batch, size
            batch, packed_bytes, size = {}, 0, 0
        batch[sha256] = text
        packed_bytes += len(text)
        size += len(data)
    if batch:
        yield batch, size


def _finish(connection: PushConnection, identifier: str, progress: Progress) -> dict[str, Any]:
    """Ask until the server has indexed the files; it answers each time after some seconds."""
    while True:
        done = connection.post("finish", {"push": identifier})
        if done.get("state") != "running":
            return done
        progress(0, None, "the server is indexing")
        time.sleep(_POLL_SECONDS)
