"""Budgets of the shipped workflows: a hard question stays within them, and half of what it costs is evidence."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from ruamel.yaml import YAML

from aurora.interpreter import to_compact_json
from aurora.interpreter.language.tokens import count_tokens
from aurora.tools.mcp.responses import build_result
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWERS: dict[str, Any] = YAML(typ="safe").load(
    (Path(__file__).resolve().parent / "soar_click_answers.yaml").read_text(encoding="utf-8")
)
MATERIAL = re.compile(r"<material>\n(.*?)</material>", re.DOTALL)
CHUNK = re.compile(r"^(code:[0-9a-f]+) ", re.MULTILINE)
LONGEST_WALK = 20


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Workspace]:
    """Open the indexed sources of Click."""
    root = tmp_path / "click"
    shutil.copytree(Path(click.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__"))
    with Workspace(root) as workspace:
        workspace.memory.index(workspace.root)
        yield workspace


def _read_evidence(response: dict[str, Any]) -> list[str]:
    """Return the material in the prompts of a response."""
    prompts = response.get("prompt_template") or []
    return MATERIAL.findall(prompts if isinstance(prompts, str) else "\n".join(prompts))


def _measure_pointers(responses: list[dict[str, Any]]) -> int:
    """Measure the pointers of `retrieve`, at most ten in some 1.2 kB."""
    found = [one["result"]["chunks"] for one in responses if one["phase"] == "retrieve" and one["result"]]
    sizes = [len(to_compact_json(chunks)) for chunks in found]
    assert all(len(chunks) == 10 for chunks in found)
    assert all(size < 1500 for size in sizes)
    return sum(sizes)


def _answer(response: dict[str, Any], cited: list[str], decomposition: dict[str, Any]) -> Any:
    """Answer the prompts of a response; each task cites its two best chunks."""
    if response["phase"] == "decompose":
        return decomposition
    if response["phase"] == "collect":
        found = [CHUNK.findall(text)[:2] for text in _read_evidence(response)]
        cited += [chunk for chunks in found for chunk in chunks]
        return [{"status": "done", "output": ANSWERS["text"], "citations": chunks} for chunks in found]
    return {"answer": ANSWERS["text"] * 2, "citations": cited[:5], "confidence": 0.85}


def _walk(
    workspace: Workspace, workflow: str, begin: dict[str, Any], decomposition: dict[str, Any]
) -> list[dict[str, Any]]:
    responses, cited = [step_workflow(workspace, {**begin, "workflow": workflow})], []
    while responses[-1]["next_call"] and len(responses) < LONGEST_WALK:
        last = responses[-1]
        brought = {"answer": _answer(last, cited, decomposition)} if "prompt_template" in last else {}
        responses.append(step_workflow(workspace, {**last["next_call"]["arguments"], **brought}))
    return responses


@pytest.mark.parametrize(("workflow", "calls"), [("soar", 10), ("soar-fast", 4)])
def test_a_complex_question_stays_within_its_budget_and_half_of_it_is_evidence(
    library: Workspace, workflow: str, calls: int
) -> None:
    responses = _walk(library, workflow, ANSWERS["begin"], ANSWERS["decompose"])
    assert (responses[-1]["phase"], len(responses)) == ("respond", calls), responses[-1].get("error")
    assert sum(response["phase"] == "collect" and "prompt_template" in response for response in responses) == 1
    assert not [response for response in responses if "budget" in response["metadata"]]

    texts = [to_compact_json(response) for response in responses]
    evidence = sum(len(json.dumps(text, ensure_ascii=False)) for one in responses for text in _read_evidence(one))
    shown = call_tool(library, "runs.show", {"run": responses[0]["run"]})
    assert shown["tokens_used"] == sum(map(count_tokens, texts)) <= shown["token_budget"] <= 8500
    assert evidence >= sum(map(len, texts)) * 0.49


@pytest.mark.parametrize(("workflow", "calls", "most"), [("soar", 10, 6100), ("soar-fast", 4, 5100)])
@pytest.mark.parametrize("tasks", ["two", "three"])
def test_a_medium_question_stays_below_a_number_of_tokens_and_half_of_them_are_evidence(
    library: Workspace, workflow: str, calls: int, most: int, tasks: str
) -> None:
    medium = ANSWERS["medium"][tasks]
    responses = _walk(library, workflow, {"query": medium["query"]}, medium["decompose"])
    assert (responses[-1]["phase"], len(responses)) == ("respond", calls), responses[-1].get("error")

    texts = [to_compact_json(response) for response in responses]
    evidence = sum(len(json.dumps(text, ensure_ascii=False)) for one in responses for text in _read_evidence(one))
    assert sum(map(count_tokens, texts)) <= most
    assert evidence + _measure_pointers(responses) >= sum(map(len, texts)) / 2


@pytest.mark.parametrize("workflow", ["soar", "soar-fast", "bug-fix", "code-review", "design", "feature"])
def test_every_workflow_that_a_host_runs_has_a_budget(tmp_path: Path, workflow: str) -> None:
    with Workspace(tmp_path) as workspace:
        assert call_tool(workspace, "workflow.show", {"name": workflow})["token_budget"] >= 6000


CLINE_CHARS = 8000
"""Characters at which Cline CLI cuts a result, as JSON around the text; measured in November 2026."""


@pytest.mark.parametrize("workflow", ["soar", "soar-fast"])
def test_no_response_to_a_hard_question_is_cut_in_cline(library: Workspace, workflow: str) -> None:
    responses = _walk(library, workflow, ANSWERS["begin"], ANSWERS["decompose"])
    shown = [json.dumps(build_result(response)["content"], ensure_ascii=False) for response in responses]
    assert max(map(len, shown)) < CLINE_CHARS
