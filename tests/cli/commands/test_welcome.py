"""`aur` by itself says what to do next, and what that is depends on the project."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

TEA = """\
aurora: 2
name: tea
version: 1.0.0
start: brew
phases:
  brew:
    prompt_template: Brew tea.
    answer: { type: string }
    next_action: end
"""


def test_a_new_project_is_told_to_set_itself_up_and_is_not_touched(aur: Aur, project: Path) -> None:
    done = aur()

    assert done.returncode == 0
    assert "not indexed yet" in done.stdout
    assert "aur init" in done.stdout
    assert not (project / ".aurora").exists()


def test_an_indexed_project_is_told_to_connect_an_assistant(aur: Aur) -> None:
    aur("mem", "index")

    done = aur()

    assert "4 files in memory" in done.stdout
    assert "aur mem index" not in done.stdout
    assert "aur init" in done.stdout


def test_a_project_with_an_assistant_connected_is_told_only_to_index(aur: Aur, project: Path) -> None:
    entry = {"command": sys.executable, "args": ["-m", "aurora", "mcp"]}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"aurora": entry}}), encoding="utf-8")

    state = json.loads(aur("--json").stdout)

    assert state["connected"] is True
    assert next(step["command"] for step in state["next"]) == "aur mem index"


def test_a_project_with_runs_is_told_where_they_are(aur: Aur) -> None:
    aur("workflow", "step", "assess", "--input", "query=Where is FloatRange defined?")

    state = json.loads(aur("--json").stdout)

    assert state["runs"] == 1
    assert "aur runs list" in [step["command"] for step in state["next"]]


def test_a_broken_workflow_of_a_trusted_folder_is_mentioned(aur: Aur, project: Path) -> None:
    file = project / ".aurora/workflows/tea.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(TEA, encoding="utf-8")
    aur("trust", "--yes")
    assert "errors" not in aur().stdout
    file.write_text(TEA.replace("prompt_template", "promt_template"), encoding="utf-8")

    assert "1 workflow has errors: run `aur workflow validate`\n" in aur().stdout
    assert json.loads(aur("--json").stdout)["broken"] == 1


def test_a_narrow_terminal_has_each_reason_below_its_command(aur: Aur) -> None:
    shown = aur(env={"COLUMNS": "40"}).stdout.splitlines()

    assert shown[shown.index("  aur init") + 1] == "    index this project, connect your"
    assert [line for line in shown[1:] if len(line) > 40] == []


GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person: { message: "Publish {{ what }}?\\nReally?" }
    next_action: end
"""


def test_runs_that_wait_for_the_person_come_first_and_open_ones_after_them(aur: Aur, project: Path) -> None:
    file = project / ".aurora/workflows/gate.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(GATE, encoding="utf-8")
    assert "waits for you" not in aur().stdout
    aur("workflow", "step", "assess", "--input", "query=Where is FloatRange defined?")

    def wait(what: str) -> str:
        begun = aur("workflow", "step", "ask", "--workflow", "gate", "--input", f"what={what}", "--json")
        return str(json.loads(begun.stdout)["run"])

    first = wait("v1\u202e")
    one = aur().stdout.splitlines()
    assert one[1] == f"1 run waits for you: aur runs approve {first}  (Publish v1\\u202e? Really?)"
    assert one[2] == "Open runs:"
    assert "soar: next is retrieve_and_respond  (Where is FloatRange defined?)" in one[3]
    assert one[4] == "Next:"

    for number in range(2, 6):
        newest = wait(f"v{number}")
    many = aur().stdout.splitlines()
    assert many[1] == "5 runs wait for you:"
    assert many[2] == f"  aur runs approve {newest}  (Publish v5? Really?)"
    assert "  and 2 runs more: aur runs list --status open" in many
    assert len(json.loads(aur("--json").stdout)["waiting"]) == 3
