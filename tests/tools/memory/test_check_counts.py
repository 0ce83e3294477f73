"""A check counts what it checked, and a repair may begin with a backup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace


@pytest.mark.requirement("triads-4")
def test_a_check_counts_what_it_checked(indexed: Workspace) -> None:
    checked = call_tool(indexed, "check_graph_integrity", {"triad": "design"})
    assert checked["ok"]
    assert checked["counts"]["files"] == 2
    assert checked["counts"]["nodes"] >= 5  # two files, a class with two methods, another class
    assert checked["counts"]["chunks"] == checked["counts"]["vectors"] > 0
    assert checked["counts"]["runs"] == 0


def test_a_memory_that_does_not_exist_has_no_counts(workspace: Workspace) -> None:
    checked = call_tool(workspace, "mem.check", {})
    assert (checked["counts"], checked["ok"]) == (None, True)
    assert not (workspace.root / ".aurora").exists()


@pytest.mark.requirement("triads-5")
def test_a_repair_restores_the_backup_that_it_is_given(indexed: Workspace) -> None:
    kept = call_tool(indexed, "mem.add", {"text": "The harbour closes at nine."})["id"]
    backup = call_tool(indexed, "mem.backup", {})["name"]
    call_tool(indexed, "mem.forget", {"ids": [kept]})
    repaired = call_tool(indexed, "repair_graph", {"triad": "design", "backup": backup})
    assert repaired["ok"]
    assert "harbour" in call_tool(indexed, "mem.get", {"ids": [kept]})["chunks"][0]["text"]
    with pytest.raises(Fault) as caught:
        call_tool(indexed, "mem.repair", {"backup": "none.db"})
    assert caught.value.code is Code.NOT_FOUND
