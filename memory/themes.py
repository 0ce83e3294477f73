"""Themes: clusters of chunks by embedding, labelled by distinctive words."""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib import import_module
from math import isqrt, log
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aurora.errors import Code, Fault
from aurora.memory.text_index.tokens import find_identifiers, split_identifier, stem_word

from .embeddings import DIMENSIONS, get_load_error, normalize_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import Chunk

    from .storage.store import Store

    Floats = NDArray[np.float32]
    Places = NDArray[np.intp]


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
    # Before the vectors are read: with a large memory the error would take seconds.
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


MAX_WORDS = 4
_WORD = re.compile(r"[^\W\d_]{3,40}")
_STOP_WORD_TEXT = """
about after all also always and any are because been before being but can could did does each every first for from
had has have her here his how into its just last let like made make may more most much must never new not now off
one only other our out over own same see should since some such take than that the their them then there these they
this those through too two use used very was way were what when where which while who whose why will with without
would you your answer files goal question subgoals
"""
_STOP_WORDS = frozenset(_STOP_WORD_TEXT.split())
"""Stop words, and words that occur in every pattern."""


def label_groups(groups: Sequence[Sequence[Chunk]]) -> list[tuple[str, ...]]:
    """Label each group with its most distinctive words.

    By class-based TF-IDF: tf * ln(1 + A / f), tf the word's share in the group, A the mean number of words of a group,
    f how often the word occurs in all (Grootendorst 2022, "BERTopic"). Words of one stem count as one.
    """
    counts = [_count_stems(group) for group in groups]
    every = sum((stems for stems, _ in counts), Counter[str]())
    mean = sum(every.values()) / max(len(groups), 1)
    labels = []
    for stems, forms in counts:
        total = max(sum(stems.values()), 1)
        scored = sorted((-(count / total) * log(1 + mean / every[stem]), stem) for stem, count in stems.items())
        labels.append(tuple(_choose_form(forms[stem]) for _, stem in scored[:MAX_WORDS]))
    return labels


def _choose_form(forms: Counter[str]) -> str:
    """Return the most frequent form of a stem."""
    return min(forms, key=lambda form: (-forms[form], form))


def _count_stems(group: Sequence[Chunk]) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Count the members that contain each stem, and its word forms."""
    stems: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for chunk in group:
        seen = set()
        for found in _WORD.findall(_extract_text(chunk)):
            word = found.lower()
            if word not in _STOP_WORDS:
                forms[stem_word(word)][word] += 1
                seen.add(stem_word(word))
        stems.update(seen)
    return stems, forms


def _extract_text(chunk: Chunk) -> str:
    """Extract the text to label by; for code only symbol and path, since code shares words."""
    # The words of a language are in all of its chunks and distinguish none of them.
    if chunk.type != "code":
        return f"{chunk.symbol}\n{chunk.text}"
    return " ".join(
        part for name in find_identifiers(f"{chunk.symbol} {chunk.path}") for part in split_identifier(name)
    )


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
    if algorithm == "kmeans" or len(rows) <= _MIN_MEMBERS:
        return _collect_clusters(rows, _label_by_kmeans(rows, most))
    library = _load_library(algorithm)
    if len(rows) > _MAX_ROWS:
        raise Fault(
            Code.INVALID_INPUT,
            f"{algorithm} clusters at most {_MAX_ROWS:,} memories, and there are {len(rows):,}",
            help="Use kmeans, or name fewer with memory_ids.",
        )
    return _collect_clusters(rows, _label_by_library(library, rows, most, algorithm))[:most]


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


def _label_by_library(library: Any, rows: Floats, most: int, algorithm: Algorithm) -> Places:
    """Label the vectors with the numbers of their clusters; -1 for none."""
    if algorithm == "hdbscan":
        model = library.HDBSCAN(min_cluster_size=_MIN_MEMBERS, copy=True)
        return np.asarray(model.fit_predict(rows), np.intp)
    count = len(set(_label_by_kmeans(rows, most).tolist()))  # as many as the silhouette favours
    # The spectral algorithm reads these as weights of a graph, and takes no negative one.
    affinity = np.clip(rows @ rows.T, 0.0, 1.0)
    model = library.SpectralClustering(n_clusters=count, affinity="precomputed", random_state=0)
    with warnings.catch_warnings():  # of vectors that share nothing it warns on standard error, and still clusters them
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(model.fit_predict(affinity), np.intp)


def _collect_clusters(rows: Floats, labels: Places) -> list[Cluster]:
    """Collect the clusters, the largest first, the members nearest to the centroid first."""
    clusters = []
    for label in sorted(set(labels.tolist()) - {-1}):
        own = np.flatnonzero(labels == label)
        centre = rows[own].mean(axis=0)
        cosines = np.round(rows[own] @ (centre / (np.linalg.norm(centre) or 1.0)), 6)
        ordered = own[np.argsort(-cosines, kind="stable")]
        clusters.append(Cluster(tuple(map(int, ordered)), float(cosines.mean())))
    return sorted(clusters, key=lambda cluster: (-len(cluster.members), cluster.members))


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
    # Complete linkage: with single linkage a chain of similar vectors is one group although its ends are far apart.
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


_MAX_ROUNDS = 25
_MIN_IMPROVEMENT = 0.02
"""Minimum rise of the mean silhouette for one more cluster."""


class Cluster(NamedTuple):
    """Cluster: positions of its members, nearest to the centroid first; mean cosine to it."""

    members: tuple[int, ...]
    coherence: float


def _label_by_kmeans(rows: Floats, most: int) -> Places:
    """Label the vectors with at most `most` clusters, as many as the silhouette favours.

    The silhouette is the simplified one, with distances to centroids only (Hruschka, de Castro and Campello 2004).
    """
    ceiling = min(most, max(1, isqrt(2 * len(rows))), len(rows))
    best, labels = -1.0, np.zeros(len(rows), np.intp)
    for count in range(2, ceiling + 1):
        places, centres = _run_kmeans(rows, count)
        score = _compute_silhouette(rows @ centres.T, places)
        if score > best + _MIN_IMPROVEMENT:
            best, labels = score, places
    return labels


def _run_kmeans(rows: Floats, count: int) -> tuple[Places, Floats]:
    """Run k-means from the vector nearest to the mean and then the farthest ones."""
    # No random start: the same memory has the same themes in every call.
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
