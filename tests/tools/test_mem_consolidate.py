"""The tool that merges near-duplicates answers to the names that hosts know it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.faults import Code, Fault
from aurora.tools.dispatch import invoke

if TYPE_CHECKING:
    from aurora.tools.workspace import Workspace

LONG = "Empty the staging server and check its logs by hand before a release"


@pytest.mark.parametrize("name", ["consolidate_memories", "trigger_consolidation", "mem.consolidate"])
@pytest.mark.parametrize("strategy", ["similarity", "temporal", "semantic"])
def test_it_answers_to_its_other_names_and_words(workspace: Workspace, name: str, strategy: str) -> None:
    for end in (".", ", please."):
        invoke(workspace, "mem.add", {"text": LONG + end, "subject": "Releases", "tags": [end]})
    told = invoke(workspace, name, {"strategy": strategy, "dry_run": True})
    done = invoke(workspace, name, {"strategy": strategy})
    assert told["merges"] == done["merges"]
    assert (told["backup"], done["merged"], done["looked_at"]) == (None, 1, 2)
    assert sorted(done["merges"][0]["metadata"]["tags"]) == [", please.", "."]
    assert workspace.memory.missing([done["merges"][0]["taken"][0]["id"]])


def test_a_way_that_does_not_exist_is_refused_with_those_that_do(workspace: Workspace) -> None:
    with pytest.raises(Fault, match="similarity") as caught:
        invoke(workspace, "mem.consolidate", {"by": "magic"})
    assert caught.value.code is Code.INVALID_INPUT
