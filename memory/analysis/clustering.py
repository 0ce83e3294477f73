"""Algorithms that cluster unit vectors.

K-means is Aurora's own; the others come from scikit-learn, where it is installed.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from aurora.faults import Code, Fault

from .kmeans import Cluster, cluster_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Algorithm: TypeAlias = Literal["kmeans", "hdbscan", "spectral"]
_LIBRARY = "sklearn.cluster"
_MIN_MEMBERS = 2
_MAX_ROWS = 2000
"""Vectors that the algorithms of the library cluster; their time grows with the square of the number."""


def cluster_rows(rows: Floats, most: int, algorithm: Algorithm = "kmeans") -> list[Cluster]:
    """Cluster unit vectors into at most `most` clusters; hdbscan leaves out vectors that fit into none.

    Raises:
        Fault: UPSTREAM_ERROR for an algorithm whose library is not installed; INVALID_INPUT for too many vectors.
    """
    if algorithm == "kmeans":
        return cluster_vectors(rows, most)
    library = _load_library(algorithm)
    if len(rows) > _MAX_ROWS:
        raise Fault(
            Code.INVALID_INPUT,
            f"{algorithm} clusters at most {_MAX_ROWS:,} memories, and there are {len(rows):,}",
            help="Use kmeans, or name fewer with memory_ids.",
        )
    if len(rows) <= _MIN_MEMBERS:
        return cluster_vectors(rows, most)
    return _collect_clusters(rows, _label_rows(library, rows, most, algorithm))[:most]


def require_algorithm(algorithm: Algorithm) -> None:
    """Check that the library of an algorithm is installed, before any data is read.

    Raises:
        Fault: UPSTREAM_ERROR when it is not.
    """
    if algorithm != "kmeans":
        _load_library(algorithm)


def _load_library(algorithm: Algorithm) -> Any:
    try:
        return import_module(_LIBRARY)
    except ImportError:
        raise Fault(
            Code.UPSTREAM_ERROR,
            f'the algorithm "{algorithm}" needs scikit-learn, which is not installed',
            help="Use kmeans, or `pip install scikit-learn` into the environment of Aurora.",
            details={"algorithm": algorithm, "library": "scikit-learn", "choices": ["kmeans"]},
        ) from None


def _label_rows(library: Any, rows: Floats, most: int, algorithm: Algorithm) -> list[int]:
    """Label the vectors with the numbers of their clusters; -1 for none."""
    if algorithm == "hdbscan":
        model = library.HDBSCAN(min_cluster_size=_MIN_MEMBERS, copy=True)
        return list(map(int, model.fit_predict(rows)))
    count = max(1, len(cluster_vectors(rows, most)))  # as many as the silhouette favours
    affinity = np.clip(rows @ rows.T, 0.0, 1.0)
    model = library.SpectralClustering(n_clusters=count, affinity="precomputed", random_state=0)
    with warnings.catch_warnings():  # of vectors that share nothing it warns on standard error, and still clusters them
        warnings.simplefilter("ignore", UserWarning)
        return list(map(int, model.fit_predict(affinity)))


def _collect_clusters(rows: Floats, labels: list[int]) -> list[Cluster]:
    """Collect the clusters, the largest first, the members nearest to the centroid first."""
    clusters = []
    for label in sorted(set(labels) - {-1}):
        own = np.flatnonzero(np.asarray(labels) == label)
        centre = rows[own].mean(axis=0)
        cosines = np.round(rows[own] @ (centre / (np.linalg.norm(centre) or 1.0)), 6)
        ordered = own[np.argsort(-cosines, kind="stable")]
        clusters.append(Cluster(tuple(map(int, ordered)), float(cosines.mean())))
    return sorted(clusters, key=lambda cluster: (-len(cluster.members), cluster.members))
