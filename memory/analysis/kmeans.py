"""Spherical k-means with deterministic initialization."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Places = NDArray[np.intp]

_MAX_ROUNDS = 25
_MIN_IMPROVEMENT = 0.02
"""Minimum rise of the mean silhouette for one more cluster."""


class Cluster(NamedTuple):
    """Cluster: positions of its members, nearest to the centroid first; mean cosine to it."""

    members: tuple[int, ...]
    coherence: float


def cluster_vectors(rows: Floats, most: int) -> list[Cluster]:
    """Cluster unit vectors into at most `most` clusters, as many as the silhouette favours.

    The silhouette is the simplified one, with distances to centroids only (Hruschka, de Castro and Campello 2004).
    """
    ceiling = min(most, max(1, isqrt(2 * len(rows))), len(rows))
    best, assigned, middles = (
        -1.0,
        np.zeros(len(rows), np.intp),
        _compute_centroids(rows, np.zeros(len(rows), np.intp), 1),
    )
    for count in range(2, ceiling + 1):
        places, centres = _run_kmeans(rows, count)
        score = _compute_silhouette(rows @ centres.T, places)
        if score > best + _MIN_IMPROVEMENT:
            best, assigned, middles = score, places, centres
    cosines = np.round((rows * middles[assigned]).sum(axis=1), 6)
    out = []
    for number in range(len(middles)):
        own = np.flatnonzero(assigned == number)
        if len(own):
            ordered = own[np.argsort(-cosines[own], kind="stable")]
            out.append(Cluster(tuple(map(int, ordered)), float(cosines[own].mean())))
    return out


def _run_kmeans(rows: Floats, count: int) -> tuple[Places, Floats]:
    """Run k-means from the vector nearest to the mean and then the farthest ones."""
    chosen = [int(np.argmax(rows @ rows.mean(axis=0)))]
    nearest = rows @ rows[chosen[0]]
    while len(chosen) < count:
        chosen.append(int(np.argmin(nearest)))
        nearest = np.maximum(nearest, rows @ rows[chosen[-1]])
    middles = rows[chosen]
    places = np.full(len(rows), -1, np.intp)
    for _ in range(_MAX_ROUNDS):
        now = np.argmax(rows @ middles.T, axis=1)
        if np.array_equal(now, places):
            break
        places = now
        middles = _compute_centroids(rows, places, count)
    return places, middles


def _compute_centroids(rows: Floats, places: Places, count: int) -> Floats:
    sums = np.zeros((count, rows.shape[1]), np.float32)
    np.add.at(sums, places, rows)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _compute_silhouette(cosines: Floats, places: Places) -> float:
    """Compute the mean of (b - a) / max(a, b); a, b: distance to own, next centroid."""
    each = np.arange(len(places))
    own = 1 - cosines[each, places]
    others = cosines.copy()
    others[each, places] = -np.inf
    following = 1 - others.max(axis=1)
    return float(((following - own) / np.maximum(np.maximum(own, following), 1e-6)).mean())
