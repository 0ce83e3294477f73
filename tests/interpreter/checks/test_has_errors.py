"""A run learns whether a workflow has errors without a report of them, and both agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
from aurora.interpreter import Catalog
from aurora.interpreter.checks import check_definition, has_errors
from aurora.interpreter.problems import select_errors
from aurora.tools.runtime.workspace import Workspace
from tests.interpreter.checks.large_workflows import build_branching, build_different

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted(file for file in (ROOT / "tests" / "documents").rglob("*.yaml") if file.is_file())
PHASES = 60
CHANGES = {
    "an unknown target": ("then: p59 }", "then: p95 }"),
    "an unknown source": ("phases.p58.answer.note", "phases.p58.result.note"),
    "a choice that does not exist": ("{ enum: [small, large], default: small }", "{ enum: [large], default: small }"),
    "a template with a wrong name": ("Do {{ note }} at {{ size }}", "Do {{ notes }} at {{ size }}"),
    "a key that does not exist": ("    prompt_template:", "    prompt:"),
    "a wrong type": ("type: boolean", "type: bool"),
    "a loop without an end": (", max: 3, else: p59", ""),
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / ".aurora" / "workflows").mkdir(parents=True)
    with Workspace(tmp_path) as found:
        yield found


def write(workspace: Workspace, text: str) -> Catalog:
    folder = workspace.root / ".aurora" / "workflows"
    (folder / "large.yaml").write_text(text.replace("name: branching", "name: large"), encoding="utf-8")
    return Catalog(folder, workspace.tools)


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_the_quick_answer_agrees_with_the_report(workspace: Workspace, file: Path) -> None:
    definition, _ = workspace.workflows.load_with_problems(str(file))
    if definition is None:
        return
    known = workspace.workflows.find_neighbours(file)
    found = bool(select_errors(check_definition(definition, workspace.tools, known)))
    assert has_errors(definition, workspace.tools, known) is found


@pytest.mark.parametrize("build", [build_branching, build_different])
def test_a_large_workflow_without_errors_runs_without_its_tree(
    workspace: Workspace, build: Callable[[int], str]
) -> None:
    text = build(PHASES).replace("name: different", "name: large")
    definition = write(workspace, text).load("large")
    assert "root" not in vars(definition.document)
    lines = definition.document.find_rule_line("p7", 1)
    assert text.splitlines()[lines - 1].strip().startswith("- { when: \"answer.kind == 'hard")
    assert definition.root.get("name") is not None


@pytest.mark.parametrize("change", CHANGES)
def test_a_workflow_with_an_error_in_its_last_phases_is_refused(workspace: Workspace, change: str) -> None:
    old, new = CHANGES[change]
    head, mark, last = build_branching(PHASES).rpartition("  p58:\n")
    assert old in last
    text = head + mark + last.replace(old, new)
    catalog = write(workspace, text)
    with pytest.raises(Fault) as caught:
        catalog.load("large")
    errors = select_errors(catalog.find_problems("large"))
    assert errors
    assert caught.value.details["problems"][0] == errors[0].heading


def test_a_workflow_with_warnings_only_runs_and_is_reported(workspace: Workspace) -> None:
    text = build_branching(PHASES).replace("default: small }", "default: small, optional: true }")
    catalog = write(workspace, text)
    assert catalog.load("large").workflow.name == "large"
    assert len(catalog.find_problems("large")) >= PHASES


def test_an_error_that_a_comment_suppresses_refuses_nothing(workspace: Workspace) -> None:
    text = build_branching(PHASES)
    old = "      size: { enum: [small, large], default: small }\n"
    assert old in text
    lost = "  lost: { uses: mem.stats, next_action: end }  # aur: ignore unreachable -- it is kept for later\n"
    assert write(workspace, text + lost).load("large").workflow.name == "large"
    with pytest.raises(Fault):
        write(workspace, text + lost.partition("  #")[0] + "\n").load("large")
