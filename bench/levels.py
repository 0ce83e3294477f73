"""Levels that SOAR's assessment gives to labelled questions, with the shipped settings.

    python bench/levels.py

For each set in tests/tools/reasoning/complexity/questions, it prints the share of right levels and a table of labels
against the levels.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from aurora.interpreter.language.loader import load_workflow
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = ROOT / "tests" / "tools" / "reasoning" / "complexity" / "questions"
LEVELS = ("SIMPLE", "MEDIUM", "COMPLEX", "CRITICAL")


class Labelled(NamedTuple):
    """Question with its label."""

    level: str
    question: str


class Confusion(NamedTuple):
    """Count of questions by label and assessed level."""

    counts: Counter[tuple[str, str]]

    @property
    def right(self) -> int:
        """Number of questions with the level of their label."""
        return sum(self.counts[level, level] for level in LEVELS)

    @property
    def total(self) -> int:
        """Number of all questions."""
        return self.counts.total()

    def __str__(self) -> str:
        rows = [f"| {label} | {' | '.join(str(self.counts[label, level]) for level in LEVELS)} |" for label in LEVELS]
        head = f"| label \\ level | {' | '.join(LEVELS)} |"
        return "\n".join([head, "|---|" + "---|" * len(LEVELS), *rows])


def read_questions(path: Path) -> list[Labelled]:
    """Read a set: a line is a level, a tab and a question, and what follows a second tab is its reason."""
    lines = path.read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [Labelled(level, question.replace("\\n", "\n")) for level, question, *_ in cells]


def read_phase(name: str) -> dict[str, Any]:
    """Read a phase of the shipped workflow, with the files of its settings."""
    path = ROOT / "workflows" / "soar.yaml"
    definition = load_workflow(path, source="shipped", base_of=lambda *_: None).definition
    if definition is None:
        raise SystemExit(f"{path} is not valid")
    phase: dict[str, Any] = definition.document.data["phases"][name]
    return phase


def count_levels(questions: list[Labelled]) -> Confusion:
    """Assess the questions with the settings of the shipped workflow."""
    phase = read_phase("assess")
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        (Path(folder) / ".git").mkdir()
        with Workspace(Path(folder)) as workspace:
            for label, question in questions:
                found = call_tool(workspace, phase["uses"], {"query": question}, params=phase["params"])
                counts[label, found["complexity"]] += 1
    return Confusion(counts)


def main() -> None:
    """Print the table of each set."""
    for path in sorted(QUESTIONS.glob("*.tsv")):
        found = count_levels(read_questions(path))
        print(f"{path.stem}: {found.right} of {found.total} levels are right ({found.right / found.total:.1%})\n")
        print(f"{found}\n")


if __name__ == "__main__":
    main()
