"""Themes: clusters of chunks by embedding, labelled by distinctive words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aurora.faults import Code, Fault
from aurora.memory.embeddings import DIMENSIONS, get_load_error, normalize_rows

from .clustering import cluster_rows, require_algorithm
from .coherence import split_clusters
from .labels import label_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aurora.memory.model import Chunk
    from aurora.memory.storage import Store

    from .clustering import Algorithm
    from .kmeans import Cluster

    Floats = NDArray[np.float32]

MAX_CHUNKS = 5000
"""Clustered chunks at most; the latest when there are more."""
_MAX_CLUSTERS = 12


@dataclass(frozen=True, slots=True)
class Theme:
    """Theme: words, most distinctive first; members, nearest to the centroid first.

    `coherence` is the mean cosine of its members to the centroid; of a group of `find_groups`, the lowest cosine of
    two members.
    """

    words: tuple[str, ...]
    members: tuple[Chunk, ...]
    coherence: float


@dataclass(frozen=True, slots=True)
class ThemeReport:
    """Themes, largest first; number of clustered chunks, and of those in no theme."""

    themes: tuple[Theme, ...]
    looked_at: int
    alone: int


def find_themes(
    store: Store,
    *,
    types: Sequence[str] = ("know", "reas"),
    ids: Sequence[str] = (),
    most: int = 12,
    algorithm: Algorithm = "kmeans",
) -> ThemeReport:
    """Cluster chunks into themes, deterministically.

    Args:
        store: the database.
        types: which of `code`, `know`, `reas`; documents are `know` too.
        ids: only these chunks, whatever their type.
        most: maximum number of themes.
        algorithm: the algorithm of the clustering.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings or the library of the algorithm, NOT_FOUND for ids that do not exist.
    """
    require_algorithm(algorithm)
    chunks, rows = read_embedded(store, types, ids)
    if not chunks:
        return ThemeReport((), 0, 0)
    themes = _build_themes(chunks, cluster_rows(rows, most, algorithm))
    return ThemeReport(themes, len(chunks), len(chunks) - sum(len(theme.members) for theme in themes))


def find_groups(
    store: Store, ids: Sequence[str], *, least_cosine: float, algorithm: Algorithm = "kmeans"
) -> tuple[Theme, ...]:
    """Find groups of chunks in which every two members have at least a cosine, the largest first.

    Args:
        store: the database.
        ids: the chunks.
        least_cosine: the lowest cosine of two members.
        algorithm: the algorithm that clusters the chunks before the clusters are split.

    Raises:
        Fault: as `find_themes`.
    """
    require_algorithm(algorithm)
    chunks, rows = read_embedded(store, (), ids)
    if not chunks:
        return ()
    return _build_themes(chunks, split_clusters(rows, cluster_rows(rows, _MAX_CLUSTERS, algorithm), least_cosine))


def _build_themes(chunks: Sequence[Chunk], clusters: Sequence[Cluster]) -> tuple[Theme, ...]:
    """Label the clusters of more than one chunk, and order them by size."""
    clusters = [cluster for cluster in clusters if len(cluster.members) > 1]
    groups = [[chunks[place] for place in cluster.members] for cluster in clusters]
    themes = [
        Theme(words, tuple(group), round(cluster.coherence, 4))
        for words, group, cluster in zip(label_groups(groups), groups, clusters, strict=True)
    ]
    themes.sort(key=lambda theme: (-len(theme.members), -theme.coherence, theme.words))
    return tuple(themes)


def read_embedded(store: Store, types: Sequence[str], ids: Sequence[str] = ()) -> tuple[list[Chunk], Floats]:
    """Read the newest chunks with their unit vectors, by id.

    Raises:
        Fault: as `find_themes`.
    """
    if reason := get_load_error():
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"themes need embeddings, and there are none ({reason})",
            help="install Aurora again",
        )
    chunks, bodies = _read_vectors(store, types, ids)
    rows = np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS)
    return chunks, normalize_rows(rows) if chunks else np.zeros((0, DIMENSIONS), np.float32)


def _read_vectors(store: Store, types: Sequence[str], ids: Sequence[str]) -> tuple[list[Chunk], list[bytes]]:
    with store.begin_read() as db:
        if ids:
            known = {chunk.id for chunk in db.chunks.get(ids)}
            if missing := [name for name in ids if name not in known]:
                raise Fault(
                    Code.NOT_FOUND,
                    f'there is no chunk "{missing[0][:80]}"',
                    help="`aur mem search` shows the ids there are",
                    details={"missing": [name[:80] for name in missing]},
                )
        found = list(db.chunks.iter_embedded(DIMENSIONS, MAX_CHUNKS, ids=ids, types=types))
    found.sort(key=lambda one: one[0].id)  # independent of the order of ids
    return [chunk for chunk, _ in found], [vector for _, vector in found]
