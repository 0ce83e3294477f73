"""Stage 3, link: references get the definitions that they mean, as far as the project has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.indexing.run import ignore_progress, index_tree
from aurora.memory.model import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.indexing.run import Progress
    from aurora.memory.storage import Store


class LinkedFile(NamedTuple):
    """References of one kind in a file.

    Attributes:
        kind: `calls`, `imports`, `inherits`, `implements`, `mentions`.
        resolved: those with a definition in the project; the others name something outside of it, or nothing.
    """

    path: str
    kind: str
    references: int
    resolved: int


def link_tree(scratch: Store, root: Path, progress: Progress = ignore_progress) -> Iterator[LinkedFile]:
    """Index the tree into an empty store, without embeddings, and yield its references.

    Linking needs the definitions of all files, so it has no smaller scope.

    Args:
        scratch: an empty store, which is not the project's memory.
        root: the project's folder.
        progress: as in `index_tree`.

    Raises:
        Fault: as `index_tree`.
    """
    index_tree(scratch, root, progress=progress, purpose="scratch")
    with scratch.begin_read() as db:
        rows = db.references.count_by_file()
    for path, kind, count, linked in rows:
        yield LinkedFile(path, EDGE_KINDS[kind], count, linked)
