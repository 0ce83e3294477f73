"""A new workflow is valid, runs, and overwrites nothing."""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.interpreter.language.json_schema import SCHEMA_FILE, SCHEMA_MODELINE, build_language_schema
from aurora.tools.files import write_all
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ANSWERS: dict[str, list[Any]] = {
    "draft": ["A haiku about tea.", "A better haiku about tea."],
    "review": [{"good": False, "remarks": ["It has no season."]}, {"good": True, "remarks": []}],
    "deliver": ["A haiku."],
}


@pytest.fixture
def folder(root: Path) -> Path:
    return root / ".aurora" / "workflows"


@pytest.fixture
def new(workspace: Workspace) -> Callable[..., dict[str, Any]]:
    return lambda name, **given: call_tool(workspace, "workflow.new", {"name": name, **given})


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_starter_is_valid_and_runs_to_its_end(workspace: Workspace, new: Callable[..., Any]) -> None:
    made = new("haiku")
    assert made["problems"] == 0
    assert workspace.workflows.find_problems("haiku") == ()
    response = step_workflow(
        workspace, {"workflow": "haiku", "phase": made["start"], "task": "Write a haiku about tea"}
    )
    phases: list[str] = []
    prompts: list[str] = []
    while response["next_call"]:
        phases.append(response["phase"])
        prompts.append(response["prompt_template"])
        answer = ANSWERS[response["phase"]][phases.count(response["phase"]) - 1]
        response = step_workflow(workspace, {**response["next_call"]["arguments"], "answer": answer})
        assert response["status"] == "complete", response
    assert phases == ["draft", "review", "draft", "review", "deliver"]  # each review decides by its own answer
    assert "It has no season." in prompts[2]
    assert "A better haiku about tea." in prompts[4]


def test_a_new_workflow_refers_to_the_schema_next_to_it(folder: Path, new: Callable[..., Any]) -> None:
    made = new("haiku")
    assert (folder / "haiku.yaml").read_text(encoding="utf-8").splitlines()[0] == SCHEMA_MODELINE
    assert json.loads((folder / SCHEMA_FILE).read_text(encoding="utf-8")) == build_language_schema()
    assert {path.removeprefix(".aurora/workflows/") for path in made["files"]} == set(content(folder))


@pytest.mark.parametrize("template", ["bug-fix", "code-review", "design", "feature", "soar"])
def test_a_copy_of_a_shipped_workflow_is_self_contained(
    workspace: Workspace, folder: Path, new: Callable[..., Any], template: str
) -> None:
    made = new("our-own", **{"from": template})
    assert made["problems"] == 0
    copy, shipped = workspace.workflows.load("our-own"), workspace.workflows.load(template)
    assert copy.workflow.phases.keys() == shipped.workflow.phases.keys()
    assert copy.prompts.keys() == shipped.prompts.keys()
    assert all(path.is_relative_to(folder) for path in copy.files)
    assert template + "/" not in (folder / "our-own.yaml").read_text(encoding="utf-8")


def test_a_copy_of_a_patch_is_a_patch(workspace: Workspace, folder: Path, new: Callable[..., Any]) -> None:
    folder.mkdir(parents=True)
    (folder / "team.md").write_text("Answer {{ query }} shortly.", encoding="utf-8")
    patch = "extends: soar\nphases:\n  synthesize: { prompt_template: team.md, inputs: { goal: null } }\n"
    (folder / "soar.yaml").write_text(patch, encoding="utf-8")
    new("short", **{"from": "soar"})
    made = workspace.workflows.load("short")
    assert "extends: soar" in (folder / "short.yaml").read_text(encoding="utf-8")
    assert made.prompts["synthesize"].text == "Answer {{ query }} shortly."
    assert (folder / "team.md").read_text(encoding="utf-8") == "Answer {{ query }} shortly."


def test_existing_files_are_overwritten_only_with_force(folder: Path, new: Callable[..., Any]) -> None:
    new("haiku")
    (folder / "haiku.yaml").write_text("# mine\n", encoding="utf-8")
    before = content(folder)
    with pytest.raises(Fault, match='a workflow "haiku" exists already') as raised:
        new("haiku")
    assert raised.value.code is Code.CONFLICT
    assert content(folder) == before
    new("haiku", force=True)
    assert content(folder)["haiku.yaml"] != "# mine\n"


def test_an_existing_prompt_stops_it_before_anything_is_written(folder: Path, new: Callable[..., Any]) -> None:
    (folder / "haiku").mkdir(parents=True)
    (folder / "haiku" / "draft.md").write_text("mine", encoding="utf-8")
    with pytest.raises(Fault, match=r'"haiku/draft\.md" exists already') as raised:
        new("haiku")
    assert raised.value.code is Code.CONFLICT
    assert content(folder) == {"haiku/draft.md": "mine"}


def test_the_name_of_a_shipped_workflow_is_rejected_with_a_patch_as_help(new: Callable[..., Any]) -> None:
    with pytest.raises(Fault) as raised:
        new("design")
    assert raised.value.code is Code.CONFLICT
    assert "`extends: design`" in raised.value.help


@pytest.mark.parametrize(
    ("name", "help_"),
    [
        ("Release Notes", '"release-notes"'),
        ("../up", '"up"'),
        ("9lives", '"release-notes"'),
        ("x/y", '"x-y"'),
        ("é", '"release-notes"'),
        ("a\n", '"a"'),
    ],
)
def test_an_invalid_name_is_rejected_with_a_valid_example(new: Callable[..., Any], name: str, help_: str) -> None:
    with pytest.raises(Fault) as raised:
        new(name)
    assert raised.value.code is Code.INVALID_INPUT
    assert help_ in raised.value.help


def test_a_workflow_with_errors_is_not_copied(folder: Path, new: Callable[..., Any]) -> None:
    folder.mkdir(parents=True)
    (folder / "bad.yaml").write_text("aurora: 1\nname: bad\n", encoding="utf-8")
    with pytest.raises(Fault, match='workflow "bad" has') as raised:
        new("good", **{"from": "bad"})
    assert raised.value.code is Code.INVALID_INPUT
    assert not (folder / "good.yaml").exists()


def test_a_linked_folder_outside_the_project_is_not_written_to(
    root: Path, tmp_path: Path, new: Callable[..., Any]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / ".aurora").mkdir()
    (root / ".aurora" / "workflows").symlink_to(outside)
    with pytest.raises(Fault, match="outside the project") as raised:
        new("haiku")
    assert raised.value.code is Code.FORBIDDEN
    assert list(outside.iterdir()) == []


def test_a_linked_prompt_folder_outside_the_project_is_not_followed(
    folder: Path, tmp_path: Path, new: Callable[..., Any]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder.mkdir(parents=True)
    (folder / "haiku").symlink_to(outside)
    with pytest.raises(Fault) as raised:
        new("haiku", force=True)
    assert raised.value.code is Code.FORBIDDEN
    assert list(outside.iterdir()) == []
    assert not (folder / "haiku.yaml").exists()


def test_no_folder_is_created_behind_a_link(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (folder / "haiku").symlink_to(outside)
    with pytest.raises(Fault, match="outside the project"):
        write_all(folder, {"haiku/prompts/draft.md": "Write."})
    assert list(outside.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_reported(root: Path, new: Callable[..., Any]) -> None:
    (root / ".aurora").mkdir()
    (root / ".aurora" / "workflows").write_text("", encoding="utf-8")
    with pytest.raises(Fault, match="cannot be created") as raised:
        new("haiku")
    assert raised.value.code is Code.FORBIDDEN


def test_nothing_is_written_in_read_only_mode(root: Path) -> None:
    with Workspace(root, read_only=True) as workspace, pytest.raises(Fault) as raised:
        call_tool(workspace, "workflow.new", {"name": "haiku"})
    assert raised.value.code is Code.FORBIDDEN
    assert not (root / ".aurora").exists()


@pytest.mark.parametrize("name", ["write_all", "create_folder_inside"])
def test_a_full_disk_is_answered_with_the_need_for_space(
    new: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if name == "write_all":
        monkeypatch.setattr("aurora.tools.files.write_inside", fail)
    else:
        monkeypatch.setattr("aurora.tools.workflows.new.create_folder_inside", fail)
    with pytest.raises(Fault, match="No space left on device") as raised:
        new("haiku")
    assert raised.value.help == "Free space on the disk."
