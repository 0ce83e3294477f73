"""Measure what ACT-R activation would do to the ranking: `python bench/activation.py REPOSITORY [COMMITS]`.

The questions are the messages of a repository's newest commits, and the relevant files the code that it changes.
The memory is of the tree before the first of them. Activation comes from the commits before each question, in two ways:
`changed`, where each file that a commit changes is a use, and `brought`, where also each file among the first ten hits
of an earlier question is one, as a search records it. Hits whose files are active rank higher, by several weights.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory import Memory
from aurora.memory.analysis.usage import MAX_USES, compute_base_level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
_LIMIT, _AHEAD = 10, 20
_MAX_FILES = 5
"""A commit that changes more files is a sweep, and its message answers no question about a place."""
_MIN_WORDS = 3
_EARLIER = 500
"""Commits before the first question whose files count as used."""
_SAMPLES = 2_000


class Commit(NamedTuple):
    """Commit with its time in seconds since 1970, its message, and the files that it changes."""

    hash: str
    time: float
    message: str
    paths: tuple[str, ...]


@dataclass
class UsedFiles:
    """Times of the uses of each file."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, paths: Sequence[str], at: float) -> None:
        """Add a use of each file."""
        for path in paths:
            self.times[path].append(at)

    def compute_activation(self, paths: Sequence[str], now: float) -> dict[str, float]:
        """Compute the base level of the files that were used, scaled to 0..1 among these."""
        known = {path: self.times[path][-MAX_USES:] for path in paths if path in self.times}
        levels = {path: compute_base_level([now - at for at in times]) for path, times in known.items()}
        low, high = min(levels.values(), default=0.0), max(levels.values(), default=0.0)
        return {path: (level - low) / (high - low) if high > low else 1.0 for path, level in levels.items()}


def read_commits(repository: Path, count: int) -> list[Commit]:
    """Read the newest commits without merges, the oldest first."""
    command = ["git", "-C", str(repository), "log", "--no-merges", f"--max-count={count}", "--name-only"]
    command.append("--format=%x00%H%x01%ct%x01%B%x01")
    out = subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout
    commits = []
    for entry in out.split("\0")[1:]:
        hash_, time, message, files = entry.split("\x01")
        commits.append(Commit(hash_, float(time), message.strip(), tuple(files.split())))
    return commits[::-1]


def rank_first(scores: Mapping[str, float], relevant: set[str]) -> float:
    """Return the reciprocal rank of the first relevant file among the first ten."""
    order = sorted(scores, key=lambda path: -scores[path])[:_LIMIT]
    return next((1 / rank for rank, path in enumerate(order, 1) if path in relevant), 0.0)


def boost(scores: Mapping[str, float], activation: Mapping[str, float], weight: float) -> dict[str, float]:
    """Raise the scores of active files."""
    return {path: score * (1 + weight * activation.get(path, 0.0)) for path, score in scores.items()}


def measure_repository(repository: Path, count: int) -> dict[str, dict[float, list[float]]]:
    """Return the reciprocal ranks of the questions by way and weight."""
    commits = read_commits(repository, count + _EARLIER)
    earlier, later = commits[:-count], commits[-count:]
    used = {"changed": UsedFiles(), "brought": UsedFiles()}
    for commit in earlier:
        for uses in used.values():
            uses.add(commit.paths, commit.time)
    found: dict[str, dict[float, list[float]]] = {way: defaultdict(list) for way in used}
    with tempfile.TemporaryDirectory() as temporary, Memory.open(Path(temporary) / "memory.db") as memory:
        folder = extract_tree(repository, earlier[-1].hash, Path(temporary))
        memory.index(folder)
        code = {chunk.path for chunk in memory.iter_chunks() if chunk.type == "code"}
        for commit in later:
            relevant = code.intersection(commit.paths)
            if relevant and len(commit.paths) <= _MAX_FILES and len(commit.message.split()) >= _MIN_WORDS:
                scores: dict[str, float] = {}
                for hit in memory.search(commit.message[:2000], limit=_LIMIT + _AHEAD, types=("code",)).hits:
                    scores.setdefault(hit.chunk.path or "", hit.score)
                for way, uses in used.items():
                    activation = uses.compute_activation(list(scores), commit.time)
                    for weight in WEIGHTS:
                        found[way][weight].append(rank_first(boost(scores, activation, weight), relevant))
                used["brought"].add(list(scores)[:_LIMIT], commit.time)
            for uses in used.values():
                uses.add(commit.paths, commit.time)
    return found


def extract_tree(repository: Path, commit: str, folder: Path) -> Path:
    """Extract the files of a commit into a new folder."""
    archive, tree = folder / "tree.tar", folder / "tree"
    tree.mkdir()
    command = ["git", "-C", str(repository), "archive", "--output", str(archive), commit]
    subprocess.run(command, check=True)
    subprocess.run(["tar", "-x", "-f", str(archive), "-C", str(tree)], check=True)  # noqa: S607 - tar
    return tree


def estimate_range(differences: Sequence[float]) -> tuple[float, float]:
    """Estimate the 95 % confidence interval of the mean difference by bootstrap."""
    chance = random.Random(1)  # noqa: S311 - samples, no secrets
    means = sorted(fmean(chance.choices(differences, k=len(differences))) for _ in range(_SAMPLES))
    return means[int(0.025 * _SAMPLES)], means[int(0.975 * _SAMPLES)]


def main() -> None:
    """Print the mean reciprocal rank of each way and weight, and its change with a 95 % interval."""
    repository, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 400  # noqa: PLR2004 - argument
    found = measure_repository(repository, count)
    for way, by_weight in found.items():
        plain = by_weight[0.0]
        print(f"{repository.name} {way}: {len(plain)} questions, MRR {fmean(plain):.3f} without activation")
        for weight in WEIGHTS[1:]:
            differences = [new - old for new, old in zip(by_weight[weight], plain, strict=True)]
            low, high = estimate_range(differences)
            better, worse = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
            change = f"{fmean(differences):+.3f} ({low:+.3f} to {high:+.3f})"
            print(f"  weight {weight:<4}  MRR {fmean(by_weight[weight]):.3f}  {change}  {better} better, {worse} worse")


if __name__ == "__main__":
    main()
