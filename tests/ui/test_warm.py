"""What a view needs is imported, and every workflow checked, before the person asks for it; large libraries are not."""

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

root, run = Path(sys.argv[1]), sys.argv[2]
source, visitor = FolderSource([root]), Visitor("", "secret")
warm_up(source)
loaded = set(sys.modules)
scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
shown = [
    ("/runs", {}, ""),
    ("/runs/{run}", {"run": run}, ""),
    ("/runs/{run}/case", {"run": run}, ""),
    ("/runs/compare", {}, f"a={run}&b={run}"),
    ("/workflows", {}, ""),
    ("/workflows/{workflow}", {"workflow": "soar"}, "phase=assess"),
    ("/workflows/{workflow}", {"workflow": "soar-fast"}, ""),
    ("/workflows/{workflow}", {"workflow": "bug-fix"}, ""),
    ("/workflows/{workflow}", {"workflow": "gated"}, "tab=coverage"),
    ("/memory", {}, ""),
    ("/doctor", {}, ""),
]
for path, parts, query in shown:
    request = Request({**scope, "path_params": parts, "query_string": query.encode()})
    with source.open_project("shop", visitor) as project:
        assert views.PAGES[path](PageRequest(request, visitor, source, "shop", project, {})).status_code == 200
print(sorted(set(sys.modules) - loaded))
from aurora.tools import http
http.run_server  # imports the server
heavy = ("aurora.interpreter.checks.check", "jsonschema_rs", "multiprocessing", "numpy", "ruamel.yaml", "watchfiles")
print([name for name in heavy if name in sys.modules])
"""


def test_no_view_imports_anything_after_the_warm_up_nor_what_the_page_does_not_need(
    project: Path, make_run: Callable[[str], str]
) -> None:
    run = make_run("the newest")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(project), run], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "[]\n[]\n"), done.stdout + done.stderr
