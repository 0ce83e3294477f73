"""Complete-linkage groups: every two members of a group are similar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .kmeans import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def split_clusters(rows: Floats, clusters: Iterable[Cluster], least: float) -> list[Cluster]:
    """Split clusters into groups in which every two members have at least a cosine.

    The cosine to a centroid does not show this: for two members with the cosine c it is sqrt((1 + c) / 2), 0.7 for two
    unrelated ones. The coherence of a group is its lowest cosine of two members.

    Args:
        rows: the unit vectors.
        clusters: positions of vectors that may form a group.
        least: the lowest cosine of two members.
    """
    groups = [group for cluster in clusters for group in _split(rows, cluster.members, least)]
    alone = set(range(len(rows))).difference(*(group.members for group in groups))
    return [*groups, *_split(rows, alone, least)]  # two similar ones may have been in different clusters


def _split(rows: Floats, members: Iterable[int], least: float) -> list[Cluster]:
    """Split vectors into groups, each ordered by similarity to the others; leave out those in none."""
    own = np.array(sorted(members), np.intp)
    cosines = np.round(rows[own] @ rows[own].T, 6)
    groups = []
    for places in _link_completely(cosines, least):
        within = cosines[np.ix_(places, places)]
        ordered = own[places][np.argsort(-within.sum(axis=1), kind="stable")]
        groups.append(Cluster(tuple(map(int, ordered)), float(within.min())))
    return groups


def _link_completely(cosines: Floats, least: float) -> list[list[int]]:
    """Merge the two most similar groups while their lowest cosine is at least `least`; drop singles."""
    links = cosines.copy()
    np.fill_diagonal(links, -np.inf)
    groups = [[place] for place in range(len(links))]
    while len(links):
        first, second = sorted(map(int, np.unravel_index(np.argmax(links), links.shape)))
        if links[first, second] < least:
            break
        groups[first] += groups[second]
        groups[second] = []
        lowest = np.minimum(links[first], links[second])
        links[first], links[:, first] = lowest, lowest
        links[first, first] = -np.inf
        links[second], links[:, second] = -np.inf, -np.inf
    return [sorted(group) for group in groups if len(group) > 1]
