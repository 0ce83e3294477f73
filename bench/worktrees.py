"""Measure processor time of a second worktree and of switches between commits.

    python bench/worktrees.py REPOSITORY [COMMIT]

REPOSITORY is a clone of any project; COMMIT, by default `HEAD~100`, is what the worktree switches to and back. The
clone is copied and not changed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from aurora.memory import Memory, database_path


def measure_cpu() -> float:
    """Return the processor seconds of this process and its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def run_git(root: Path, *words: str) -> str:
    """Run git and return its output."""
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def measure_index(name: str, root: Path) -> None:
    """Index a tree, and print what it cost."""
    with Memory.open(database_path(root)) as memory:
        began = measure_cpu()
        report = memory.index(root)
        used = measure_cpu() - began
        size = memory.stats().size_bytes
    counts = f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged, {report.removed} removed"
    print(f"{name:32} {used:6.2f} s  {report.bytes / 1e6:5.1f} MB; {counts}; database {size / 1e6:.0f} MB")


def main() -> None:
    """Measure a repository."""
    source, other = Path(sys.argv[1]), (sys.argv[2:] or ["HEAD~100"])[0]
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder).resolve() / "first", Path(folder).resolve() / "second"
        run_git(source, "clone", "-q", "--shared", os.fspath(source.resolve()), os.fspath(first))
        here, there = run_git(first, "rev-parse", "HEAD", other).split()
        print(f"{len(run_git(first, 'diff', '--name-only', here, there).splitlines())} files differ")
        measure_index("first worktree", first)
        run_git(first, "worktree", "add", "-q", "--detach", os.fspath(second), here)
        measure_index("second worktree", second)
        measure_index("second worktree, unchanged", second)
        run_git(second, "checkout", "-q", there)
        measure_index("switch to unseen contents", second)
        run_git(second, "checkout", "-q", here)
        measure_index("switch back", second)
        run_git(second, "checkout", "-q", there)
        measure_index("switch again", second)
        third = Path(folder).resolve() / "third"
        run_git(first, "worktree", "add", "-q", "--detach", os.fspath(third), there)
        measure_index("third worktree at that commit", third)
        run_git(first, "checkout", "-q", there)
        measure_index("switch of the first worktree", first)


if __name__ == "__main__":
    main()
