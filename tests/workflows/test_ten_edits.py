"""The ten edits of SOAR that the guide shows: each is valid, short, and changes the workflow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aurora.tools.runtime.workspace import Workspace

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "writing-a-workflow.md"
EDITS = re.findall(
    r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8").partition("## Ten edits of SOAR")[2], re.DOTALL
)
MOST_LINES = 8


def test_there_are_ten() -> None:
    assert len(EDITS) == 10


@pytest.mark.parametrize("text", EDITS)
def test_an_edit_is_a_few_lines_and_valid(text: str, tmp_path: Path) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    assert len(text.splitlines()) <= MOST_LINES
    (folder / "edited.yaml").write_text(
        text.replace("extends: soar\n", "extends: soar\nname: edited\n"), encoding="utf-8"
    )
    with Workspace(tmp_path) as workspace:
        assert [str(problem.message) for problem in workspace.workflows.find_problems("edited")] == []
        edited, shipped = (workspace.workflows.load(name).document.data for name in ("edited", "soar"))
        assert edited | {"name": "soar"} != shipped
