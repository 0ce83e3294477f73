"""Share of mistakes reported on their own line, and of false reports.

Mistakes are made in valid workflows; a false report blames a valid workflow.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from rows import Row, emit

from aurora.tools.runtime.workspace import Workspace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "properties"))

from generated import workflow
from mistakes import MISTAKES, make, missed

RIGHT = 200
EACH = 3
"""Repetitions of each mistake, each time in another workflow."""


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as workspace:
        path = Path(folder) / "w.yaml"

        def told(text: str) -> bool:
            return bool(workspace.workflows.check_text(text, path))

        blamed = sum(told(workflow(seed).text) for seed in range(RIGHT))
        made = [(mistake, make(mistake, 10_000 * number)) for mistake in MISTAKES for number in range(EACH)]
        found = sum(
            not missed(mistake, mistaken, workspace.workflows.check_text(mistaken.text, path))
            for mistake, mistaken in made
        )
    kinds = f"{len(made):,} of {len(MISTAKES)} kinds"
    emit(
        [
            Row(
                "mistakes told on their line only", f"{found:,}", kinds, found / len(made), "= 1.00", found == len(made)
            ),
            Row("right workflows blamed", str(blamed), f"{RIGHT}", blamed / RIGHT, "= 0.00", not blamed),
        ]
    )


if __name__ == "__main__":
    main()
