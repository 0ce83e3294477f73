"""Jobs on a real project run to their end, stop at an early exit, and resume after a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.interpreter import Call
from aurora.tools.runs import jobs
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NIGHTLY = """
aurora: 1
name: nightly
version: 1.0.0
title: Read the project and look at its size
start: read
phases:
  read:
    inputs:
      path: { type: string, default: . }
    uses: mem.index
    with: { path: path }
    next_action: look
  look:
    uses: mem.stats
    next_action:
      - { when: "files > `1`", then: last }
      - { then: end, early_exit: true, say: There is hardly anything to read. }
  last:
    uses: mem.stats
    next_action: end
"""

ASKS = """
aurora: 1
name: asks
version: 1.0.0
start: ask
phases:
  ask:
    prompt_template: What now?
    answer: { type: string }
    next_action: end
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text("# Shop\n\nIt sells tea.\n", encoding="utf-8")
    (tmp_path / "tea.py").write_text("def brew():\n    return 'tea'\n", encoding="utf-8")
    workflows = tmp_path / ".aurora" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "nightly.yaml").write_text(NIGHTLY, encoding="utf-8")
    (workflows / "asks.yaml").write_text(ASKS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def call(root: Path) -> Callable[..., dict[str, Any]]:
    def body(tool: str, **arguments: Any) -> dict[str, Any]:
        with Workspace(root) as workspace:
            return call_tool(workspace, tool, arguments, surface="cli")

    return body


@pytest.mark.requirement("auditgraph-19")
def test_jobs_are_the_workflows_without_prompts_and_listing_creates_no_database(
    call: Callable[..., dict[str, Any]], root: Path
) -> None:
    names = {job["name"]: job for job in call("jobs.list")["jobs"]}
    assert names["nightly"]["phases"] == ["read", "look", "last"]
    assert not {"asks", "soar", "bug-fix"} & set(names)
    assert not (root / ".aurora" / "memory.db").exists()


def test_a_job_runs_to_its_end_and_is_stored_as_a_run(call: Callable[..., dict[str, Any]]) -> None:
    done = call("jobs.run", name="nightly")
    assert (done["status"], done["exit_code"]) == ("ended", 0)
    assert [(step["phase"], step["status"]) for step in done["steps"]] == [
        ("read", "complete"),
        ("look", "complete"),
        ("last", "complete"),
    ]
    shown = call("runs.show", run=done["run"])
    assert (shown["status"], shown["total_steps"]) == ("ended", 3)
    (listed,) = [job for job in call("jobs.list")["jobs"] if job["name"] == "nightly"]
    assert (listed["last"]["run"], listed["last"]["status"]) == (done["run"], "ended")


def test_an_early_exit_stops_the_job_with_its_reason(call: Callable[..., dict[str, Any]], root: Path) -> None:
    (root / "tea.py").unlink()
    done = call("jobs.run", name="nightly")
    assert (done["status"], done["exit_code"], done["steps"][-1]["phase"]) == ("stopped", 1, "look")
    assert "hardly anything to read" in done["say"]


def test_a_failed_phase_fails_the_job_with_help(call: Callable[..., dict[str, Any]]) -> None:
    done = call("jobs.run", name="nightly", set=["path=nowhere"])
    assert (done["status"], done["exit_code"], len(done["steps"])) == ("failed", 1, 1)
    assert done["steps"][0]["code"] == "NOT_FOUND"
    assert "nowhere" in done["steps"][0]["error"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"name": "nightlly"}, Code.NOT_FOUND, 'did you mean "nightly"'),
        ({"name": "asks"}, Code.INVALID_INPUT, '"asks" is not a job: its phase "ask" asks for an answer'),
        ({"name": "nightly", "set": ["pats=1"]}, Code.INVALID_INPUT, 'did you mean "path"'),
        ({"name": "nightly", "set": ["path"]}, Code.INVALID_INPUT, '"path" is not name=value'),
        ({"name": "nightly", "resume": True}, Code.CONFLICT, 'no run of "nightly" was interrupted'),
        (
            {"name": "nightly", "resume": True, "set": ["path=docs"]},
            Code.INVALID_INPUT,
            "a resumed run keeps its inputs",
        ),
    ],
)
def test_invalid_arguments_are_refused_with_the_reason(
    call: Callable[..., dict[str, Any]], arguments: dict[str, Any], code: Code, words: str
) -> None:
    with pytest.raises(Fault, match=words) as raised:
        call("jobs.run", **arguments)
    assert raised.value.code is code


def test_a_killed_job_resumes_after_its_last_step(call: Callable[..., dict[str, Any]], root: Path) -> None:
    with Workspace(root) as workspace:
        first = jobs._create_engine(workspace).step(Call(phase="read", workflow="nightly"))
    assert call("jobs.list")["jobs"][-1]["last"]["status"] == "open"

    done = call("jobs.run", name="nightly", resume=True)

    assert (done["run"], done["resumed_after"], done["status"]) == (first["run"], 1, "ended")
    assert [step["phase"] for step in done["steps"]] == ["look", "last"]


def test_a_job_killed_by_a_signal_leaves_a_run_that_can_resume(call: Callable[..., dict[str, Any]], root: Path) -> None:
    for number in range(400):
        (root / f"part{number}.py").write_text(f"def part{number}():\n    return {number}\n", encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, "-m", "aurora", "jobs", "run", "nightly"], cwd=root, stdout=subprocess.PIPE
    )
    while running.poll() is None and not (root / ".aurora" / "memory.db-wal").exists():
        pass
    running.send_signal(signal.SIGKILL)
    running.communicate()

    assert call("mem.stats")["files"] <= 402
    done = call("jobs.run", name="nightly")
    assert done["status"] == "ended"
    assert call("mem.stats")["files"] == 402


def test_the_command_shows_each_phase_and_exits_with_the_job_s_code(root: Path, aur_program: str) -> None:
    def aur(*words: str) -> subprocess.CompletedProcess[str]:
        command = [aur_program, *words]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)

    well = aur("jobs", "run", "nightly")
    assert well.returncode == 0, well.stderr
    assert [line.split()[1] for line in well.stdout.splitlines()] == ["read", "look", "last", "done"]
    ill = aur("jobs", "run", "nightly", "--set", "path=nowhere")
    assert ill.returncode == 1
    assert "nightly: failed" in ill.stdout
    assert aur("jobs", "run", "nightly", "--read-only").returncode == 1


def test_a_job_cannot_run_jobs(call: Callable[..., dict[str, Any]], root: Path) -> None:
    circle = (
        "aurora: 1\nname: circle\nversion: 1.0.0\nstart: again\nphases:\n  again:\n    uses: jobs.run\n"
        "    with: { name: \"'circle'\" }\n    next_action: end\n"
    )
    (root / ".aurora" / "workflows" / "circle.yaml").write_text(circle, encoding="utf-8")
    with pytest.raises(Fault, match=r'phase "again" uses "jobs\.run", and no phase may use it'):
        call("jobs.run", name="circle")
