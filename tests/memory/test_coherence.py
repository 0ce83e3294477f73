"""Complete-linkage groups: every two members are similar, whatever the clusters were."""

from __future__ import annotations

import numpy as np
import pytest

from aurora.memory.themes import Cluster, split_clusters

ANGLES = np.radians([0, 20, 40, 60, 180])
ROWS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).astype(np.float32)


def split(clusters: list[tuple[int, ...]], least_degrees: float) -> set[tuple[int, ...]]:
    found = split_clusters(ROWS, [Cluster(members, 1.0) for members in clusters], float(np.cos(least_degrees)))
    return {tuple(sorted(group.members)) for group in found}


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(10, set()), (25, {(0, 1), (2, 3)}), (45, {(0, 1), (2, 3)}), (65, {(0, 1, 2, 3)})],
)
def test_a_chain_of_similar_vectors_is_no_group_when_its_ends_are_far_apart(
    degrees: float, expected: set[tuple[int, ...]]
) -> None:
    assert split([(0, 1, 2, 3, 4)], np.radians(degrees)) == expected


def test_two_similar_vectors_of_different_clusters_are_a_group() -> None:
    assert split([(0, 2), (1, 3), (4,)], np.radians(25)) == {(0, 1), (2, 3)}


def test_the_coherence_is_the_lowest_cosine_of_two_members() -> None:
    (group,) = split_clusters(ROWS, [Cluster((0, 1, 2, 3), 1.0)], float(np.cos(np.radians(65))))
    assert group.coherence == pytest.approx(np.cos(np.radians(60)), abs=1e-5)


def test_no_vectors_are_no_groups() -> None:
    assert split_clusters(ROWS[:0], [], 0.6) == []
