"""Themes: what is remembered falls into clusters by meaning, each called by the words that set it apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.embeddings import DIMENSIONS, get_load_error, normalize_rows

from .kmeans import cluster_vectors
from .labels import label_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model import Chunk
    from aurora.memory.sqlite import Store

MAX_CHUNKS = 5000
"""Chunks that are clustered; of more, those kept last."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A cluster: its words, the most telling first; its members, the most typical first.

    `coherence` is the mean cosine of its members to its middle.
    """

    words: tuple[str, ...]
    members: tuple[Chunk, ...]
    coherence: float


@dataclass(frozen=True, slots=True)
class ThemeReport:
    """The themes, the largest first; how many chunks were looked at, and how many fit into none."""

    themes: tuple[Theme, ...]
    looked_at: int
    alone: int


def find_themes(
    store: Store, *, types: Sequence[str] = ("know", "reas"), ids: Sequence[str] = (), most: int = 12
) -> ThemeReport:
    """Cluster what is remembered; the same memory always gives the same themes.

    Args:
        store: where from.
        types: which of `code`, `know`, `reas`; documents are `know` too.
        ids: only these chunks, whatever their type.
        most: how many themes at most.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings, NOT_FOUND for ids that do not exist.
    """
    if why := get_load_error():
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"there are no embeddings to find themes by ({why})",
            help="install aurora-workflows again",
        )
    chunks, bodies = _read_vectors(store, types, ids)
    if not chunks:
        return ThemeReport((), 0, 0)
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never need it

    rows = normalize_rows(np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS))
    found = [each for each in cluster_vectors(rows, most) if len(each.members) > 1]
    groups = [[chunks[place] for place in each.members] for each in found]
    made = [
        Theme(words, tuple(group), round(each.coherence, 4))
        for words, group, each in zip(label_groups(groups), groups, found, strict=True)
    ]
    made.sort(key=lambda theme: (-len(theme.members), -theme.coherence, theme.words))
    return ThemeReport(tuple(made), len(chunks), len(chunks) - sum(map(len, groups)))


def _read_vectors(store: Store, types: Sequence[str], ids: Sequence[str]) -> tuple[list[Chunk], list[bytes]]:
    with store.begin_read() as db:
        if ids:
            there = {chunk.id for chunk in db.chunks.get(ids)}
            if missing := [name for name in ids if name not in there]:
                raise Fault(
                    Code.NOT_FOUND,
                    f'there is no chunk "{missing[0][:80]}"',
                    help="`aur mem search` shows the ids there are",
                    details={"missing": [name[:80] for name in missing]},
                )
        found = list(db.chunks.iter_embedded(DIMENSIONS, MAX_CHUNKS, ids=ids, types=types))
    found.sort(key=lambda one: one[0].id)  # so that the order of telling makes no difference
    return [chunk for chunk, _ in found], [vector for _, vector in found]
