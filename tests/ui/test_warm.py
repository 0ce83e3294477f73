"""What the first page needs is imported before the person asks for it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
from starlette.requests import Request
from aurora.ui import views
from aurora.ui.local.folders import FolderSource
from aurora.ui.local.warm import warm_up
from aurora.ui.web import PageRequest, Visitor

source, visitor = FolderSource([Path(sys.argv[1])]), Visitor("", "secret")
warm_up(source)
loaded = set(sys.modules)
scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
for path, run in (("/runs", ""), ("/runs/{run}", sys.argv[2])):
    request = Request({**scope, "path_params": {"run": run}})
    with source.open_project("shop", visitor) as project:
        assert views.PAGES[path](PageRequest(request, visitor, source, "shop", project, {})).status_code == 200
print(sorted(set(sys.modules) - loaded))
"""


def test_the_list_and_the_newest_run_load_nothing_after_the_warm_up(
    project: Path, make_run: Callable[[str], str]
) -> None:
    run = make_run("the newest")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(project), run], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stdout + done.stderr
