"""A run as a page: all of its steps, the ways that were taken, nothing that loads or runs."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runs.export import _MAX_STEPS, MAX_VALUE
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOOP = """\
aurora: 1
name: loop
version: 1.0.0
title: "Draft & <i>review</i>"
start: draft
phases:
  draft:
    inputs: { task: { type: string } }
    prompt_template: Do {{ task }}.
    answer: { type: string }
    next_action: review
  review:
    prompt_template: Is it good?
    answer: { type: object, properties: { ok: { type: boolean } }, required: [ok] }
    next_action:
      - { when: "answer.ok == `true`", then: end }
      - { then: draft, max: 3, else: stop }
  stop:
    next_action: end
"""
ATTACK = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """The elements, the addresses and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("AURORA_TRUST", "1")
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "loop.yaml").write_text(LOOP, encoding="utf-8")
    with Workspace(tmp_path) as opened:
        yield opened


def walk(workspace: Workspace, task: str, answers: list[Any]) -> str:
    """Walk `loop`, and return the run's id."""
    arguments: dict[str, Any] = {"workflow": "loop", "phase": "draft", "task": task}
    for answer in (None, *answers):
        extra = {} if answer is None else {"answer": answer}
        response = step_workflow(workspace, {**arguments, **extra})
        assert response["status"] != "error", response
        arguments = (response["next_call"] or {}).get("arguments", {})
    return str(response["run"])


def export(workspace: Workspace, run: str) -> tuple[str, Page]:
    text = call_tool(workspace, "runs.export", {"run": run}, surface="cli")["text"]
    return text, Page(text)


def test_a_page_has_each_step_with_its_rules_and_the_ways_that_were_taken(workspace: Workspace) -> None:
    run = walk(workspace, "the task", ["first", {"ok": False}, "second", {"ok": True}])
    text, page = export(workspace, run)
    assert all(f"{number}. " in page.words for number in range(1, 6))
    for words in (
        "answer.ok == `true`",
        "answer.ok was false",
        "→ draft",
        "the task",
        "second",
        "Draft & <i>review</i>",
    ):
        assert words in page.words
    assert text.count("walked") - text.count(".walked") == 2 * 4, "start, draft to review, back, and the end"
    assert ">2 times<" in text
    assert 'id="phase-stop" class="decision faint"' in text
    assert export(workspace, "last")[0] == text


def test_a_page_loads_and_runs_nothing_whatever_a_run_contains(workspace: Workspace) -> None:
    run = walk(workspace, ATTACK, [ATTACK])
    text, page = export(workspace, run)
    assert ATTACK in page.words
    assert not {"script", "img", "link", "iframe", "object", "form"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert {value for name, value in page.attributes if name == "href"} <= {"#step-1", "#step-2", "#step-3"}
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text


def test_secrets_are_masked_and_long_values_are_cut(workspace: Workspace) -> None:
    run = walk(workspace, 'password = "hunter2hunter2"', ["x" * (MAX_VALUE + 5)])
    text, page = export(workspace, run)
    assert "hunter2hunter2" not in text
    assert "[secret: a password]" in page.words
    assert "… 5 more characters" in page.words


def test_a_page_says_what_differs_from_the_run(workspace: Workspace, tmp_path: Path) -> None:
    run = walk(workspace, "x", ["y"])
    file = tmp_path / ".aurora" / "workflows" / "loop.yaml"
    file.write_text(LOOP.replace("Is it good?", "Is it really good?"), encoding="utf-8")
    assert "was edited since this run" in export(workspace, run)[1].words
    file.unlink()
    text, page = export(workspace, run)
    assert "cannot be used here" in page.words
    assert "svg" not in page.tags
    assert 'id="step-2"' in text


def test_of_a_very_long_run_the_first_steps_are_shown(workspace: Workspace) -> None:
    step = {
        "status": "complete",
        "inputs": {"query": "q"},
        "result": {"odd": "\ud800\x00 text"},
        "edge": {"token": "gone"},
    }
    head = {"workflow": "loop", "version": "1.0.0", "status": "open", "phase": "draft", "next": "review"}
    steps = [("draft", {**step, "seq": seq}) for seq in range(1, _MAX_STEPS + 3)]
    workspace.memory.journal.create("long", "loop", head, steps)
    text, page = export(workspace, "long")
    assert f"the first {_MAX_STEPS} of {_MAX_STEPS + 2} steps" in page.words
    assert 'class="phase current"' in text
    assert text.encode("utf-8")


def test_an_unknown_run_is_not_found(workspace: Workspace) -> None:
    for name in ("nothing", "last"):
        with pytest.raises(Fault) as caught:
            export(workspace, name)
        assert caught.value.code is Code.NOT_FOUND
