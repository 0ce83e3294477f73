"""A person's facts are kept, found, forgotten and brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.faults import Code, Fault
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

LEAK = "AKIA" + "Q3EGRD7XV5TZLMNP"  # in two parts, or this file would be one that holds a secret


def test_a_fact_is_kept_once_and_found_forgotten_and_brought_back(indexed: Workspace) -> None:
    told = {"text": "The staging server is called otter.", "tags": ["ops", "ops"], "source": "the wiki"}
    first = call_tool(indexed, "mem.add", told)
    assert first == {"id": first["id"], "kind": "fact", "subject": told["text"], "created": True}
    assert call_tool(indexed, "mem.add", told) == {**first, "created": False}
    assert indexed.memory.get([first["id"]])[0].metadata == {"tags": ["ops"], "sources": ["the wiki"]}
    found = call_tool(indexed, "mem.search", {"query": "what is the staging server called"})
    assert found["hits"][0]["id"] == first["id"]
    gone = call_tool(indexed, "mem.forget", {"ids": [first["id"]]})
    assert gone["forgotten"] == [{"id": first["id"], "kind": "fact", "subject": told["text"]}]
    back = call_tool(indexed, "mem.undo", {})
    assert (back["action"], back["back"]) == ("forget", 1)
    assert indexed.memory.get([first["id"]])


def test_a_pattern_is_kept_among_the_patterns_with_a_subject_of_its_first_words(workspace: Workspace) -> None:
    text = "\n\n" + "Look at the log before the code. " * 9
    made = call_tool(workspace, "mem.add", {"text": text, "pattern": True})
    assert made["id"].startswith("reas:")
    assert made["kind"] == "pattern"
    assert made["subject"].endswith(" …")
    assert len(made["subject"]) <= 122


@pytest.mark.parametrize("field", ["text", "subject", "source", "tags"])
def test_a_secret_is_refused_in_whatever_field_and_never_shown(workspace: Workspace, field: str) -> None:
    told = {"text": "The bucket is private.", field: [LEAK] if field == "tags" else f"key {LEAK}"}
    with pytest.raises(Fault, match="an AWS access key") as caught:
        call_tool(workspace, "mem.add", told)
    assert caught.value.code is Code.FORBIDDEN
    assert LEAK not in str(caught.value.to_json())
    assert not list(workspace.memory.iter_chunks())
