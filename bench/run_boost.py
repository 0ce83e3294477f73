"""Measure what the boost of a run does to labelled questions: `python bench/run_boost.py QUESTIONS FOLDER REPO…`.

FOLDER has a checkout for each REPO, named as in the questions. Each question is searched without a run, then with a run
that has touched the five best files of the question before it, which is about something else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.tools.memory.hits.touched import TouchedPlaces, boost_touched
from aurora.tools.runtime import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Hit

_LIMIT, _AHEAD, _TOUCHED = 10, 10, 5


def rank_first(hits: Sequence[Hit], relevant: set[str]) -> float:
    """Return the reciprocal rank of the first relevant file among the first ten hits."""
    paths = dict.fromkeys(hit.chunk.path for hit in hits[:_LIMIT] if hit.chunk.path)
    ranks = [rank for rank, path in enumerate(paths, 1) if path in relevant]
    return 1 / ranks[0] if ranks else 0.0


def measure_repository(folder: Path, questions: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """Return the reciprocal ranks without and with the boost, by question."""
    found: list[tuple[float, float]] = []
    before: list[str] = []
    with Workspace(folder) as workspace:
        workspace.memory.index(workspace.root)
        for question in questions:
            hits = list(workspace.memory.search(question["query"], limit=_LIMIT + _AHEAD).hits)
            relevant = {place["path"] for place in question["relevant"]}
            boosted = boost_touched(hits, TouchedPlaces(frozenset(before)))
            found.append((rank_first(hits, relevant), rank_first(boosted, relevant)))
            before = list(dict.fromkeys(hit.chunk.path for hit in hits if hit.chunk.path))[:_TOUCHED]
    return found


def main() -> None:
    """Print the mean reciprocal ranks of each repository and of all."""
    everything: list[tuple[float, float]] = []
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    known = [json.loads(line) for line in lines]
    for name in sys.argv[3:]:
        own = measure_repository(Path(sys.argv[2]) / name, [one for one in known if one["repo"] == name])
        everything += own
        print_means(name, own)
    print_means("all", everything)


def print_means(name: str, found: Sequence[tuple[float, float]]) -> None:
    """Print the means of one row."""
    plain, boosted = (sum(column) / len(found) for column in zip(*found, strict=True))
    changed = sum(one != other for one, other in found)
    print(f"{name:<16} {len(found):4} questions  MRR {plain:.4f}  with a run {boosted:.4f}  changed {changed}")


if __name__ == "__main__":
    main()
