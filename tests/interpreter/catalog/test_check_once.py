from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aurora.interpreter import Catalog
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.interpreter import Toolbox, ToolCall, ToolFacts

HEAD = "aurora: 1\nname: tea\nversion: '1'\nstart: p0\nphases:\n"
NAMES = [*(f"p{index}" for index in range(100)), "end"]
PHASES = "".join(f"  {name}: {{ uses: mem.stats, next_action: {following} }}\n" for name, following in pairwise(NAMES))


class CountingTools:
    """The project's tools; counts how often a check looks at one."""

    def __init__(self, tools: Toolbox) -> None:
        self.count = 0
        self._tools = tools

    def names(self, *, in_job: bool) -> Sequence[str]:
        return self._tools.names(in_job=in_job)

    def facts(self, name: str) -> ToolFacts | None:
        self.count += 1
        return self._tools.facts(name)

    def stamp_facts(self, name: str) -> str:
        return self._tools.stamp_facts(name)

    def call(self, call: ToolCall) -> dict[str, Any]:
        return self._tools.call(call)


def count_looks(folder: Path, workspace: Workspace, callers: int) -> int:
    """Load a workflow from several threads at once; return how often its checks looked at a tool."""
    tools = CountingTools(workspace.tools)
    catalog = Catalog(folder, tools)
    begin = threading.Barrier(callers)

    def load() -> None:
        begin.wait(10)
        catalog.load("tea")

    threads = [threading.Thread(target=load) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return tools.count


def test_calls_at_the_same_time_check_a_workflow_once(tmp_path: Path) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "tea.yaml").write_text(HEAD + PHASES, encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        alone = count_looks(folder, workspace, 1)
        together = count_looks(folder, workspace, 4)

    assert alone > 0
    assert together == alone
