"""The doctor says what of the project is not used, and leaves the decision to the person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime import Workspace
from aurora.tools.trust import read_contents
from aurora.trust import FolderTrust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _bring_definitions(it: Any) -> None:
    it.write(".aurora/workflows/soar.yaml", "extends: soar\n")
    it.write(".claude/agents/reviewer.md", "---\nname: reviewer\n---\n")


def trust_contents(root: Path) -> None:
    """Trust a folder with all that is in it now."""
    with Workspace(root) as workspace:
        workspace.trust.grant(shown=read_contents(workspace).definitions)


def _revoke(it: Any, state: Path) -> None:
    del state
    FolderTrust(it.root).revoke()


def _replace(it: Any, state: Path) -> None:
    del state
    it.root.rename(it.root.with_name("old"))
    it.root.mkdir()
    _bring_definitions(it)


def _damage(it: Any, state: Path) -> None:
    del it
    (state / "aurora" / "trusted-folders.json").write_text("{", encoding="utf-8")


UNTRUSTED = {
    "project.trust.untrusted": (_revoke, "1 workflow and 1 agent of the project, because you have not trusted"),
    "project.trust.replaced": (_replace, "because you trusted another folder at this path"),
    "project.trust.unreadable": (_damage, "is damaged; no folder is trusted"),
}
SHOWN = {*UNTRUSTED, "project.trust.changed"}


@pytest.mark.parametrize("kind", UNTRUSTED)
def test_what_is_not_used_is_a_warning_that_only_a_person_can_settle(
    bare: Any, tmp_path: Path, kind: str, tree: Callable[..., dict[str, bytes]]
) -> None:
    harm, said = UNTRUSTED[kind]
    _bring_definitions(bare)
    harm(bare, tmp_path / "state")
    (found,) = bare.look("project.trust")["groups"][0]["findings"]
    assert (found["kind"], found["status"], found["fixable"]) == (kind, "warn", False)
    assert said in found["message"]
    assert found["steps"]
    before = tree(tmp_path / "state")
    assert bare.fix("project.trust")["fixed"] == []
    assert tree(tmp_path / "state") == before


def test_a_trusted_project_and_one_without_own_files_pass(bare: Any) -> None:
    (found,) = bare.look("project.trust")["groups"][0]["findings"]
    assert (found["status"], found["message"]) == ("skip", "no project workflows or agents to trust")
    _bring_definitions(bare)
    (found,) = bare.look("project.trust")["groups"][0]["findings"]
    assert (found["kind"], found["status"], found["fixable"]) == ("project.trust.changed", "warn", False)
    said = "not used: 1 workflow and 1 agent (soar.yaml, reviewer.md) of the project, new or changed since"
    assert found["message"].startswith(said)
    trust_contents(bare.root)
    (found,) = bare.look("project.trust")["groups"][0]["findings"]
    assert found["message"] == "used, because you trust this folder: 1 workflow and 1 agent of the project"


def test_a_trusted_project_is_one_whose_workflows_are_checked(bare: Any) -> None:
    bare.write(".aurora/workflows/tea.yaml", "aurora: 1\nname: tea\n")
    trust_contents(bare.root)
    assert bare.look("workflows.valid")["ok"] is False
    FolderTrust(bare.root).revoke()
    assert bare.look("workflows.valid")["ok"] is True
