"""Each code has its page; what the page calls wrong is told just so, and what it calls right has no problem."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter.problems.codes import PAGES_FOLDER, list_kinds, read_page, summarize_page
from aurora.interpreter.problems.render import render_problems
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ORDER = sorted(list_kinds().values(), key=lambda kind: kind.code[1:])
NAME = "tea.yaml"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A project whose folder of workflows is the current one."""
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    with Workspace(tmp_path) as opened:
        yield opened


def test_every_code_has_a_page_and_no_page_is_left_over() -> None:
    assert {path.stem for path in PAGES_FOLDER.glob("*.md")} == {"README", *list_kinds()}


def test_the_index_names_every_page_in_order() -> None:
    text = (PAGES_FOLDER / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \| ([\w-]+) \| (\w+) \|$", text, re.MULTILINE)

    assert rows == [(kind.code, kind.code, kind.name, kind.severity) for kind in ORDER]


@pytest.mark.parametrize("code", [kind.code for kind in ORDER])
def test_a_page_says_what_the_code_means_and_its_examples_are_true(
    code: str, workspace: Workspace, blocks_of: Callable[[Path], list[Any]]
) -> None:
    kind = list_kinds()[code]
    assert read_page(code).startswith(f"# {code} {kind.name}\n\n")
    assert len(summarize_page(code)) > 40

    told: list[str] = []
    for block in blocks_of(PAGES_FOLDER / f"{code}.md"):
        file = Path(block.words.get("save", NAME))
        file.parent.mkdir(parents=True, exist_ok=True)
        if block.language == "text":
            told.append(block.text)
            continue
        file.unlink(missing_ok=True)
        if block.language == "sh":
            subprocess.run(["bash", "-euc", block.text], check=True)
        else:
            file.write_text(block.text, encoding=block.words.get("encoding", "utf-8"))
        if "wrong" in block.words:
            found = workspace.workflows.find_problems(str(Path.cwd() / NAME))
            told.append(render_problems(found) + "\n")
            assert code in {one.code for one in found}
        elif "right" in block.words:
            assert render_problems(workspace.workflows.find_problems(str(Path.cwd() / NAME))) == ""
            told.append("right")

    said, shown, right = told
    assert right == "right"
    if shown.startswith("…\n"):
        assert said.endswith(f"\n{shown.removeprefix('…')}")
    else:
        assert said == shown
