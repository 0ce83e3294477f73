"""Duration of SOAR's assessment of a question, with the shipped settings."""

from __future__ import annotations

import json
import re
import tempfile
import time
from pathlib import Path

from rows import Row, emit, median
from ruamel.yaml import YAML

from aurora.tools.core.context import Context
from aurora.tools.reasoning.complexity.assess import TOOL
from aurora.tools.runtime.workspace import Workspace

ROUNDS = 301
AIM_MILLISECONDS = 1.0
QUESTIONS = {
    "short": "production is down, users cannot log in",
    "usual": "Refactor the authentication module to use OAuth2 without breaking existing sessions",
    "of 8,000 characters": ("how does the scheduler decide which of the waiting jobs of a user runs first? " * 110)[
        :8000
    ],
}


def main() -> None:
    """Measure each question against finding its words."""
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        (Path(folder) / ".git").mkdir()
        with Workspace(Path(folder)) as workspace:
            emit([_row(workspace, name, question) for name, question in QUESTIONS.items()])


def _row(workspace: Workspace, name: str, question: str) -> Row:
    soar = YAML(typ="safe", pure=True).load(Path(__file__).resolve().parents[1] / "workflows" / "soar.yaml")
    params = TOOL.params.model_validate_json(json.dumps(soar["phases"]["assess"]["params"]))
    context = Context(workspace, params, "bench")
    given = TOOL.input(query=question)
    taken, bare = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        TOOL.run(given, context)
        middle = time.perf_counter()
        re.findall(r"\w+", question.casefold())
        taken.append((middle - began) * 1000)
        bare.append((time.perf_counter() - middle) * 1000)
    mine, yard = median(taken), median(bare)
    return Row(
        f"assessing a question, {name}",
        f"{mine:.3f} ms",
        f"finding its words: {yard:.3f} ms",
        mine / yard,
        f"< {AIM_MILLISECONDS:.0f} ms",
        mine < AIM_MILLISECONDS,
    )


if __name__ == "__main__":
    main()
