"""Small workflows: each mistake is reported on its line and nothing else is; what is right has no problem.

The workflows are in `small/`; what they have in common, `HEAD`, is left out there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = "aurora: 2\nname: w\nversion: 1.0.0\nstart: a\n"


def _read(name: str) -> dict[str, str]:
    """The workflows of a file by name; each begins with `## NAME`, and may leave out the key `phases`.

    One that patches another workflow is whole.
    """
    text = (Path(__file__).parent / "small" / f"{name}.txt").read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    names = [name for name, _, _ in parts]
    assert len(set(names)) == len(names)
    return {name: _complete(body) for name, _, body in parts}


def _complete(body: str) -> str:
    if body.startswith("extends:"):
        return body
    return HEAD + (body if "\nphases:" in body else f"phases:\n{body}")


MISTAKES, RIGHT = _read("mistakes"), _read("right")


ALLOWED = "".join(
    f'[[commands]]\nprogram = "{program}"\narguments = ["*"]\nfurther = ["*"]\n' for program in ("make", "pytest")
)


@pytest.fixture(scope="module")
def workspace(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace of a person who allows the programs that the workflows run."""
    config = tmp_path_factory.mktemp("config")
    (config / "aurora").mkdir()
    (config / "aurora" / "config.toml").write_text(ALLOWED, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, Workspace(project) as opened:
        patch.setenv("XDG_CONFIG_HOME", str(config))
        yield opened


@pytest.mark.parametrize("name", MISTAKES)
def test_a_small_mistake_is_reported_on_its_line_and_nothing_else_is(
    workspace: Workspace, project: Path, name: str
) -> None:
    marks = [(number, line) for number, line in enumerate(MISTAKES[name].splitlines(), 1) if "#!" in line]
    ((wanted, marked),) = marks
    found = workspace.workflows.check_text(re.sub(r" *#!.*", "", MISTAKES[name]), project / "w.yaml")

    assert {problem.line for problem in found} == {wanted}, [problem.heading for problem in found]
    codes = set(marked.rpartition("#!")[2].split())
    assert {problem.code for problem in found} & codes, [problem.heading for problem in found]


@pytest.mark.parametrize("name", RIGHT)
def test_a_small_workflow_that_is_right_has_no_problem(workspace: Workspace, project: Path, name: str) -> None:
    found = workspace.workflows.check_text(RIGHT[name], project / "w.yaml")

    assert [problem.heading for problem in found] == []


def test_there_are_enough_small_workflows() -> None:
    assert len(MISTAKES) >= 300
    assert len(RIGHT) >= 250
