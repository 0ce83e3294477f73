"""Issue texts as queries: is a file of the reference patch among the first files that a search finds?

    python bench/issues.py ISSUES REPOSITORIES [--history FILE]

ISSUES is a file of JSON lines as of SWE-bench Lite: `instance_id`, `repo`, `base_commit`, `problem_statement`, `patch`.
REPOSITORIES is a folder with a git repository for each, bare or not, named `owner__name`. Each issue is searched in the
tree of its own commit; the commits of a repository are indexed one after the other, the oldest first, in one memory.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from history import append_figures

from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TUNING = frozenset({"django/django", "sphinx-doc/sphinx", "pytest-dev/pytest", "psf/requests", "pallets/flask"})
"""Repositories on which the search of reports was tuned; all others are held back."""
_HITS = 40
_FILES = 10
_PATCHED = re.compile(r"^--- a/(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """Outcome of one issue: the files of its patch, and the first files that were found."""

    repository: str
    wanted: frozenset[str]
    found: tuple[str, ...]

    def is_within(self, count: int) -> bool:
        """Return True when a file of the patch is among the first files."""
        return not self.wanted.isdisjoint(self.found[:count])

    @property
    def recall(self) -> float:
        """Share of the files of the patch among the first ten."""
        return len(self.wanted.intersection(self.found)) / len(self.wanted)


class Checkout:
    """Work tree of a repository in a temporary folder, moved from commit to commit."""

    def __init__(self, repository: Path, folder: Path) -> None:
        git_folder = repository / ".git" if (repository / ".git").exists() else repository
        self.tree = folder / "tree"
        self.tree.mkdir()
        self._git = ["git", "--git-dir", str(git_folder), "--work-tree", str(self.tree)]
        self._environment = {**os.environ, "GIT_INDEX_FILE": str(folder / "index")}

    def read_time(self, commit: str) -> int:
        """Read the time of a commit; 0 when the repository does not have it."""
        return int(self._run("show", "-s", "--format=%ct", commit).strip() or 0)

    def move(self, commit: str) -> None:
        """Write the tree of a commit, and delete all other files."""
        self._run("read-tree", commit)
        self._run("checkout-index", "-a", "-f")
        wanted = set(self._run("ls-files", "-z").split("\0"))
        for path in self.tree.rglob("*"):
            if path.is_file() and path.relative_to(self.tree).as_posix() not in wanted:
                path.unlink()

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [*self._git, *words], env=self._environment, capture_output=True, text=True, check=False, errors="replace"
        )
        return done.stdout


def search_issues(repository: Path, issues: Sequence[Mapping[str, Any]]) -> Iterator[Outcome]:
    """Search the text of each issue in the tree of its commit."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        checkout = Checkout(repository, folder)
        timed = [(checkout.read_time(issue["base_commit"]), issue) for issue in issues]
        with Memory.open(folder / "memory.db") as memory:
            for at, issue in sorted(timed, key=lambda one: one[0]):
                if not at:
                    print(f"{issue['instance_id']}: the repository does not have its commit", flush=True)
                    continue
                checkout.move(issue["base_commit"])
                memory.index(checkout.tree)
                hits = memory.search(issue["problem_statement"], limit=_HITS).hits
                paths = dict.fromkeys(hit.chunk.path for hit in hits if hit.chunk.path)
                wanted = frozenset(_PATCHED.findall(issue["patch"]))
                yield Outcome(issue["repo"], wanted, tuple(paths)[:_FILES])


def compute_figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Compute Acc@1, Acc@5 and recall@10."""
    return {
        "Acc@1": statistics.fmean(one.is_within(1) for one in outcomes),
        "Acc@5": statistics.fmean(one.is_within(5) for one in outcomes),
        "recall@10": statistics.fmean(one.recall for one in outcomes),
    }


def print_row(name: str, outcomes: Sequence[Outcome]) -> None:
    """Print the figures of some issues as a row of the table."""
    figures = " | ".join(f"{value:.3f}" for value in compute_figures(outcomes).values())
    print(f"| {name} | {len(outcomes)} | {figures} |", flush=True)


def main() -> int:
    """Print a table by repository, and the figures of the sets for tuning and held back."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("issues", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--history", type=Path, help="append the figures to this file, and compare with the last run")
    given = parser.parse_args()
    by_repository: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for line in given.issues.read_text(encoding="utf-8").splitlines():
        issue = json.loads(line)
        by_repository[issue["repo"]].append(issue)
    print("| repository | issues | Acc@1 | Acc@5 | recall@10 |\n|---|---|---|---|---|")
    every: list[Outcome] = []
    for name, issues in by_repository.items():
        folder = given.repositories / name.replace("/", "__")
        if not folder.is_dir():
            print(f"| {name} | no repository {folder.name} | | | |", flush=True)
            continue
        some = list(search_issues(folder, issues))
        every += some
        if some:
            print_row(name, some)
    sets = {
        "for tuning": [one for one in every if one.repository in TUNING],
        "held back": [one for one in every if one.repository not in TUNING],
        "all": every,
    }
    for name, some in sets.items():
        if not some:
            continue
        print_row(name, some)
        if given.history:
            print("\n".join(append_figures(given.history, f"issues, {name}", compute_figures(some))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
