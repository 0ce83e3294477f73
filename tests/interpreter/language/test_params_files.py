"""`params`, or one of its values, in a YAML file of the workflow's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter.problems import select_errors
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.interpreter import Catalog

    Write = Callable[[str, str], Path]

WEIGH = """
aurora: 2
name: weigh
version: 1.0.0
start: find
phases:
  find:
    inputs: {{ topic: {{ type: string }} }}
    uses: context.retrieve
    with: {{ query: topic, complexity: "'SIMPLE'" }}
    params: {params}
    next_action: end
"""
SETTINGS = "budget: { SIMPLE: 2, MEDIUM: 3, COMPLEX: 4, CRITICAL: 5 }\npreview_chars: 80\ndoubtful_below: 0.3\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(name: str, text: str) -> Path:
        path = tmp_path / ".aurora" / "workflows" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return file


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with Workspace(tmp_path) as workspace:
        yield workspace.workflows


def read_params(catalog: Catalog, name: str = "weigh") -> dict[str, Any]:
    return dict(catalog.load(name).workflow.phases["find"].params)


def find_errors(catalog: Catalog, path: Path) -> list[Any]:
    return select_errors(catalog.find_problems(str(path)))


def test_params_may_be_a_file(catalog: Catalog, write: Write) -> None:
    write("weigh.yaml", WEIGH.format(params="weigh/find.yaml"))
    write("weigh/find.yaml", SETTINGS)
    assert read_params(catalog)["budget"] == {"SIMPLE": 2, "MEDIUM": 3, "COMPLEX": 4, "CRITICAL": 5}


def test_a_value_of_params_may_be_a_file(catalog: Catalog, write: Write) -> None:
    write("weigh.yaml", WEIGH.format(params="{ budget: weigh/budget.yml, preview_chars: 80, doubtful_below: 0.3 }"))
    write("weigh/budget.yml", "{ SIMPLE: 7, MEDIUM: 3, COMPLEX: 4, CRITICAL: 5 }")
    assert read_params(catalog)["budget"]["SIMPLE"] == 7
    assert read_params(catalog)["preview_chars"] == 80


def test_a_patch_merges_into_a_file_at_every_depth(catalog: Catalog, write: Write) -> None:
    write("weigh.yaml", WEIGH.format(params="weigh/find.yaml"))
    write("weigh/find.yaml", SETTINGS)
    patch = "extends: weigh\nname: mine\nphases: { find: { params: { budget: { SIMPLE: 9 } } } }\n"
    write("mine.yaml", patch)
    assert read_params(catalog, "mine")["budget"] == {"SIMPLE": 9, "MEDIUM": 3, "COMPLEX": 4, "CRITICAL": 5}


def test_a_patch_may_itself_name_a_file_which_lies_beside_it(catalog: Catalog, write: Write) -> None:
    write("weigh.yaml", WEIGH.format(params="weigh/find.yaml"))
    write("weigh/find.yaml", SETTINGS)
    write("mine.yaml", "extends: weigh\nname: mine\nphases: { find: { params: mine/find.yaml } }\n")
    write("mine/find.yaml", "budget: { SIMPLE: 1 }\n")
    assert read_params(catalog, "mine")["budget"]["SIMPLE"] == 1
    assert read_params(catalog, "mine")["preview_chars"] == 80


def test_a_wrong_setting_is_reported_in_its_own_file(catalog: Catalog, write: Write) -> None:
    path = write("weigh.yaml", WEIGH.format(params="weigh/find.yaml"))
    named = write("weigh/find.yaml", SETTINGS.replace("preview_chars", "preview_char"))
    (problem,) = find_errors(catalog, path)
    assert (problem.path, problem.line, problem.column) == (str(named), 2, 1)
    assert 'did you mean "preview_chars"?' in problem.help


@pytest.mark.parametrize("params", ["weigh/lost.yaml", "{ budget: weigh/lost.yaml }"])
def test_a_file_that_is_not_there_is_one_problem_where_it_is_named(params: str, catalog: Catalog, write: Write) -> None:
    path = write("weigh.yaml", WEIGH.format(params=params))
    write("weigh/last.yaml", SETTINGS)
    (problem,) = find_errors(catalog, path)
    assert (problem.path, problem.code) == (str(path), "E254")
    assert problem.help == 'did you mean "weigh/last.yaml"?'


def test_a_file_outside_of_the_workflow_s_folder_is_refused(catalog: Catalog, write: Write, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(SETTINGS, encoding="utf-8")
    path = write("weigh.yaml", WEIGH.format(params="../../secret.yaml"))
    assert [problem.code for problem in find_errors(catalog, path)] == ["E255"]


def test_a_syntax_error_has_its_place_in_the_file(catalog: Catalog, write: Write) -> None:
    path = write("weigh.yaml", WEIGH.format(params="weigh/find.yaml"))
    named = write("weigh/find.yaml", "budget: {\n")
    assert [problem.path for problem in find_errors(catalog, path)] == [str(named)]


def test_a_file_that_has_one_value_is_no_settings(catalog: Catalog, write: Write) -> None:
    path = write("weigh.yaml", WEIGH.format(params="weigh/find.yaml"))
    named = write("weigh/find.yaml", "seven\n")
    (problem,) = find_errors(catalog, path)
    assert (problem.path, problem.code) == (str(named), "E201")


def test_files_with_too_many_values_are_not_all_read(catalog: Catalog, write: Write) -> None:
    names = [f"weigh/{number}.yaml" for number in range(6)]
    path = write("weigh.yaml", WEIGH.format(params=f"{{ {', '.join(f'a{at}: {n}' for at, n in enumerate(names))} }}"))
    bomb = "a: &a [" + "0, " * 99 + "0]\nb: [" + ", ".join(["*a"] * 300) + "]\n"
    for name in names:
        write(name, bomb)
    assert [problem.code for problem in find_errors(catalog, path)] == ["E103"]


def test_an_edit_of_the_file_is_a_new_version_of_the_workflow(catalog: Catalog, write: Write) -> None:
    write("weigh.yaml", WEIGH.format(params="weigh/find.yaml"))
    named = write("weigh/find.yaml", SETTINGS)
    before = catalog.load("weigh")
    assert named in before.files
    write("weigh/find.yaml", SETTINGS.replace("80", "90"))
    after = catalog.load("weigh")
    assert after.digest != before.digest
    assert after.workflow.phases["find"].params["preview_chars"] == 90
