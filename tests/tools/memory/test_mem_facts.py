"""Facts are stored, found, forgotten and restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

LEAK = "AKIA" + "Q3EGRD7XV5TZLMNP"  # in two parts, or this file would be one that holds a secret


def test_a_fact_is_stored_once_found_forgotten_and_restored(indexed: Workspace) -> None:
    output = {"text": "The staging server is called otter.", "tags": ["ops", "ops"], "source": "the wiki"}
    first = call_tool(indexed, "mem.add", output)
    assert first == {"id": first["id"], "kind": "fact", "subject": output["text"], "created": True}
    assert call_tool(indexed, "mem.add", output) == {**first, "created": False}
    assert indexed.memory.get([first["id"]])[0].metadata == {"tags": ["ops"], "sources": ["the wiki"]}
    found = call_tool(indexed, "mem.search", {"query": "what is the staging server called"})
    assert found["hits"][0]["id"] == first["id"]
    gone = call_tool(indexed, "mem.forget", {"ids": [first["id"]]})
    assert gone["forgotten"] == [{"id": first["id"], "kind": "fact", "subject": output["text"]}]
    back = call_tool(indexed, "mem.undo", {})
    assert (back["action"], back["back"]) == ("forget", 1)
    assert indexed.memory.get([first["id"]])


def test_a_pattern_without_a_subject_gets_its_first_words(workspace: Workspace) -> None:
    text = "\n\n" + "Look at the log before the code. " * 9
    made = call_tool(workspace, "mem.add", {"text": text, "pattern": True})
    assert made["id"].startswith("reas:")
    assert made["kind"] == "pattern"
    assert made["subject"].endswith(" …")
    assert len(made["subject"]) <= 122


@pytest.mark.parametrize("field", ["text", "subject", "source", "tags"])
def test_a_secret_is_rejected_in_every_field_and_not_quoted(workspace: Workspace, field: str) -> None:
    output = {"text": "The bucket is private.", field: [LEAK] if field == "tags" else f"key {LEAK}"}
    with pytest.raises(Fault, match="an AWS access key") as caught:
        call_tool(workspace, "mem.add", output)
    assert caught.value.code is Code.FORBIDDEN
    assert LEAK not in str(caught.value.to_json())
    assert not list(workspace.memory.iter_chunks())
