"""The warm-up of a server loads what its first calls need, and leaves no trace."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.tools.mcp.watch import load_workflows, prepare_calls
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import json, sys
from pathlib import Path
from aurora.tools.mcp.watch import load_workflows, prepare_calls
from aurora.tools.runtime import Workspace, call_tool, configure_logging, get_registry

configure_logging("critical")
with Workspace(Path(sys.argv[1])) as project:
    get_registry().select_mcp(("",))  # as the server does first
    prepare_calls(project)
    load_workflows(project)
    before = set(sys.modules)
    first = call_tool(project, "workflow.step", {"phase": "assess", "query": "What is an OptionParser?"}, surface="mcp")
    call_tool(project, "workflow.step", first["next_call"]["arguments"], surface="mcp")
    call_tool(project, "mem.search", {"query": "bad option"}, surface="mcp")
    print(json.dumps({"complexity": first["result"]["complexity"], "loaded": sorted(set(sys.modules) - before)}))
"""

COUNT_READS = """
import sys
from pathlib import Path
from aurora.tools.mcp.watch import load_workflows, prepare_calls
from aurora.tools.runtime import Workspace

read = []
sys.addaudithook(lambda event, given: read.append(str(given[0])) if event == "open" else None)
root = Path(sys.argv[1])
with Workspace(root) as project:
    prepare_calls(project)
    load_workflows(project)
print(sum(path.startswith(str(root)) and path.endswith(".yaml") for path in read))
"""


@pytest.fixture
def folder(indexed: Workspace) -> Path:
    indexed.memory.close()
    return indexed.root


@pytest.mark.requirement("prd-62")
def test_a_simple_question_and_a_search_load_nothing_after_the_warm_up(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(folder)], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {"complexity": "SIMPLE", "loaded": []}


def test_a_warm_up_writes_no_run_no_use_and_no_log_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Workspace(folder) as project:
        prepare_calls(project)
        load_workflows(project)
        assert not project.memory.journal.runs(5, 0)
        assert all(not one.uses for one in project.memory.rank_active_chunks(first=50)[0])
    assert not list((folder / ".aurora").glob("**/*.log*"))
    assert capfd.readouterr().err == ""


def test_a_warm_up_reads_a_bounded_number_of_workflows(workspace: Workspace) -> None:
    workflows = workspace.root / ".aurora" / "workflows"
    workflows.mkdir(parents=True)
    for number in range(60):
        text = f"aurora: 1\nname: w{number}\nstart: a\nphases:\n  a: {{ uses: mem.stats, next_action: end }}\n"
        (workflows / f"w{number}.yaml").write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COUNT_READS, str(workspace.root)], check=True, capture_output=True, text=True
    )
    assert int(done.stdout) <= 60 + 2 * 20  # each is opened for its name, and each that is loaded twice more


def test_a_warm_up_leaves_no_trace_in_a_project_without_a_memory(workspace: Workspace) -> None:
    prepare_calls(workspace)
    load_workflows(workspace)
    assert not (workspace.root / ".aurora").exists()
