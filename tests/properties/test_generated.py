"""Whatever right workflow is made: nothing is found in it, all its ways are walked, and what is proved of it holds."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from generated import block, workflow
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from aurora.interpreter.lab.generate import generate_least_value
from aurora.interpreter.lab.simulate import simulate_workflow
from aurora.interpreter.problems.render import render_problems
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEEDS = st.integers(0, 1_000_000)


@pytest.fixture(scope="module")
def workspace(project: Path) -> Iterator[Workspace]:
    (project / ".aurora" / "workflows").mkdir(parents=True, exist_ok=True)
    with Workspace(project) as opened:
        yield opened


def styles(document: dict[str, Any]) -> dict[str, str]:
    """The same workflow as text in the styles that YAML has."""
    texts = {"block": block(document), "json": json.dumps(document), "json in lines": json.dumps(document, indent=2)}
    for name, flow in (("dumped", False), ("dumped flow", True)):
        yaml = YAML(typ="safe", pure=True)
        yaml.default_flow_style = flow
        yaml.width = 100
        stream = StringIO()
        yaml.dump(document, stream)
        texts[name] = stream.getvalue()
    folded = block(document)
    for line in folded.splitlines():
        if line.startswith("      - { when: ") and ", then: " in line:
            test = line.removeprefix("      - { when: ").split(", then: ")[0]
            rest = line.split(", then: ")[1].removesuffix(" }").split(", ")
            said = json.loads(test) if test.startswith('"') else test
            new = ["      - when: >-", f"          {said}", f"        then: {rest[0]}"]
            folded = folded.replace(line, "\n".join([*new, *(f"        {one}" for one in rest[1:])]))
    return texts | {"folded": folded}


@settings(max_examples=20)
@given(SEEDS)
def test_nothing_is_found_in_a_right_workflow(workspace: Workspace, project: Path, seed: int) -> None:
    made = workflow(seed, most=12)
    assert render_problems(workspace.workflows.check_text(made.text, project / "w.yaml")) == "", made.text


@settings(max_examples=6)
@given(SEEDS)
def test_nothing_is_found_in_whatever_style_it_is_written(workspace: Workspace, project: Path, seed: int) -> None:
    for style, text in styles(workflow(seed).document).items():
        assert render_problems(workspace.workflows.check_text(text, project / "w.yaml")) == "", (style, text)


@settings(max_examples=6)
@given(SEEDS, st.sampled_from(["p1", "end", "mem.search", "inputs"]))
def test_one_mistake_is_the_same_problem_in_whatever_style(
    workspace: Workspace, project: Path, seed: int, name: str
) -> None:
    document = json.loads(json.dumps(workflow(seed).document).replace(f'"{name}"', '"mistaken_name"', 1))
    told = {
        style: sorted((one.code, one.message) for one in workspace.workflows.check_text(text, project / "w.yaml"))
        for style, text in styles(document).items()
    }
    assert len({json.dumps(one) for one in told.values()}) == 1, told


@settings(max_examples=8)
@given(SEEDS)
def test_every_way_is_walked_and_what_is_proved_holds(workspace: Workspace, project: Path, seed: int) -> None:
    made = workflow(seed, most=6)
    path = project / "w.yaml"
    path.write_text(made.text, encoding="utf-8")
    found = simulate_workflow(workspace.workflows.load_file(path), workspace.tools, every=True)
    proved = workspace.workflows.prove(str(path))

    assert found.is_successful, (found.unreached, made.text)
    assert found.coverage.list_missing() == []
    assert proved is not None
    assert proved.always_ends
    assert proved.longest_run_calls is not None
    assert proved.longest_run_calls >= max(len(one.steps) for one in found.paths), made.text
    if found.is_complete:
        right = [one for one in found.paths if all(step.status != "error" for step in one.steps)]
        assert proved.paths is not None
        assert proved.paths >= len(right), made.text


@settings(max_examples=5)
@given(SEEDS)
def test_the_engine_itself_walks_it_to_an_end_over_a_real_journal(
    workspace: Workspace, project: Path, seed: int
) -> None:
    path = project / ".aurora" / "workflows" / "w.yaml"
    path.write_text(workflow(seed, most=6).text, encoding="utf-8")
    proved = workspace.workflows.prove("w")
    assert proved is not None
    response = step_workflow(workspace, {"phase": "p0", "workflow": "w", "task": "tea"})
    calls = 1
    while response["next_call"] is not None:
        call = response["next_call"]
        brought = {name: generate_least_value(schema) for name, schema in call["needs"].items()}
        response = step_workflow(workspace, {**call["arguments"], **brought})
        calls += 1
        assert calls <= (proved.longest_run_calls or 0), response
    assert response["next_action"] == "end"
