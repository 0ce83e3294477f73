"""Program that prints the files of Aurora whose functions run in one warm call of each kind, as JSON."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "How are the options of a command parsed, and where are errors reported?"
SOURCE = '''\
"""Options of a command."""


def parse_options(words):
    """Parse the options of a command, and report errors."""
    return [word for word in words if word.startswith("-")]
'''

found: set[str] = set()


def note(frame: FrameType, event: str, _argument: Any) -> None:
    """Note the file of a function that begins."""
    if event == "call":
        found.add(frame.f_code.co_filename)


def main(root: Path) -> None:
    """Make a project, warm each call up, run it again, and print its files."""
    (root / ".git").mkdir()
    for number in range(5):
        (root / f"options{number}.py").write_text(SOURCE, encoding="utf-8")
    threading.setprofile(note)  # before the first thread: a call with a timeout runs in a thread that stays
    sys.setprofile(note)
    from aurora.tools.runtime import Workspace, call_tool  # noqa: PLC0415 - after the profile is set
    from aurora.tools.workflows.query import step_workflow  # noqa: PLC0415 - as above

    files: dict[str, list[str]] = {}
    with Workspace(root) as workspace:
        workspace.memory.index(root)
        begun = step_workflow(workspace, {"query": QUESTION})
        calls = {
            "assess": lambda: step_workflow(workspace, {"query": QUESTION}),
            "retrieve": lambda: step_workflow(workspace, begun["next_call"]["arguments"]),
            "search": lambda: call_tool(workspace, "mem.search", {"query": QUESTION}),
            "validate": lambda: call_tool(workspace, "workflow.validate", {"files": ["soar"]}),
        }
        for name, call in calls.items():
            call()
            if name == "retrieve":  # the second call of a step replays the first
                begun = step_workflow(workspace, {"query": QUESTION})
            found.clear()
            call()
            files[name] = sorted({_name_file(path) for path in found} - {""})
    sys.stdout.write(json.dumps(files))


def _name_file(path: str) -> str:
    """Return the path of a file of the product from the checkout; empty for any other."""
    place = Path(path)
    if not place.is_relative_to(ROOT) or place.is_relative_to(ROOT / "tests") or place.is_relative_to(ROOT / ".venv"):
        return ""
    return place.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
